"""A log of promptx-mem's own changes to a store's files. The guard uses it to find changes by other programs.

The guard checks tool calls, and compares the store's files before and after a call. The log is in the user's state
folder, outside of the project. If the guard has not created a folder for the store there, nothing is logged. `step NAME
BEFORE AFTER` records that a command changed a file from one identity to another. `line NAME HASH` records an appended
line. The guard empties the log when a tool call begins and no other call is open.

Errors are ignored: a change that is not logged is reported as another program's change.

`append_unlocked` appends to the audit log without the store's lock.
"""

import os
import stat

from promptx_mem.places import MISSING, guard_folder, identity, stamp

TYPE_CHECKING = False  # the guard loads this module, and importing typing would take longer than everything else
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from promptx_mem.store.files import Identity

FILES = ("declarative.md", "journal.jsonl", "config.yaml", "audit.jsonl")
"""The files of a store that the guard compares."""

AUDIT = FILES[3]
"""The audit log. Hooks append to this file without the lock, so each appended line is logged, not a step."""

LOG = ".own"
COPY = "look-"
"""Prefix of the names of the guard's copies of a store's files. The guard compares the files with the copies."""

ROTATED = "rotated"
"""Value logged instead of a line's hash after promptx-mem has removed lines or fields from the audit log."""


def folder(root: str) -> str | None:
    """Return the guard's folder for a store; None if the guard has not created one."""
    found = guard_folder(root)
    return found if found is not None and os.path.isdir(found) else None


class Write:
    """A logger for one write by promptx-mem. It is created before the write, while the lock is held."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._folder = folder(root)
        self._before = self._now() if self._folder else {}

    def done(self, changes: "Mapping[str, Sequence[Identity]]", appended: "Iterable[tuple[str, bytes]]") -> None:
        """Log the write. `changes` maps a file's path to its identities before and after each append."""
        if not self._folder:
            return
        lines = [line for name, data in appended for line in _lines(name, data)]
        for name, after in self._now().items():
            before, steps = self._before[name], changes.get(os.path.join(self._root, name))
            if after != before and (steps is None or _covers(steps, before, after)):
                lines.append(f"step {name} {before} {after}")
        _append(self._folder, lines)

    def _now(self) -> dict[str, str]:
        return {name: stamp(os.path.join(self._root, name)) for name in FILES if name != AUDIT}


def note_audit(root: str, appended: bytes = b"") -> None:
    """Log the lines that promptx-mem appended to the audit log. Without `appended`, log `ROTATED`."""
    if found := folder(root):
        _append(found, _lines(AUDIT, appended) or [f"line {AUDIT} {ROTATED}"])


def remove_copies(root: str, paths: "Iterable[str]") -> None:
    """Remove the guard's copies of a store's files, for a purge. `paths` are its other paths. Raises OSError."""
    above, known = guard_folder(os.sep), {os.path.realpath(root), *paths}
    folders = [os.path.join(above, path.lstrip(os.sep)) for path in known if above]
    folders.append(os.path.join(root, ".cache"))  # earlier versions had the copies there
    for copy in [os.path.join(folder, COPY + name) for folder in folders for name in FILES]:
        if os.path.lexists(copy):
            os.unlink(copy)


def line_hash(line: bytes | str) -> str:
    """Return the hash that represents a line in the log."""
    from promptx_mem.core.ids import short_hash

    return short_hash(line.encode("utf-8", "surrogateescape") if isinstance(line, str) else line)


def read(log: str) -> tuple[dict[tuple[str, str], str], dict[str, set[str]]]:
    """Return the steps and the hashes of lines in a log. Both are empty if the log cannot be read.

    The steps map a file's name and earlier identity to the file's later identity. The hashes are grouped by the file's
    name.
    """
    steps: dict[tuple[str, str], str] = {}
    hashes: dict[str, set[str]] = {}
    try:
        with open(log, encoding="utf-8", errors="replace") as file:
            for line in file:
                words = line.split()
                if words[:1] == ["step"] and len(words) == 4:
                    steps[words[1], words[2]] = words[3]
                elif words[:1] == ["line"] and len(words) == 3:
                    hashes.setdefault(words[1], set()).add(words[2])
    except OSError:
        return {}, {}
    return steps, hashes


def is_explained(steps: "Mapping[tuple[str, str], str]", name: str, before: str, after: str) -> bool:
    """Return whether logged steps lead from the identity `before` of a file to the identity `after`."""
    for _ in range(len(steps) + 1):
        if before == after:
            return True
        before = steps.get((name, before), "")
    return False


def _covers(steps: "Sequence[Identity]", before: str, after: str) -> bool:
    """Return whether promptx-mem's appends were the only changes of a file. `steps` has its identities."""
    if not steps:
        return False
    first, last = (".".join(map(str, one)) + "." for one in (steps[0], steps[-1]))
    is_new = before == MISSING and steps[0][2] == 0
    return (is_new or before.startswith(first)) and after.startswith(last)


def _lines(name: str, data: bytes) -> list[str]:
    return [f"line {name} {line_hash(line)}" for line in data.split(b"\n") if line]


def _append(place: str, lines: list[str]) -> None:
    try:
        fd = os.open(os.path.join(place, LOG), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            os.write(fd, "".join(f"{line}\n" for line in lines).encode())
        finally:
            os.close(fd)
    except OSError:
        return


_TRIES = 3
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY


def append_unlocked(path: str, data: bytes, mode: int) -> bool:
    """Append complete lines without the lock, after a newline if needed. A missing file is created with `mode`.

    Returns False if another process replaces the file again and again. Raises OSError, StoreError.
    """
    for number in range(_TRIES):
        if not os.path.exists(path):
            from promptx_mem.store import files

            with files.opened(path, os.O_RDWR, mode):  # creates the file
                pass
        fd = os.open(path, _FLAGS)
        try:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode):
                raise OSError(f"{path} is not a regular file")
            if number and data in os.pread(fd, status.st_size, 0):  # copied by the process that replaced the file
                return True
            torn = status.st_size > 0 and os.pread(fd, 1, status.st_size - 1) != b"\n"
            view = memoryview(b"\n" + data if torn else data)
            while view:
                view = view[os.write(fd, view) :]
            if identity(path) == (status.st_dev, status.st_ino):
                return True
        finally:
            os.close(fd)
    return False
