"""Which stores were made or trusted here: a file of the user's, outside of every project.

A line is the store's device, inode, mark and path. The mark, drawn when the line is written, lies in the store's `.own`
as well, which no clone holds: else a directory in the place of a removed one, of the same inode, would pass for it.
"""

import os
import stat
from collections.abc import Iterator

from promptx_mem.errors import StoreError
from promptx_mem.places import is_trusted, state_folder
from promptx_mem.store import files
from promptx_mem.store.layout import Layout

MAX_BYTES = 512 * 1024
"""Of the file; a longer one is halved by the next note, and only its end is read."""

_MARK_BYTES = 16
_MAX_OWN = 4 * 1024
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_APPEND = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def path() -> str | None:
    """Return the path of the notes, in the user's state folder; None without a home."""
    folder = state_folder()
    return folder and os.path.join(folder, "stores")


def folder() -> str | None:
    """Return the user's directory that they lie in, made where it is missing; None where there is none."""
    try:
        notes = path()
        return os.path.dirname(notes) if notes is not None and _make(os.path.dirname(notes)) else None
    except OSError:
        return None


def is_noted(where: Layout) -> bool:
    """Whether this very directory was made or trusted here."""
    try:
        notes = frozenset(_notes())
        return any(_note(where.root, mark) in notes for mark in _marks(where)) if notes else False
    except (OSError, StoreError, ValueError):
        return False


def note(where: Layout) -> bool:
    """Note a store as made or trusted here; False where that cannot be kept."""
    mark = os.urandom(_MARK_BYTES).hex().encode()
    try:
        notes = path()
        if notes is None or not _make(os.path.dirname(notes)):
            return False
        with files.opened(where.own, os.O_RDWR | os.O_APPEND, where.mode) as fd:
            if os.fstat(fd).st_size > _MAX_OWN // 2:
                os.ftruncate(fd, 0)
            os.write(fd, b"\n" + mark + b"\n")
        _append(notes, _note(where.root, mark))
    except (OSError, StoreError, ValueError):
        return False
    return True


def _note(root: str, mark: bytes) -> bytes:
    real = os.path.realpath(root)
    status = os.stat(real)
    path = os.fsencode(real).replace(b"%", b"%25").replace(b"\n", b"%0A")
    return b"%d %d %s %s" % (status.st_dev, status.st_ino, mark, path)


def _marks(where: Layout) -> list[bytes]:
    """Return the marks that a store holds; several users may have trusted it, and a clone may hold what it likes."""
    lines = (files.read(where.own, 0, _MAX_OWN) or b"").split(b"\n")
    return [line for line in lines if len(line) == 2 * _MARK_BYTES and line.isalnum()]


def _notes() -> Iterator[bytes]:
    """Yield the notes of a file that only the user can have written."""
    notes = path()
    if notes is None:
        return
    fd = os.open(notes, _READ)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or not is_trusted(status) or status.st_mode & 0o022:
            return
        yield from _tail(fd, status.st_size, MAX_BYTES).split(b"\n")
    finally:
        os.close(fd)


def _tail(fd: int, size: int, most: int) -> bytes:
    """Return the last bytes of a file, from the beginning of a line on."""
    if size <= most:
        return os.pread(fd, most, 0)
    return os.pread(fd, most, size - most).partition(b"\n")[2]


def _append(notes: str, line: bytes) -> None:
    """Add a line in one write, so that others who do the same harm nothing. Raises OSError."""
    fd = os.open(notes, _APPEND, 0o600)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or not is_trusted(status):
            raise PermissionError(f"{notes} is no file of the user's")
        if status.st_size > MAX_BYTES:
            files.replace(notes, _tail(fd, status.st_size, MAX_BYTES // 2) + line + b"\n", 0o600)
            return
        # A newline first: the line before may have been cut short.
        os.write(fd, b"\n" + line + b"\n")
    finally:
        os.close(fd)


def _make(folder: str) -> bool:
    """Make the directory for the notes, private; False where it would lie in somebody else's, as root's with sudo."""
    missing = []
    while not os.path.isdir(folder):
        missing.append(folder)
        parent = os.path.dirname(folder)
        if parent == folder:
            return False
        folder = parent
    if hasattr(os, "geteuid") and os.stat(folder).st_uid != os.geteuid():
        return False
    for directory in reversed(missing):
        try:
            os.mkdir(directory, 0o700)
        except FileExistsError:  # another command has made it meanwhile
            continue
    return True
