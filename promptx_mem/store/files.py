"""Raw file operations: whole writes, real syncs, no link followed inside a store, regular files only.

Buffered files retry a failed write when they are closed, so only `os` calls are made here.
"""

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence

from promptx_mem.errors import StoreError
from promptx_mem.store import inside
from promptx_mem.store.inside import Path

TEMPORARY = ".tmp"
"""Ends the name of a file that is not in its place yet; it begins with a dot."""

MAX_INFLATED = 1 << 28
"""Bytes that a gzipped file may hold: many times what a full store puts into one. What holds more is a bomb."""

_RACES = 5
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FLAGS = os.O_CLOEXEC | _NO_LINK
for _name in ("O_NONBLOCK", "O_NOCTTY", "O_BINARY"):
    _FLAGS |= getattr(os, _name, 0)


def occupy_standard_descriptors() -> None:
    """Open fds 0-2 on the null device where they are closed, so that no store file ever gets one of them."""
    while True:
        fd = os.open(os.devnull, os.O_RDWR)
        if fd > 2:
            os.close(fd)
            return


@contextlib.contextmanager
def opened(path: Path, flags: int, mode: int = 0o600) -> Iterator[int]:
    """Open a regular file for writing, with O_RDWR also a new one; `mode` holds for that whatever the umask.

    Raises StoreError where the path is something else, OSError where it cannot be opened.
    """
    with inside.reached(path) as (name, folder):
        try:
            fd = _open(name, folder, flags, mode)
        except OSError as error:
            raise inside.explained(path, error, stat.S_ISREG) from error
        try:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise inside.blocked(path)
            yield fd
        finally:
            with contextlib.suppress(OSError):  # what is to last has been synced before, and an error was raised then
                os.close(fd)


def _open(name: str, folder: int | None, flags: int, mode: int) -> int:
    for _ in range(_RACES):
        try:
            return os.open(name, flags | _FLAGS, dir_fd=folder)
        except FileNotFoundError:
            if not flags & os.O_RDWR:
                raise
        with contextlib.suppress(FileExistsError):  # another process was first
            return _create(name, folder, flags, mode)
    return os.open(name, flags | _FLAGS, dir_fd=folder)


def _create(name: str, folder: int | None, flags: int, mode: int) -> int:
    with _owner_may():
        fd = os.open(name, flags | os.O_CREAT | os.O_EXCL | _FLAGS, 0o600, dir_fd=folder)
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


def read(path: Path, start: int = 0, size: int | None = None) -> bytes | None:
    """The bytes of a store's file from `start` on, None where there is none: a link, a pipe or a folder is none."""
    try:
        return load(path, start, size)
    except (FileNotFoundError, StoreError):
        return None


def load(path: Path, start: int = 0, size: int | None = None, *, follow: bool = False) -> bytes:
    """The bytes of a regular file from `start` on. Never blocks on a pipe. `follow` links: for what is in no store.

    Raises FileNotFoundError where there is none, StoreError where something else is in its place.
    """
    with inside.reached(path) as (name, folder):
        try:
            fd = os.open(name, os.O_RDONLY | (_FLAGS & ~_NO_LINK if follow else _FLAGS), dir_fd=folder)
        except OSError as error:
            raise inside.explained(path, error, stat.S_ISREG) from error
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise inside.blocked(path)
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


def read_pieces(path: Path, places: Sequence[tuple[int, int]]) -> list[bytes]:
    """The bytes between each two places of a store's file, which is opened once; empty where there is none."""
    if not places:
        return []
    with contextlib.suppress(FileNotFoundError, StoreError), opened(path, os.O_RDONLY) as fd:
        return [os.pread(fd, stop - start, start) for start, stop in places]
    return [b""] * len(places)


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


