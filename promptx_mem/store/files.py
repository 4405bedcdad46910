"""Basic file operations: complete writes, and only on regular files. Links inside a store are not followed.

Only functions of `os` are used, because Python's buffered files retry a failed write when they are closed.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator

from promptx_mem.errors import StoreError
from promptx_mem.record import NamedTuple

_ANY_FOLDER = os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY
FOLDER = _ANY_FOLDER | os.O_NOFOLLOW
"""Flags that open a folder, but not a link to a folder."""

_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
_WRONG_KIND = (errno.ELOOP, errno.EMLINK, errno.ENXIO, errno.EISDIR, errno.ENOTDIR, errno.EOPNOTSUPP, errno.ENODEV)
"""Errors on opening a path that is not a file: a link, socket, device, directory, or pipe without a reader."""


class StorePath(NamedTuple):
    """A path below a store's root, split into names. It is opened folder by folder, without following links."""

    root: str
    names: tuple[str, ...]

    def __truediv__(self, name: str) -> "StorePath":
        """Return the path of a name in this folder. Raises StoreError if the name is empty or is a path."""
        if name in ("", ".", "..") or "/" in name or os.sep in name or "\0" in name:
            raise StoreError(f"{name[:40]!r} is not a valid file name", code="not_regular")
        return StorePath(self.root, (*self.names, name))

    def __str__(self) -> str:
        return os.path.join(self.root, *self.names)


Path = str | StorePath
"""A path: a `StorePath` for a name below a store's root that is opened folder by folder, otherwise a string."""


@contextlib.contextmanager
def opened_parent(path: Path) -> Iterator[tuple[str, int | None]]:
    """Yield arguments for `os`: a name and its folder's descriptor; for a string or in the root, the path and None.

    Raises FileNotFoundError if a folder is missing, StoreError if it is not a folder.
    """
    if isinstance(path, str) or len(path.names) == 1:
        yield str(path), None
        return
    with opened_folder(StorePath(path.root, path.names[:-1])) as folder:
        yield path.names[-1], folder


@contextlib.contextmanager
def opened_folder(path: Path) -> Iterator[int]:
    """Open a folder, and yield its descriptor. A link is followed only if `path` is a string."""
    fd = os.open(path, _ANY_FOLDER) if isinstance(path, str) else _open(path)
    try:
        yield fd
    finally:
        os.close(fd)


def _open(path: StorePath) -> int:
    outer = None
    for number, name in enumerate((os.path.join(path.root, path.names[0]), *path.names[1:]), 1):
        try:
            fd = os.open(name, FOLDER, dir_fd=outer)
        except OSError as error:
            raise _explained(StorePath(path.root, path.names[:number]), error, stat.S_ISDIR) from error
        finally:
            if outer is not None:
                os.close(outer)
        outer = fd
    return fd


def _explained(path: Path, error: OSError, predicate: Callable[[int], bool]) -> Exception:
    """Return the error, or `wrong_kind` if the file has the wrong kind. `predicate` tests a mode for the right kind."""
    is_foreign = error.errno in _WRONG_KIND
    if error.errno == errno.EACCES:  # for example a device on a `nodev` file system
        with contextlib.suppress(OSError):
            is_foreign = not predicate(os.lstat(str(path)).st_mode)
    return wrong_kind(path) if is_foreign else error


def wrong_kind(path: Path) -> StoreError:
    """Return the error for a file of the wrong kind. Its hint contains the command of `remedy`."""
    from promptx_mem.core.text import shorten

    while isinstance(path, str) and os.path.dirname(path) and not os.path.lexists(path):  # a parent is a file
        path = os.path.dirname(path)
    name = shorten(os.path.basename(path) if isinstance(path, str) else "/".join(path.names), 60)
    fix, command = remedy(path)
    target = link_target(str(path))
    if target is None:
        kind = "directory" if os.path.isfile(str(path)) else "regular file"
        return StoreError(f"{name} is not a {kind}", hint=f"{fix}: {command}", code="not_regular")
    message = f"{name} is a symbolic link (to {shorten(target, 60)}) and is not followed"
    return StoreError(message, hint=f"{fix}: {command}", code="link")


def remedy(path: Path) -> tuple[str, str]:
    """Return the way to move a file of the wrong kind away, or to replace a link: in words, and as a command."""
    from promptx_mem.core.shell import quote

    place = quote(str(path))
    if link_target(str(path)) is None:
        return "move it away", f"mv {place} {quote(_beside(str(path), 'old'))}"
    copy = quote(_beside(str(path), "tmp"))
    return (
        "remove the link; or, if you trust the file that it points to, replace the link with a copy",
        f"cp -RL {place} {copy} && rm {place} && mv {copy} {place}",
    )


