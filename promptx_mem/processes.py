"""Background processes, and the parents of this process, one of which can be the agent's host (which runs the agent).

A hook creates a file in the user's state folder, named after the process number and start time of the hook's host. If
a parent process of a command has such a file, an agent started the command. The command's terminal and environment do
not matter. This module is separate from `session`, since the guard loads few modules.
"""

import os
import sys

from promptx_mem.places import state_folder

TYPE_CHECKING = False  # the guard loads this module; to import typing would take longer than everything else
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MOST = 32
"""Maximum number of parent processes that are read."""

_SHELLS = ("sh", "bash", "dash", "zsh", "fish", "ksh", "mksh", "ash", "busybox")
_WRAPPERS = (
    "env", "timeout", "nice", "nohup", "setsid", "script", "stdbuf", "sudo", "doas", "su", "uv", "uvx", "pipx",
    "promptx-mem",
)  # fmt: skip
"""Programs that can run between a host and its hook."""

_STARTERS = ("systemd", "init", "launchd", "tini", "dumb-init", "docker-init")
"""Names of programs that adopt orphaned processes. They are never a host."""


class Process:
    """A running process. `parent` is the number of its parent process, `name` its program, `started` its start time.

    `leads_terminal` is true for the process that opened a terminal's session, such as a login shell.
    """

    __slots__ = ("leads_terminal", "name", "number", "parent", "started")

    def __init__(self, number: int, parent: int, name: str, started: str, *, leads_terminal: bool) -> None:
        self.number, self.parent, self.name, self.started = number, parent, name, started
        self.leads_terminal = leads_terminal


def record_host() -> None:
    """Record the host that runs this hook, unless a person does. A new record removes those of ended hosts."""
    folder = state_folder()
    try:
        host = _host()
        path = _path(folder, host) if host and folder else None
        if path is None or os.path.lexists(path):
            return
        place = os.path.dirname(path)
        os.makedirs(place, mode=0o700, exist_ok=True)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
        for other in os.listdir(place):
            if not is_running(other):
                os.unlink(os.path.join(place, other))
    except (OSError, ValueError, IndexError):  # a hook works without this record
        pass


def is_running(name: str) -> bool:
    """Return whether a host that `record_host` has recorded under this name is still running."""
    number, _, started = name.partition("-")
    process = read(int(number)) if number.isdigit() else None
    return process is not None and process.started == started


def is_below_host() -> bool:
    """Return whether a process above this one is an agent's host that has called one of our hooks."""
    return next(_recorded(), None) is not None


def is_below_another_host() -> bool:
    """Return whether another agent's host started this hook's host. If so, the prompts come from that agent."""
    own = _host()
    return any(own is None or process.number != own.number for process in _recorded())


def hosts_above() -> "list[Process]":
    """Return the parent processes that are hosts and have called one of our hooks; else the guessed host, if any."""
    return list(_recorded()) or list(filter(None, [_host()]))


def _recorded() -> "Iterator[Process]":
    folder = state_folder()
    if folder and os.path.isdir(os.path.join(folder, "hosts")):
        yield from (process for process in ancestors() if os.path.lexists(_path(folder, process)))


def ancestors() -> "Iterator[Process]":
    """Yield at most 32 parent processes of this one, from the nearest upwards, as far as the system shows them."""
    number = os.getppid()
    for _ in range(_MOST):
        process = read(number) if number > 0 else None
        if process is None:
            return
        yield process
        number = process.parent


def read(number: int) -> Process | None:
    """Read parent, name and start time of a process. None if it is not running or the system does not show it."""
    try:
        with open(f"/proc/{number}/stat", encoding="utf-8", errors="replace") as file:
            head, _, rest = file.read().rpartition(")")
    except OSError:
        return None if os.path.isdir("/proc/self") else _read_by_ps(number)
    fields = rest.split()
    leads = fields[3] == str(number) and fields[4] != "0"
    return Process(number, int(fields[1]), head.partition("(")[2], fields[19], leads_terminal=leads)


def _read_by_ps(number: int) -> Process | None:
    """Read a process by means of `ps`, for systems without /proc such as macOS."""
    import subprocess

    command = ["/bin/ps", "-o", "ppid=,stat=,tty=,lstart=,comm=", "-p", str(number)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=2, check=False, env={"LC_ALL": "C"})  # noqa: S603 - fixed words
    except (OSError, subprocess.SubprocessError):
        return None
    fields = done.stdout.decode("utf-8", "replace").split(maxsplit=8)
    if len(fields) < 9 or not fields[0].isdigit():
        return None
    leads = "s" in fields[1] and "?" not in fields[2]
    name = os.path.basename(fields[8].strip()).lstrip("-")
    started = "".join(filter(str.isalnum, "".join(fields[3:8])))
    return Process(number, int(fields[0]), name, started, leads_terminal=leads)


def _host() -> Process | None:
    """Guess the host of this process: the nearest parent that is neither shell nor wrapper. None for a person."""
    for process in ancestors():
        if process.name in _STARTERS or (process.name in _SHELLS and process.leads_terminal):
            return None
        if process.name not in _SHELLS and process.name not in _WRAPPERS:
            return process
    return None


def _path(folder: str, process: Process) -> str:
    return os.path.join(folder, "hosts", f"{process.number}-{process.started}")


def detach(words: "Sequence[str]", *inherited: int, wait: float = 0.0) -> None:
    """Run Python in the background, with arguments `words` and descriptors `inherited`. Wait up to `wait` seconds."""
    import subprocess
    import threading

    nowhere = subprocess.DEVNULL
    # Without -P, Python would import modules from the working directory, which can be an untrusted project.
    process = subprocess.Popen(  # noqa: S603 - this program
        [sys.executable, "-P", *words],
        stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True, pass_fds=inherited,
    )  # fmt: skip
    waiter = threading.Thread(target=process.wait, daemon=True)  # else Python would print a ResourceWarning
    waiter.start()
    waiter.join(wait)
