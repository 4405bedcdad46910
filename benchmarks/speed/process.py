"""Time and memory of one whole process, by a monotonic clock around spawn and wait."""

import marshal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

_LAUNCH = Path(__file__).with_name("launch.py")
_PER_MB = 1024 if sys.platform == "linux" else 1024 * 1024  # what ru_maxrss counts: KiB on Linux, bytes on macOS


@dataclass(frozen=True, slots=True)
class Command:
    """A command line, its folder and its stdin."""

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes = b""


@dataclass(frozen=True, slots=True)
class Ran:
    """`ms` of wall clock, `mb` of peak memory, both of the whole process; `out` if requested."""

    ms: float
    mb: float
    status: int
    out: str = ""


class Launcher:
    """A small process that starts the others, so that neither their time nor their memory depends on this one."""

    def __init__(self, scratch: Path) -> None:
        self._stdin = scratch / "stdin"
        self._stdout = scratch / "stdout"
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_LAUNCH)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.communicate()

    def run(self, command: Command, *, keep: bool = False) -> Ran:
        """Run a command to its end; its output goes to /dev/null unless it is to be kept."""
        assert self._process.stdin
        assert self._process.stdout
        if command.stdin:
            self._stdin.write_bytes(command.stdin)
        stdin = str(self._stdin) if command.stdin else "/dev/null"
        stdout = str(self._stdout) if keep else "/dev/null"
        marshal.dump(
            (list(command.argv), dict(command.env), str(command.cwd), stdin, stdout),
            self._process.stdin,
        )
        self._process.stdin.flush()
        taken, status, peak = marshal.load(self._process.stdout)
        out = self._stdout.read_text("utf-8", "replace") if keep else ""
        return Ran(1000 * taken, peak / _PER_MB, status, out)


def at_once(commands: list[Command]) -> list[int]:
    """Start all commands together and return their exit statuses."""
    running = []
    for command in commands:
        with tempfile.TemporaryFile() as stdin:
            stdin.write(command.stdin)
            stdin.seek(0)
            running.append(
                subprocess.Popen(
                    command.argv,
                    cwd=command.cwd,
                    env=dict(command.env),
                    stdin=stdin,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            )
    return [process.wait() for process in running]


def environment(home: Path, **more: str) -> dict[str, str]:
    """Return the environment of a plain user: no variables of this process, and no access to a network."""
    nowhere = "http://127.0.0.1:9"
    path = "/usr/local/bin:/usr/bin:/bin"
    offline = {"HTTP_PROXY": nowhere, "HTTPS_PROXY": nowhere, "HF_HUB_OFFLINE": "1", "DO_NOT_TRACK": "1"}
    return {"PATH": path, "HOME": f"{home}-home", "LC_ALL": "C.UTF-8", **offline, **more}
