"""Run one PostgreSQL for the process that writes to our standard input, and stop it when that process ends.

Reads commands, one per line, and answers each with a line: `start`, `stop SIGNAL`, `kill`. At the end of the input it
stops the server and removes its folder. As root it runs the server as an ordinary user: PostgreSQL refuses root.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

_PATIENCE = 60.0


class Warden:
    """A data folder and the process that uses it, if any."""

    def __init__(self, folder: Path, programs: Path, port: int, user: int) -> None:
        self.folder = folder
        self.programs = programs
        self.port = port
        self.user: dict[str, Any] = {"user": user, "group": user, "extra_groups": []} if os.geteuid() == 0 else {}
        self.process: subprocess.Popen[bytes] | None = None

    def make(self) -> None:
        """Create the data folder."""
        initdb = [self.programs / "initdb", "-D", self.folder / "data", "-U", "postgres", "-A", "trust"]
        self._run([*initdb, "-E", "UTF8", "--locale=C", "--no-sync"])

    def start(self) -> str:
        """Start the server and wait until it accepts connections."""
        log = self.folder / "log"
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [self.programs / "postgres", "-D", self.folder / "data", "-k", self.folder, "-p", str(self.port)],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=self.folder, env=_environment(), **self.user,
            )  # fmt: skip
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            if self._is_ready():
                return "started"
            time.sleep(0.01)
        return f"failed: {log.read_text(errors='replace')[-2000:]!r}"

    def _is_ready(self) -> bool:
        """Return whether the lock file says ready for this process; a killed server leaves an old one."""
        with contextlib.suppress(OSError):
            lines = (self.folder / "data" / "postmaster.pid").read_text().splitlines()
            return len(lines) > 7 and lines[7].strip() == "ready" and lines[0] == str(self.process and self.process.pid)
        return False

    def stop(self, name: str = "SIGINT") -> str:
        """End the server by a signal: SIGTERM waits for clients, SIGINT does not, SIGQUIT recovers at the next start."""
        if self.process is not None:
            self.process.send_signal(getattr(signal, name))
            try:
                self.process.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                return self.kill()
            self.process = None
        return "stopped"

    def kill(self) -> str:
        """Kill the server and all its processes at once."""
        if self.process is not None:
            children = _children(self.process.pid)
            for pid in (self.process.pid, *children):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.process.wait()
            end = time.monotonic() + _PATIENCE
            while _any_runs(children) and time.monotonic() < end:  # a new server refuses to start while they run
                time.sleep(0.005)
            self.process = None
        return "killed"

    def _run(self, command: list[Any]) -> None:
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=self.folder, env=_environment(), check=False, **self.user
        )
        if done.returncode:
            raise SystemExit(f"failed: {done.stdout}{done.stderr}")


def _environment() -> dict[str, str]:
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}


def _children(pid: int) -> list[int]:
    said = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    pairs = [line.split() for line in said.splitlines()]
    return [int(child) for child, parent in pairs if int(parent) == pid]


def _any_runs(pids: list[int]) -> bool:
    """Return whether some of these processes run; zombies do not."""
    names = ",".join(map(str, pids)) or "0"
    said = subprocess.run(["ps", "-o", "stat=", "-p", names], capture_output=True, text=True, check=False).stdout
    return any(not state.startswith("Z") for state in said.split())


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def main() -> None:
    folder, programs, port, user = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # it ends only at the end of the input
    warden = Warden(folder, programs, port, user)
    try:
        warden.make()
        (folder / "data" / "postgresql.auto.conf").write_text(sys.argv[5])
        print("made", flush=True)
        for line in sys.stdin:
            name, *words = line.split()
            print({"start": warden.start, "stop": warden.stop, "kill": warden.kill}[name](*words), flush=True)
    finally:
        warden.stop("SIGQUIT")
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
