"""Durable appends. On return, all bytes are on the disk. After a crash, no incomplete line is read as a memory.

The order of the steps is in docs/file-format.md.
"""

import contextlib
import errno
import fcntl
import os
import time
from _thread import allocate_lock, start_new_thread
from collections.abc import Callable, Iterator

from promptx_mem.errors import BusyError, StoreError
from promptx_mem.store import disk, files, intent
from promptx_mem.store.files import Identity
from promptx_mem.store.intent import Intent
from promptx_mem.store.layout import Layout

LOOK_SECONDS = 0.02
"""Seconds to wait for the lock before the next check that the lock file was not replaced."""

WAIT_SECONDS = 10.0
_NO_LOCKS = (errno.ENOSYS, errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL)

_held_here: set[str] = set()


def is_held(path: str) -> bool:
    """Return whether this process holds the lock at a path."""
    return path in _held_here


class Lock:
    """A lock file that only one process can hold at a time."""

    def __init__(self, path: str, mode: int) -> None:
        self._path = path
        self._mode = mode
        self._held: tuple[int, int] | None = None

    @contextlib.contextmanager
    def hold(self, wait: float = WAIT_SECONDS) -> Iterator[None]:
        """Hold the lock, after waiting at most `wait` seconds for it.

        Raises BusyError if another process still holds it, StoreError if the file system has no locks.
        """
        deadline = time.monotonic() + wait
        while True:
            with files.opened(self._path, os.O_RDWR, self._mode) as fd:
                if not self._acquire(fd, deadline):  # the file was replaced while we waited
                    _check_time(deadline)
                    continue
                try:
                    _held_here.add(self._path)
                    yield
                finally:
                    _held_here.discard(self._path)
                    self._held = None
                    with contextlib.suppress(OSError):  # closing the file also releases the lock
                        fcntl.flock(fd, fcntl.LOCK_UN)
                return

    def still_ours(self) -> bool:
        """Return whether the path still leads to the locked file. If not, another writer can lock a new file."""
        return self._held is not None and self._held == self._named()

    def _acquire(self, fd: int, deadline: float) -> bool:
        """Lock the opened file. Return False if the path no longer leads to it. Raises BusyError, StoreError."""
        opened = files.identity_of(os.fstat(fd))[:2]
        wait: Callable[[], object] | None = None
        while not _try_lock(fd):
            if self._named() != opened:
                return False
            _check_time(deadline)
            wait = wait or _queue(fd)
            wait()
        if self._named() != opened:
            return False
        self._held = opened
        return True

    def _named(self) -> tuple[int, int] | None:
        found = files.identity(self._path)
        return found and found[:2]


def _check_time(deadline: float) -> None:
    if time.monotonic() >= deadline:
        raise BusyError("another process is writing to the store; nothing was written", hint="try again")


def _try_lock(fd: int) -> bool:
    """Lock the file, or return False if another process holds the lock. Raises StoreError.

    This is compatible with the package filelock, whose import takes longer than a write.
    """
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EAGAIN):
            return False
        if error.errno in _NO_LOCKS:
            raise StoreError(
                "this file system has no locks, so writing to it would not be safe",
                hint="keep the store on a local disk (--memory-dir)",
                code="no_locks",
            ) from error
        raise
    return True


def _queue(fd: int) -> Callable[[], object]:
    """Enter the system's queue for the lock, and return a function that waits at most LOOK_SECONDS.

    Unlike polling, the queue serves writers in order. A thread waits with a duplicate of the descriptor. If the thread
    gets the lock after the caller has given up, the thread closes the duplicate. This releases the lock.
    """
    own = os.dup(fd)
    waiting = allocate_lock()
    waiting.acquire()

    def wait_in_queue() -> None:
        try:
            with contextlib.suppress(OSError):  # after an error the caller polls
                fcntl.flock(own, fcntl.LOCK_EX)
        finally:
            os.close(own)
            waiting.release()

    start_new_thread(wait_in_queue, ())
    return lambda: waiting.acquire(timeout=LOOK_SECONDS)


_REPLACED_TRIES = 3
_READ_TRIES = 5


class LockLostError(Exception):
    """The lock file was removed or replaced before a write. The caller retries the operation."""


