"""Names inside a store, reached from its root by descriptors: no link on the way is followed, whoever put it there.

The root itself may be a link, or lie behind one: it was named, or looked at when it was met. Below it every folder is
opened without following, and what lies in it is reached through the descriptor, so that a folder that is swapped for
a link meanwhile leads nowhere.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterator
from typing import NamedTuple

from promptx_mem.errors import StoreError

FOLDER = os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_DESCRIPTORS = os.open in os.supports_dir_fd and os.listdir in os.supports_fd
_FOREIGN = (errno.ELOOP, errno.EMLINK, errno.ENXIO, errno.EISDIR, errno.ENOTDIR, errno.EOPNOTSUPP, errno.ENODEV)
"""How systems say that a link, a pipe without a reader, a socket, a device or a directory is in the way."""


class Inside(NamedTuple):
    """A name below a store's root, with the folders on its way."""

    root: str
    names: tuple[str, ...]

    def __truediv__(self, name: str) -> "Inside":
        """Return a name in this folder. Raises StoreError for what is a path, or none at all."""
        if name in ("", ".", "..") or "/" in name or os.sep in name or "\0" in name:
            raise StoreError(f"{name[:40]!r} is no name of a file", code="not_regular")
        return Inside(self.root, (*self.names, name))

    def __str__(self) -> str:
        return os.path.join(self.root, *self.names)


Path = str | Inside
"""A path whose last name alone lies inside a store, or none of it, is a string."""


@contextlib.contextmanager
def reached(path: Path) -> Iterator[tuple[str, int | None]]:
    """What calls of `os` take for a path: a name and the descriptor of its folder, or all of it and None.

    Raises FileNotFoundError where a folder on the way is missing, StoreError where it is none.
    """
    if isinstance(path, str) or len(path.names) == 1:
        yield str(path), None
        return
    with opened_folder(Inside(path.root, path.names[:-1])) as folder:
        if isinstance(folder, int):
            yield path.names[-1], folder
        else:
            yield os.path.join(folder, path.names[-1]), None


@contextlib.contextmanager
def opened_folder(path: Path) -> Iterator[int | str]:
    """A folder as `os.listdir` and `os.scandir` take it: its descriptor, or the path of a root or on old systems."""
    if isinstance(path, str):
        yield path
    elif _DESCRIPTORS:
        fd = _open(path)
        try:
            yield fd
        finally:
            os.close(fd)
    else:
        for number in range(1, len(path.names) + 1):
            part = Inside(path.root, path.names[:number])
            if not stat.S_ISDIR(os.lstat(str(part)).st_mode):
                raise blocked(part)
        yield str(path)


def _open(path: Inside) -> int:
    fd = -1
    for number, name in enumerate((os.path.join(path.root, path.names[0]), *path.names[1:]), 1):
        outer = fd
        try:
            fd = os.open(name, FOLDER, dir_fd=outer if outer >= 0 else None)
        except OSError as error:
            raise explained(Inside(path.root, path.names[:number]), error, stat.S_ISDIR) from error
        finally:
            if outer >= 0:
                os.close(outer)
    return fd


def explained(path: Path, error: OSError, predicate: Callable[[int], bool]) -> Exception:
    """The same error, or what it means where something else is in the place of what is wanted."""
    return blocked(path) if error.errno in _FOREIGN or _may_not_be_opened(path, error, predicate) else error


def _may_not_be_opened(path: Path, error: OSError, predicate: Callable[[int], bool]) -> bool:
    """Whether it is something else that nobody may open, as a device on a file system that is mounted without them."""
    if error.errno != errno.EACCES:
        return False
    try:
        kind = os.lstat(str(path)).st_mode
    except OSError:
        return False
    return not predicate(kind)


def blocked(path: Path) -> StoreError:
    """Something else is in the place of a file or a folder: what it is, and the command that makes room."""
    from promptx_mem.core.text import shorten

    name = shorten(os.path.basename(path) if isinstance(path, str) else "/".join(path.names), 60)
    mend, command = remedy(path)
    target = leads_to(str(path))
    if target is None:
        return StoreError(f"{name} is not a regular file", hint=f"{mend}: {command}", code="not_regular")
    message = f"{name} is a symbolic link (to {shorten(target, 60)}) and is not followed"
    return StoreError(message, hint=f"{mend}: {command}", code="link")


def remedy(path: Path) -> tuple[str, str]:
    """What makes room, in words and as a command. Where a link leads is not asked: that may wake an automounter."""
    from promptx_mem.core.shell import quote

    place = quote(str(path))
    if leads_to(str(path)) is None:
        return "move it away", f"mv {place} {quote(_beside(str(path), 'old'))}"
    copy = quote(_beside(str(path), "tmp"))
    return (
        "remove the link, or, if what it leads to is yours, put a copy in its place",
        f"cp -RL {place} {copy} && rm {place} && mv {copy} {place}",
    )


def in_one_line(error: StoreError) -> str:
    """An error as a warning, for who goes on without what it is about."""
    return f"{error.message} ({error.hint})" if error.hint else error.message


def leads_to(path: str) -> str | None:
    """Where a link leads; None for what is none."""
    try:
        return os.readlink(path)
    except OSError:
        return None


def _beside(path: str, kind: str) -> str:
    """A name beside it that nobody can have put there before."""
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name.lstrip('.')}.{os.urandom(6).hex()}.{kind}")
