"""Durable appends: on return the bytes are on the disk, whole; after a crash they are there whole or not at all.

The order of the steps is in docs/file-format.md.
"""

import contextlib
import os
from collections.abc import Callable

from promptx_mem.errors import BusyError
from promptx_mem.store import files, intent, recent
from promptx_mem.store.files import Identity
from promptx_mem.store.intent import Intent
from promptx_mem.store.layout import Layout
from promptx_mem.store.lock import Lock

_REPLACED_TRIES = 3
_READ_TRIES = 5


class LockLostError(Exception):
    """The lock file was removed or replaced before anything was written; the work starts again."""


def append(layout: Layout, lock: Lock, path: str, data: bytes, *, header: bytes = b"") -> list[Identity]:
    """Append `data`, whole lines, under the lock; `header` goes first into a new file.

    Returns what the file was before and after, if nothing but this append lies between the two.

    Raises OSError where the disk refuses; then nothing of `data` stays. LockLostError where somebody removed the
    lock file before anything was written.
    """
    settle(layout)
    return put(layout, path, data, header=header, allowed=lock.still_ours)


def put(
    layout: Layout, path: str, data: bytes, *, header: bytes = b"", allowed: Callable[[], bool] = lambda: True
) -> list[Identity]:
    """Append to a settled file, as `append` does; `allowed` is asked just before the bytes are written."""
    for attempt in range(_REPLACED_TRIES):
        with files.opened(path, os.O_RDWR | os.O_APPEND, layout.mode) as fd:
            before = files.identity_of(fd)
            size = before[2]
            changes: list[Identity] = []
            if attempt and _holds(fd, size, data):  # whoever replaced the file had read ours
                files.sync(fd)
                files.sync_directory(layout.root)
                break
            full = _with_guard(fd, size, header, data)
            intent.write(layout, Intent(os.path.basename(path), size, full))
            if size == 0:
                files.sync_directory(layout.root)
            if not allowed():
                raise LockLostError
            end = _write(layout, fd, size, full)
            if not _stands_alone(path, fd, end, full):
                continue
            _sync(fd, size, full)
            try:
                stands = _is_whole(fd, end, full) and is_still(path, fd)
            except OSError:  # it is on the disk, and cannot be looked at: that undoes nothing
                break
            if stands:
                changes = [before, files.identity_of(fd)] if end == size + len(full) else []
                break
    else:
        raise BusyError(f"{os.path.basename(path)} is being replaced again and again by another program")
    recent.note(layout, os.path.basename(path), data)
    intent.clear(layout)
    return changes


def settle(layout: Layout) -> None:
    """Cut off what an interrupted append left: it was never acknowledged. Raises OSError where that fails."""
    pending = intent.read(layout)
    if pending is None:
        return
    path = os.path.join(layout.root, pending.name)
    data = files.read(path)
    if data is not None:
        cut = intent.torn_from(data, 0, pending)
        with files.opened(path, os.O_WRONLY) as fd:
            if cut is not None:
                os.ftruncate(fd, cut)
            files.sync(fd)  # also when nothing is cut: an append that failed may have been taken back unsynced
    intent.clear(layout)


def read_settled(layout: Layout, path: str, start: int = 0) -> bytes:
    """A store file's bytes from `start` on as every reader sees them: a torn tail is skipped, not cut off."""
    data = b""
    for _ in range(_READ_TRIES):
        data = files.read(path, start) or b""
        if not data or (data.endswith(b"\n") and b"\0" not in data):  # a power cut may leave NULs and then a line's end
            break
        pending = None
        with contextlib.suppress(PermissionError):  # a reader may have less than the writers
            pending = intent.read(layout)
        if pending is not None and pending.name == os.path.basename(path):
            cut = intent.torn_from(data, start, pending)
            if cut is not None:
                return data[:cut]
        now = files.identity(path)
        if now is not None and now[2] == start + len(data):
            break  # otherwise a writer has finished since, and what was read may be half of its line
    return data


def take_back(fd: int, size: int, full: bytes) -> bool:
    """Truncate what we wrote of `full` at `size`, unless someone else has appended; says whether none of it is left."""
    length = os.fstat(fd).st_size - size
    if length == 0:
        return True
    if 0 < length <= len(full) and os.pread(fd, length, size) == full[:length]:
        os.ftruncate(fd, size)
        return True
    return False


def _with_guard(fd: int, size: int, header: bytes, data: bytes) -> bytes:
    if size == 0:
        return header + data
    return data if os.pread(fd, 1, size - 1) == b"\n" else b"\n" + data


def _write(layout: Layout, fd: int, size: int, full: bytes) -> int:
    """Write all of it; returns the offset where it ends."""
    try:
        files.write_all(fd, full)
        return os.lseek(fd, 0, os.SEEK_CUR)
    except BaseException:
        with contextlib.suppress(OSError):
            if take_back(fd, size, full):
                files.sync(fd)
                intent.clear(layout)
        raise


def _sync(fd: int, size: int, full: bytes) -> None:
    try:
        files.sync(fd)
    except BaseException:
        with contextlib.suppress(OSError):  # the intent stays: no later sync of this file can be trusted
            take_back(fd, size, full)
        raise


def _stands_alone(path: str, fd: int, end: int, full: bytes) -> bool:
    """Whether our bytes begin on a line of their own; else they are taken out again.

    Somebody may have typed between our look at the file's end and our write.
    """
    start = end - len(full)
    try:
        if not _is_whole(fd, end, full):
            return False
        if start == 0 or full.startswith(b"\n") or os.pread(fd, 1, start - 1) == b"\n":
            return True
    except OSError:  # who cannot read back has no reason to doubt what was written
        return True
    if os.fstat(fd).st_size == end:
        os.ftruncate(fd, start)
    elif is_still(path, fd):
        with files.opened(path, os.O_WRONLY) as handle:  # behind ours stands more: blank ours
            os.lseek(handle, start, os.SEEK_SET)
            files.write_all(handle, b" " * (len(full) - 1) + b"\n")
    return False


def _is_whole(fd: int, end: int, full: bytes) -> bool:
    """Whether our bytes are there: an editor may have emptied the file in the meantime."""
    return end >= len(full) and os.pread(fd, len(full), end - len(full)) == full


def _holds(fd: int, size: int, data: bytes) -> bool:
    return b"\n" + data in b"\n" + os.pread(fd, size, 0)


def is_still(path: str, fd: int) -> bool:
    """Whether a path still names the file that was opened."""
    opened = os.fstat(fd)
    try:
        now = os.lstat(path)
    except FileNotFoundError:
        return False
    return (now.st_dev, now.st_ino) == (opened.st_dev, opened.st_ino)