def sync_directory(path: Path) -> None:
    """Make a new or renamed name in a directory durable."""
    if os.name == "nt":
        return
    with inside.opened_folder(path) as folder:
        if isinstance(folder, int):
            _sync_names(folder)
            return
        fd = os.open(folder, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_DIRECTORY", 0))
        try:
            _sync_names(fd)
        finally:
            os.close(fd)


def _sync_names(fd: int) -> None:
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # network file systems that sync names by themselves
            raise


def make_directory(path: Path, mode: int) -> None:
    """Make a directory durably, with `mode` whatever the umask; one that is there stays as it is.

    Raises StoreError where something else has the name, also a link: none is followed.
    """
    with inside.reached(path) as (name, folder):
        try:
            with _owner_may():
                os.mkdir(name, 0o700, dir_fd=folder)
        except FileExistsError:
            if not stat.S_ISDIR(os.lstat(name, dir_fd=folder).st_mode):
                raise inside.blocked(path) from None
            return
        if mode != 0o700:
            with contextlib.suppress(OSError):
                fd = os.open(name, inside.FOLDER, dir_fd=folder)
                try:
                    os.fchmod(fd, mode)
                finally:
                    os.close(fd)
        if folder is None:
            sync_directory(os.path.dirname(name))
        else:
            _sync_names(folder)


def replace(
    path: Path, data: bytes, mode: int, *, durable: bool = False, check: Callable[[], None] | None = None
) -> None:
    """Replace a file whole: a temporary file beside it, then a rename. `durable` syncs the file and its directory.

    `check` is called just before the rename; what it raises leaves everything as it was. Raises StoreError where
    something else than a file has the name, also a link, which would be lost.
    """
    with inside.reached(path) as (name, folder):
        with contextlib.suppress(FileNotFoundError):
            if not stat.S_ISREG(os.lstat(name, dir_fd=folder).st_mode):
                raise inside.blocked(path)
        parent, base = os.path.split(name)
        # Not the process number: two containers that share a volume have the same ones. Shorter than names may be.
        temporary = os.path.join(parent, f".{base[:50]}.{os.urandom(6).hex()}{TEMPORARY}")
        fd = _create(temporary, folder, os.O_WRONLY, mode)
        try:
            try:
                write_all(fd, data)
                if durable:
                    sync(fd)
            finally:
                os.close(fd)
            if check is not None:
                check()
            os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary, dir_fd=folder)
            raise
        if durable and folder is not None:
            _sync_names(folder)
        elif durable:
            sync_directory(parent)


def unlink(path: Path) -> None:
    """Remove a name; of a link the link itself. Raises FileNotFoundError, StoreError."""
    with inside.reached(path) as (name, folder):
        os.unlink(name, dir_fd=folder)


def names(folder: Path) -> list[str]:
    """The names in a folder; none where there is no such folder, or something else in its place."""
    try:
        with inside.opened_folder(folder) as place:
            return os.listdir(place)
    except (FileNotFoundError, NotADirectoryError, StoreError):
        return []


def status(path: Path) -> os.stat_result | None:
    """What is at a path, a link itself; None where there is nothing, or no folder on the way."""
    try:
        with inside.reached(path) as (name, folder):
            return os.lstat(name, dir_fd=folder)
    except (FileNotFoundError, StoreError):
        return None


Identity = tuple[int, int, int, int]
"""Device, inode, size and mtime (ns) of a file."""


def identity(path: Path) -> Identity | None:
    """What the file at a path is now; None where there is none, or something else in its place."""
    now = status(path)
    return None if now is None or not stat.S_ISREG(now.st_mode) else _identity(now)


def identities(folder: Path) -> dict[str, Identity]:
    """What each file in a folder is now, by name; none where there is no such folder."""
    out = {}
    try:
        with inside.opened_folder(folder) as place:
            for name in os.listdir(place):
                target, base = (name, place) if isinstance(place, int) else (os.path.join(place, name), None)
                try:
                    now = os.lstat(target, dir_fd=base)
                except FileNotFoundError:
                    continue
                if stat.S_ISREG(now.st_mode):
                    out[name] = now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns
    except (FileNotFoundError, NotADirectoryError, StoreError):
        return {}
    return out


def identity_of(fd: int) -> Identity:
    return _identity(os.fstat(fd))


def _identity(status: os.stat_result) -> Identity:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
