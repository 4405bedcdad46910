"""strace: the real system calls of the program, and injected errors."""

import functools
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.cli.program import environment

CHANGING = frozenset(
    {
        "chmod", "fchmod", "fchmodat", "fdatasync", "fsync", "ftruncate", "link", "linkat", "mkdir", "mkdirat",
        "pwrite64", "rename", "renameat", "renameat2", "truncate", "unlink", "unlinkat", "utimensat", "write",
    }
)  # fmt: skip
_LINE = re.compile(r"^\d+ +(\w+)\((.*)")


@functools.cache
def works() -> bool:
    """Return whether strace works here; without it only the faulty `os` is tested."""
    strace = shutil.which("strace")
    return (
        strace is not None and subprocess.run([strace, "-qq", "-o", "/dev/null", "true"], check=False).returncode == 0
    )


@dataclass(frozen=True)
class SystemCall:
    """A system call that changes the store: its name, its number among those of this name, and its target."""

    name: str
    number: int
    what: str


def run(command: list[str], place: Path, *options: str, env: dict[str, str] | None = None) -> tuple[int, str]:
    """Run a program under strace; return its exit status, negative for a signal, and the trace."""
    log = place / "trace"
    strace = ["strace", "-f", "-qq", "-y", "-s", "0", "-o", str(log), *options]
    done = subprocess.run(
        [*strace, *command], cwd=place, env=environment(place) | (env or {}), capture_output=True, check=False
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return done.returncode, log.read_text()


def program(*arguments: str) -> list[str]:
    return [sys.executable, "-B", "-m", "promptx_mem", *arguments]


def changes(trace: str, root: Path) -> list[SystemCall]:
    """Return the calls in a trace that change the store."""
    seen: dict[str, int] = {}
    found = []
    for line in trace.splitlines():
        match = _LINE.match(line)
        if match is None:
            continue
        name, rest = match.groups()
        seen[name] = seen.get(name, 0) + 1
        makes = name == "openat" and "O_CREAT" in rest
        if (name in CHANGING or makes) and f"{root}" in rest and " = -1 " not in line:
            found.append(SystemCall(name, seen[name], rest))
    return found
