"""Durable writes of files, new folders, and errors of the disk. A recall from the cache does not load this module."""

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator

from promptx_mem.errors import PromptxMemError, StoreError
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.store.files import (
    FOLDER,
    Path,
    create,
    opened_folder,
    opened_parent,
    owner_umask,
    total_size,
    write_all,
    wrong_kind,
)

if TYPE_CHECKING:
    from promptx_mem.store.layout import Layout

TEMPORARY = ".tmp"
"""Suffix of a temporary file, whose name begins with a dot."""


def guard(fd: int, size: int) -> bytes:
    """Return a newline if a file of this size ends without a newline (after an interrupted append), else nothing."""
    return b"" if size == 0 or os.pread(fd, 1, size - 1) == b"\n" else b"\n"


def append(fd: int, data: bytes, *, durable: bool = False) -> None:
    """Append complete lines to an opened file; with `durable`, sync the file. After an error, remove the lines."""
    size = os.fstat(fd).st_size
    full = guard(fd, size) + data
    try:
        write_all(fd, full)
        if durable:
            sync(fd)
    except BaseException:
        with contextlib.suppress(OSError):
            take_back(fd, size, full)
        raise


def take_back(fd: int, size: int, full: bytes) -> bool:
    """Remove the bytes `full`, which we appended at offset `size`, unless another program appended after them.

    Returns whether none of the bytes is left.
    """
    length = os.fstat(fd).st_size - size
    if length == 0:
        return True
    if 0 < length <= len(full) and os.pread(fd, length, size) == full[:length]:
        os.ftruncate(fd, size)
        return True
    return False


def sync(fd: int) -> None:
    """Put a file's data on the disk: F_FULLFSYNC on macOS, fdatasync on Linux."""
    if sys.platform == "darwin":  # fsync on macOS does not flush the drive's cache
        import fcntl

        try:
            fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
        except OSError:
            os.fsync(fd)
    else:
        getattr(os, "fdatasync", os.fsync)(fd)


def sync_directory(path: Path) -> None:
    """Make new and renamed files in a directory durable."""
    with opened_folder(path) as folder:
        _sync_names(folder)


def _sync_names(fd: int) -> None:
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # network file systems raise these, and need no sync
            raise


def make_directory(path: Path, mode: int) -> None:
    """Create a directory durably, with exactly this `mode`. An existing directory is not changed.

    Raises StoreError if the path is a file or a link, even a link to a directory; also OSError.
    """
    with opened_parent(path) as (name, folder):
        try:
            with owner_umask():
                os.mkdir(name, 0o700, dir_fd=folder)
        except FileExistsError:
            if not stat.S_ISDIR(os.lstat(name, dir_fd=folder).st_mode):
                raise wrong_kind(path) from None
            return
        if mode != 0o700:
            with contextlib.suppress(OSError):
                fd = os.open(name, FOLDER, dir_fd=folder)
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
    """Replace a whole file: write a temporary file in the same folder, then rename it.

    With `durable`, the file and its folder are synced.

    `check` is called just before the rename; if `check` raises an error, the file is not changed. Raises StoreError if
    the path is not a regular file. A link is also refused, because the rename would replace the link.
    """
    with opened_parent(path) as (name, folder):
        with contextlib.suppress(FileNotFoundError):
            if not stat.S_ISREG(os.lstat(name, dir_fd=folder).st_mode):
                raise wrong_kind(path)
        parent, base = os.path.split(name)
        # The name has random bytes, since containers that share a volume have equal process numbers. Only a part of
        # `base` is used, since the length of names is limited.
        temporary = os.path.join(parent, f".{base[:50]}.{os.urandom(6).hex()}{TEMPORARY}")
        fd = create(temporary, folder, os.O_WRONLY, mode)
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
    """Remove a file; a link's target stays. Raises FileNotFoundError, or StoreError if a parent is not a folder."""
    with opened_parent(path) as (name, folder):
        os.unlink(name, dir_fd=folder)


def remove(path: Path) -> None:
    """Remove a file if it exists (see `unlink`)."""
    with contextlib.suppress(FileNotFoundError):
        unlink(path)


def names(folder: Path) -> list[str]:
    """Return the names in a folder; empty if it is missing or not a folder. Raises OSError if it is unreadable."""
    try:
        with opened_folder(folder) as place:
            return os.listdir(place)
    except (FileNotFoundError, NotADirectoryError, StoreError):
        return []


LARGE = 1_000_000
"""Number of bytes of a store's files. Below it, a rebuild takes up to half a second, and hooks wait for it."""

_ARCHIVED = 4
"""The average factor by which archived files are compressed."""


def is_large(where: "Layout") -> bool:
    """Return whether a rebuild of the store's cache takes too long for a hook."""
    archived = total_size(where.archive / name for name in names(where.archive))
    return total_size((where.declarative, where.journal)) + _ARCHIVED * archived >= LARGE


@contextlib.contextmanager
def disk_errors() -> Iterator[None]:
    """Turn an OSError into a StoreError with a hint for the user."""
    try:
        yield
    except PromptxMemError:
        raise
    except OSError as error:
        name = os.path.basename(str(error.filename)) if error.filename else "the store"
        hint = {
            errno.ENOSPC: "free some space on the disk; saved memories are safe",
            errno.EDQUOT: "free some space in your quota; saved memories are safe",
            errno.EFBIG: "the file size limit is reached: check `ulimit -f`; saved memories are safe",
            errno.EACCES: "check the owner and permissions of .memory",
            errno.EPERM: "check the owner and permissions of .memory",
            errno.EROFS: "the disk or folder is read-only; choose another folder with --memory-dir",
            errno.ELOOP: "it is a symbolic link: replace it with a file",
            errno.EISDIR: "a directory is there instead of a file: move it away",
            errno.ENOTDIR: "a file or a link has the name of a directory: move it away",
            errno.EMFILE: "too many files are open: check `ulimit -n`",
            errno.ENFILE: "too many files are open on this machine: try again",
            errno.EIO: "the disk reports errors: check the system's log; saved memories are safe",
        }.get(error.errno or 0, "saved memories are safe")
        reason = error.strerror or str(error)
        raise StoreError(f"{name} could not be read or written: {reason}", hint=hint) from error