def link_target(path: str) -> str | None:
    """Return the target of a link; None for any other file."""
    try:
        return os.readlink(path)
    except OSError:
        return None


def _beside(path: str, kind: str) -> str:
    """Return the path of a new hidden file with a random name in the same folder. `kind` is its suffix."""
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name.lstrip('.')}.{os.urandom(6).hex()}.{kind}")


_RACES = 5


def occupy_standard_descriptors() -> None:
    """Open the null device for each closed descriptor among 0-2, so that no file of a store gets these numbers."""
    while True:
        fd = os.open(os.devnull, os.O_RDWR)
        if fd > 2:
            os.close(fd)
            return


@contextlib.contextmanager
def opened(path: Path, flags: int, mode: int = 0o600) -> Iterator[int]:
    """Open a regular file, and yield its descriptor. With O_RDWR, create a missing file with exactly this `mode`.

    Raises StoreError if the path is another kind of file, OSError if it cannot be opened.
    """
    with _opened(path, flags | _FLAGS, mode) as (fd, _):
        yield fd


@contextlib.contextmanager
def _opened(path: Path, flags: int, mode: int = 0o600) -> Iterator[tuple[int, os.stat_result]]:
    with opened_parent(path) as (name, folder):
        try:
            fd = _open_at(name, folder, flags, mode)
        except OSError as error:
            raise _explained(path, error, stat.S_ISREG) from error
        try:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode):
                raise wrong_kind(path)
            yield fd, status
        finally:
            with contextlib.suppress(OSError):  # no data is lost: a durable write has synced the file
                os.close(fd)


def _open_at(name: str, folder: int | None, flags: int, mode: int) -> int:
    for _ in range(_RACES):
        try:
            return os.open(name, flags, dir_fd=folder)
        except FileNotFoundError:
            if not flags & os.O_RDWR:
                raise
        with contextlib.suppress(FileExistsError):  # another process was first
            return create(name, folder, flags, mode)
    return os.open(name, flags, dir_fd=folder)


def create(name: str, folder: int | None, flags: int, mode: int) -> int:
    """Create a file with exactly this mode, and return its descriptor."""
    with owner_umask():
        fd = os.open(name, flags | os.O_CREAT | os.O_EXCL | _FLAGS, 0o600, dir_fd=folder)
    if mode != 0o600:
        with contextlib.suppress(OSError):  # some file systems have no modes
            os.fchmod(fd, mode)
    return fd


@contextlib.contextmanager
def owner_umask() -> Iterator[None]:
    """Set a umask that lets the owner open new files.

    With a umask of 777, a crash before the chmod would leave an unreadable file.
    """
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def read(path: Path, start: int = 0, size: int | None = None) -> bytes | None:
    """Return the bytes of a store's file from `start`, at most `size`; None if there is no regular file."""
    try:
        return load(path, start, size)
    except (FileNotFoundError, StoreError):
        return None


def load(path: Path, start: int = 0, size: int | None = None, *, follow: bool = False) -> bytes:
    """Return the bytes of a regular file from `start`, at most `size`. Never blocks on a pipe.

    Links are followed only with `follow`, for files outside of stores. Raises FileNotFoundError if the file is missing,
    StoreError if it is another kind of file.
    """
    with _opened(path, _FLAGS & ~os.O_NOFOLLOW if follow else _FLAGS) as (fd, status):
        want = max(status.st_size - start, 0) if size is None else size
        if start:
            os.lseek(fd, start, os.SEEK_SET)
        chunks = []
        while want > 0 and (chunk := os.read(fd, min(want, 1 << 24))):
            chunks.append(chunk)
            want -= len(chunk)
        return b"".join(chunks)


def write_all(fd: int, data: bytes) -> None:
    """Write every byte, and continue after short writes."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def status(path: Path) -> os.stat_result | None:
    """Return the status of a path, not of a link's target. None if it is missing or a parent is not a folder."""
    try:
        with opened_parent(path) as (name, folder):
            return os.lstat(name, dir_fd=folder)
    except (FileNotFoundError, StoreError):
        return None


Identity = tuple[int, int, int, int]
"""Device, inode, size and mtime (ns) of a file."""


def identity_of(status: os.stat_result) -> Identity:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def identity(path: Path) -> Identity | None:
    """Return the identity of the file at a path; None if there is no regular file."""
    now = status(path)
    return None if now is None or not stat.S_ISREG(now.st_mode) else identity_of(now)


def total_size(paths: Iterable[Path]) -> int:
    """Return the total bytes of the regular files at these paths."""
    return sum(found[2] for found in map(identity, paths) if found is not None)


def is_still(path: str, fd: int) -> bool:
    """Return whether the file at a path is still the opened one."""
    now = identity(path)
    return now is not None and now[:2] == identity_of(os.fstat(fd))[:2]
