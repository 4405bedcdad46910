"""Appending without the writers' lock: what a hook notes must never wait for another process.

Lines go out in one write on a descriptor opened for appending, so those of two processes never mix. Whoever replaces
such a file carries over what came meanwhile, or the line is written again.
"""

import os

from promptx_mem.store import files
from promptx_mem.store.inside import Path

_TRIES = 3


def append(path: Path, data: bytes, mode: int) -> bool:
    """Append whole lines, behind a newline where the last one has none; whether they stand in the file of that name.

    Raises OSError, StoreError.
    """
    return any(_append(path, data, mode, again=number > 0) for number in range(_TRIES))


def _append(path: Path, data: bytes, mode: int, *, again: bool) -> bool:
    with files.opened(path, os.O_RDWR | os.O_APPEND, mode) as fd:
        status = os.fstat(fd)
        if again and data in os.pread(fd, status.st_size, 0):  # carried over
            return True
        torn = status.st_size > 0 and os.pread(fd, 1, status.st_size - 1) != b"\n"
        files.write_all(fd, b"\n" + data if torn else data)
        now = files.identity(path)
    return now is not None and now[:2] == (status.st_dev, status.st_ino)
