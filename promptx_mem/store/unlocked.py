"""Appends without the writers' lock: a hook's notes must never wait for another process.

Lines go out in one write on a descriptor opened for appending, so those of two processes never mix. A program that
replaces such a file carries over lines appended meanwhile, or the line is written again.
"""

import errno
import os
import stat

from promptx_mem.places import identity

TYPE_CHECKING = False  # a denial of the guard loads this module, but not the modules that `files` loads
if TYPE_CHECKING:
    from promptx_mem.store.files import Path

_TRIES = 3
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC
for _name in ("O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_BINARY"):
    _FLAGS |= getattr(os, _name, 0)


def append(path: "Path", data: bytes, mode: int) -> bool:
    """Append whole lines, after a newline if the last line has none; return whether the file of that name has them.

    Raises OSError, StoreError.
    """
    for number in range(_TRIES):
        if isinstance(path, str) and os.path.exists(path):
            fd = os.open(path, _FLAGS)
            try:
                is_there = _append(fd, path, data, again=number > 0)
            finally:
                os.close(fd)
        else:
            from promptx_mem.store import files

            with files.opened(path, os.O_RDWR | os.O_APPEND, mode) as fd:
                is_there = _append(fd, path, data, again=number > 0)
        if is_there:
            return True
    return False


def _append(fd: int, path: "Path", data: bytes, *, again: bool) -> bool:
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file")
    if again and data in os.pread(fd, status.st_size, 0):  # carried over
        return True
    torn = status.st_size > 0 and os.pread(fd, 1, status.st_size - 1) != b"\n"
    view = memoryview(b"\n" + data if torn else data)
    while view:
        view = view[os.write(fd, view) :]
    if isinstance(path, str):
        return identity(path) == (status.st_dev, status.st_ino)
    from promptx_mem.store import files

    now = files.identity(path)
    return now is not None and now[:2] == (status.st_dev, status.st_ino)
