"""The writers' lock. Readers take none."""

import contextlib
import os
from collections.abc import Iterator

from promptx_mem.errors import BusyError, StoreError

POLL_SECONDS = 0.005
WAIT_SECONDS = 10.0


class Lock:
    """Held by one writer at a time; `still_ours` asks whether the lock file is still the one at its path."""

    def __init__(self, path: str, mode: int) -> None:
        self._path = path
        self._mode = mode
        self._held: tuple[int, int] | None = None

    @contextlib.contextmanager
    def hold(self, wait: float = WAIT_SECONDS) -> Iterator[None]:
        """Hold the lock, waiting at most `wait` seconds. Raises BusyError, or StoreError where nothing can lock."""
        from filelock import FileLock, Timeout

        lock = FileLock(
            self._path,
            timeout=wait,
            mode=self._mode,
            poll_interval=POLL_SECONDS,
            fallback_to_soft=False,
            preserve_lock_file=True,
        )
        try:
            lock.acquire()
        except Timeout:
            raise BusyError(
                f"another process has held the store for {wait:g} s; nothing was written", hint="try again"
            ) from None
        except NotImplementedError:
            raise StoreError(
                "this file system has no locks, so writing to it would not be safe",
                hint="keep the store on a local disk (--memory-dir)",
                code="no_locks",
            ) from None
        try:
            self._held = self._identity()
            yield
        finally:
            self._held = None
            lock.release()

    def still_ours(self) -> bool:
        """False when someone removed or replaced the lock file, so that another writer may hold a new one."""
        return self._held is not None and self._held == self._identity()

    def _identity(self) -> tuple[int, int] | None:
        try:
            status = os.stat(self._path)
        except FileNotFoundError:
            return None
        return status.st_dev, status.st_ino
