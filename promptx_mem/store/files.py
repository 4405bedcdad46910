"""Raw file operations: whole writes, real syncs, no symlink followed for writing, regular files only.

Buffered files retry a failed write when they are closed, so only `os` calls are made here.
"""

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator

from promptx_mem.errors import StoreError

TEMPORARY = ".tmp"
"""Ends the name of a file that is not in its place yet; it begins with a dot."""

MAX_INFLATED = 1 << 28
"""Bytes that a gzipped file may hold: many times what a full store puts into one. What holds more is a bomb."""

_RACES = 5
_FLAGS = os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def occupy_standard_descriptors() -> None:
    """Open fds 0-2 on the null device where they are closed, so that no store file ever gets one of them."""
    while True:
        fd = os.open(os.devnull, os.O_RDWR)
        if fd > 2:
            os.close(fd)
            return


@contextlib.contextmanager
def opened(path: str, flags: int, mode: int = 0o600) -> Iterator[int]:
    """Open a regular file for writing, with O_RDWR also a new one; `mode` holds for that whatever the umask.

    Raises StoreError where the path is something else, OSError where it cannot be opened.
    """
    fd = _open(path, flags, mode)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise _not_regular(path)
        yield fd
    finally:
        os.close(fd)


def _open(path: str, flags: int, mode: int) -> int:
    for _ in range(_RACES):
        try:
            return os.open(path, flags | _FLAGS)
        except FileNotFoundError:
            if not flags & os.O_RDWR:
                raise
        with contextlib.suppress(FileExistsError):  # another process was first
            return _create(path, flags, mode)
    return os.open(path, flags | _FLAGS)


def _create(path: str, flags: int, mode: int) -> int:
    with _owner_may():
        fd = os.open(path, flags | os.O_CREAT | os.O_EXCL | _FLAGS, 0o600)
    if mode != 0o600:
        with contextlib.suppress(OSError):  # some file systems have no modes
            os.fchmod(fd, mode)
    return fd


@contextlib.contextmanager
def _owner_may() -> Iterator[None]:
    """Under a umask of 777 a crash before the chmod would leave a name that its owner cannot open."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def read(path: str, start: int = 0, size: int | None = None) -> bytes | None:
    """The bytes of a regular file from `start` on, None where there is none. Never blocks on a pipe."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        return None
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise _not_regular(path)
        want = max(status.st_size - start, 0) if size is None else size
        if start:
            os.lseek(fd, start, os.SEEK_SET)
        chunks = []
        while want > 0:
            chunk = os.read(fd, min(want, 1 << 24))
            if not chunk:
                break
            chunks.append(chunk)
            want -= len(chunk)
        return b"".join(chunks)
    finally:
        os.close(fd)


def write_all(fd: int, data: bytes) -> None:
    """Write every byte; short writes go on where they stopped."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def sync(fd: int) -> None:
    """Put a file's data on the disk: F_FULLFSYNC on macOS, fdatasync on Linux."""
    if sys.platform == "darwin":  # fsync there stops at the drive's cache
        import fcntl

        try:
            fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
        except OSError:
            os.fsync(fd)
    else:
        getattr(os, "fdatasync", os.fsync)(fd)


def sync_directory(path: str) -> None:
    """Make a new or renamed name in a directory durable."""
    if os.name == "nt":
        return
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_DIRECTORY", 0))
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # network file systems that sync names by themselves
            raise
    finally:
        os.close(fd)


def make_directory(path: str, mode: int) -> None:
    """Make a directory durably, with `mode` whatever the umask; one that is there stays as it is.

    Raises NotADirectoryError where something else has the name, also a link: writing follows none.
    """
    try:
        with _owner_may():
            os.mkdir(path, 0o700)
    except FileExistsError:
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path) from None
        return
    if mode != 0o700:
        with contextlib.suppress(OSError):
            os.chmod(path, mode)
    sync_directory(os.path.dirname(path))


def replace(
    path: str, data: bytes, mode: int, *, durable: bool = False, check: Callable[[], None] | None = None
) -> None:
    """Replace a file whole: a temporary file beside it, then a rename. `durable` syncs the file and its directory.

    `check` is called just before the rename; what it raises leaves everything as it was.
    """
    folder, name = os.path.split(path)
    # Not the process number: two containers that share a volume have the same ones.
    temporary = os.path.join(folder, f".{name}.{os.urandom(6).hex()}{TEMPORARY}")
    fd = _create(temporary, os.O_WRONLY, mode)
    try:
        try:
            write_all(fd, data)
            if durable:
                sync(fd)
        finally:
            os.close(fd)
        if check is not None:
            check()
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    if durable:
        sync_directory(folder)


Identity = tuple[int, int, int, int]
"""Device, inode, size and mtime (ns) of a file."""


def identity(path: str) -> Identity | None:
    """What the file at a path is now; None where there is none."""
    try:
        return _identity(os.stat(path))
    except FileNotFoundError:
        return None


def identity_of(fd: int) -> Identity:
    return _identity(os.fstat(fd))


def _identity(status: os.stat_result) -> Identity:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _not_regular(path: str) -> StoreError:
    return StoreError(
        f"{os.path.basename(path)} is not a regular file", hint=f"move it away: {path}", code="not_regular"
    )