def append_settled(
    layout: Layout, path: str, data: bytes, *, header: bytes = b"", allowed: Callable[[], bool] = lambda: True
) -> list[Identity]:
    """Append complete lines (`data`) while the lock is held. An empty file begins with `header`.

    The caller has called `finish_interrupted`. Returns the file's identities before and after the append; an empty list
    if another program also changed the file.

    Raises OSError if the disk is full or fails; `data` is removed if possible. Raises LockLostError if `allowed()` is
    False before the write, BusyError if another program keeps replacing the file.
    """
    for attempt in range(_REPLACED_TRIES):
        with files.opened(path, os.O_RDWR | os.O_APPEND, layout.mode) as fd:
            before = files.identity_of(os.fstat(fd))
            size = before[2]
            changes: list[Identity] = []
            if attempt and b"\n" + data in b"\n" + os.pread(fd, size, 0):  # the file was replaced by one with our bytes
                disk.sync(fd)
                disk.sync_directory(layout.root)
                break
            full = disk.guard(fd, size) + (data if size else header + data)
            intent.write(layout, Intent(os.path.basename(path), size, full))
            if size == 0:
                disk.sync_directory(layout.root)
            if not allowed():
                raise LockLostError
            end = _write(layout, fd, size, full)
            if not _starts_line(path, fd, end, full):
                continue
            _sync(fd, size, full)
            try:
                stands = _is_whole(fd, end, full) and files.is_still(path, fd)
            except OSError:  # the bytes are on the disk, even if they cannot be read back
                break
            if stands:
                changes = [before, files.identity_of(os.fstat(fd))] if end == size + len(full) else []
                break
    else:
        raise BusyError(f"another program keeps replacing {os.path.basename(path)}", hint="stop it, then try again")
    intent.note_recent(layout, os.path.basename(path), data)
    intent.clear(layout)
    return changes


def finish_interrupted(layout: Layout) -> None:
    """Cut off the incomplete end of an interrupted append. Raises OSError.

    The command that was interrupted never reported success.
    """
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
            disk.sync(fd)  # even if nothing is cut: a failed append could have been undone without a sync
    intent.clear(layout)


def read_settled(layout: Layout, path: str, start: int = 0) -> bytes:
    """Return the bytes of a store's file from `start`, without an append's incomplete end; empty if it is missing."""
    data = b""
    for _ in range(_READ_TRIES):
        data = files.read(path, start) or b""
        if not data or (data.endswith(b"\n") and b"\0" not in data):  # a power cut can leave NULs and then a newline
            break
        pending = None
        with contextlib.suppress(PermissionError):  # a reader can have fewer permissions
            pending = intent.read(layout)
        if pending is not None and pending.name == os.path.basename(path):
            cut = intent.torn_from(data, start, pending)
            if cut is not None:
                return data[:cut]
        now = files.identity(path)
        if now is not None and now[2] == start + len(data):
            break  # otherwise a writer has just finished, and the bytes read can contain half of its line
    return data


def _write(layout: Layout, fd: int, size: int, full: bytes) -> int:
    """Write all bytes. Return the file's offset after them."""
    try:
        files.write_all(fd, full)
        return os.lseek(fd, 0, os.SEEK_CUR)
    except BaseException:
        with contextlib.suppress(OSError):
            if disk.take_back(fd, size, full):
                disk.sync(fd)
                intent.clear(layout)
        raise


def _sync(fd: int, size: int, full: bytes) -> None:
    try:
        disk.sync(fd)
    except BaseException:
        with contextlib.suppress(OSError):  # `.intent` stays, because no later sync of this file can be trusted
            disk.take_back(fd, size, full)
        raise


def _starts_line(path: str, fd: int, end: int, full: bytes) -> bool:
    """Return whether our bytes are whole and at the start of a line; True if they cannot be read.

    After another program's incomplete line, remove or blank them.
    """
    start = end - len(full)
    try:
        if not _is_whole(fd, end, full):
            return False
        if start == 0 or full.startswith(b"\n") or os.pread(fd, 1, start - 1) == b"\n":
            return True
    except OSError:  # the write succeeded, only reading back failed
        return True
    if os.fstat(fd).st_size == end:
        os.ftruncate(fd, start)
    elif files.is_still(path, fd):
        with files.opened(path, os.O_WRONLY) as handle:  # another program has appended more, so overwrite our bytes
            os.lseek(handle, start, os.SEEK_SET)
            files.write_all(handle, b" " * (len(full) - 1) + b"\n")
    return False


def _is_whole(fd: int, end: int, full: bytes) -> bool:
    """Return whether our bytes end at offset `end` of the file. An editor could have overwritten the file."""
    return end >= len(full) and os.pread(fd, len(full), end - len(full)) == full
