"""The writers' lock. Readers take none."""

import contextlib
import errno
import os
import time
from _thread import allocate_lock, start_new_thread
from collections.abc import Callable, Iterator

from promptx_mem.errors import BusyError, StoreError
from promptx_mem.store import files

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

LOOK_SECONDS = 0.02
"""How often a waiter looks whether the lock file is still the one at its path."""

POLL_SECONDS = 0.005
"""How often a waiter tries where the system has no queue for it."""

WAIT_SECONDS = 10.0
_NO_LOCKS = (errno.ENOSYS, errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL)

_held_here: set[str] = set()


def is_held(path: str) -> bool:
    """Whether this process holds the lock at a path."""
    return path in _held_here


class Lock:
    """Held by one writer at a time; `still_ours` asks whether the lock file is still the one at its path."""

    def __init__(self, path: str, mode: int) -> None:
        self._path = path
        self._mode = mode
        self._held: tuple[int, int] | None = None

    @contextlib.contextmanager
    def hold(self, wait: float = WAIT_SECONDS) -> Iterator[None]:
        """Hold the lock, waiting at most `wait` seconds. Raises BusyError, or StoreError where nothing can lock."""
        deadline = time.monotonic() + wait
        while True:
            with files.opened(self._path, os.O_RDWR, self._mode) as fd:
                if not self._acquire(fd, deadline):  # it was replaced while we waited
                    _check_time(deadline)
                    continue
                try:
                    _held_here.add(self._path)
                    yield
                finally:
                    _held_here.discard(self._path)
                    self._held = None
                    _release(fd)
                return

    def still_ours(self) -> bool:
        """False when someone removed or replaced the lock file, so that another writer may hold a new one."""
        return self._held is not None and self._held == self._named()

    def _acquire(self, fd: int, deadline: float) -> bool:
        """Lock this file; False where it is not the one at the path any more. The file is never unlinked by us."""
        status = os.fstat(fd)
        identity = status.st_dev, status.st_ino
        wait: Callable[[], object] | None = None
        while not _try_lock(fd):
            if self._named() != identity:
                return False
            _check_time(deadline)
            wait = wait or _queue(fd)
            wait()
        if self._named() != identity:
            return False
        self._held = identity
        return True

    def _named(self) -> tuple[int, int] | None:
        try:
            status = os.lstat(self._path)
        except FileNotFoundError:
            return None
        return status.st_dev, status.st_ino


def _check_time(deadline: float) -> None:
    if time.monotonic() >= deadline:
        raise BusyError("another process holds the store; nothing was written", hint="try again")


def _try_lock(fd: int) -> bool:
    try:
        return _take(fd)
    except OSError as error:
        if error.errno in _NO_LOCKS:
            raise StoreError(
                "this file system has no locks, so writing to it would not be safe",
                hint="keep the store on a local disk (--memory-dir)",
                code="no_locks",
            ) from error
        raise


def _take(fd: int) -> bool:
    """Try once. Where there is `flock`, filelock makes this one call; to load it takes longer than the whole write."""
    if fcntl is None:
        from filelock import lock_descriptor

        return lock_descriptor(fd, blocking=False)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EAGAIN):
            return False
        raise
    return True


def _queue(fd: int) -> Callable[[], object]:
    """Stand in the system's queue for the lock; the function returned waits a moment for one's turn.

    Who polls may be passed by others ten times over; the queue serves in order. A thread stands there, so that the
    wait has an end: it has a descriptor of its own, and if its turn comes too late it closes that, which lets go.
    """
    if fcntl is None:
        return lambda: time.sleep(POLL_SECONDS)
    own = os.dup(fd)
    waiting = allocate_lock()
    waiting.acquire()

    def stand() -> None:
        try:
            with contextlib.suppress(OSError):  # then the waiter polls
                fcntl.flock(own, fcntl.LOCK_EX)
        finally:
            os.close(own)
            waiting.release()

    start_new_thread(stand, ())
    return lambda: waiting.acquire(timeout=LOOK_SECONDS)


def _release(fd: int) -> None:
    with contextlib.suppress(OSError):  # closing the file lets go of it too
        if fcntl is None:
            from filelock import unlock_descriptor

            unlock_descriptor(fd)
        else:
            fcntl.flock(fd, fcntl.LOCK_UN)
