"""The place of a store's cache, and whether the file there is the one that we wrote last.

SQLite runs code in a database file, and removes the file that a journal names. So it only opens our own file, under a
name that the maker of a clone or an archive cannot know, in a directory that nobody else can write to; and only as we
left it. The result of `stat` after our last write is in a second file, the stamp. A change time cannot be set back, so
a cache that anything else has changed counts as missing.
"""

import contextlib
import os
import stat
import time
from collections.abc import Iterator
from sqlite3 import sqlite_version
from typing import NamedTuple

from promptx_mem import session
from promptx_mem.core.ids import digest
from promptx_mem.store import files, trust
from promptx_mem.store.files import Inside
from promptx_mem.store.layout import Layout

VERSION = 20
"""Changes with every change of the tables, the tokens, the parser or the fold."""

_BESIDE = ("-journal", "-wal")
"""Files that SQLite may find next to a database. We leave none: our writes keep their journal in memory."""

NEW = ".new"
"""Ends the name of a cache that is not filled yet."""

_STAMP_BYTES = 200
_TRIES, _PAUSE = 8, 0.004
OPEN = os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
OTHERS = stat.S_IWGRP | stat.S_IWOTH

MEMORIES, TALKS = "", "talks"
"""The kinds of caches: of memories, or of messages of conversations, which a store may not have."""


class Place(NamedTuple):
    """A directory, the name of the cache in it, whether that is in the store itself, and the names of all caches."""

    folder: Inside
    name: str
    inside: bool
    names: tuple[str, ...]

    @property
    def path(self) -> str:
        return os.path.join(str(self.folder), f"{self.name}.db")

    @property
    def stamp(self) -> str:
        return os.path.join(str(self.folder), f"{self.name}.stamp")


def places(where: Layout, kind: str = MEMORIES, *, create: bool = False) -> Iterator[Place]:
    """Yield the places for a cache of this store, the best one first; none if there is no store.

    In the user's folder it is named by the identity of the store's directory, which `create` draws if it has none.
    """
    try:
        root = os.stat(where.root)
    except OSError:
        return
    secret = session.secret()
    if secret and is_ours(root, stat.S_IFDIR):  # others who may rename in the store could swap the directory meanwhile
        names = _names(root, secret, "")
        yield Place(where.cache_directory, names[kind == TALKS], True, names)
    if folder := user_folder():
        key = trust.identity(where, create=create) or _state_of(where)
        names = _names(root, secret or session.boot(), key)
        yield Place(folder, names[kind == TALKS], False, names)


def _names(root: os.stat_result, secret: str, key: str) -> tuple[str, str]:
    """Return the names of both caches of a store."""
    made_by = f"{VERSION} {sqlite_version} {secret} {root.st_dev} {root.st_ino} {me()}{key}"
    memories, talks = (digest((made_by + each).encode(), 10) for each in (MEMORIES, TALKS))
    return f"{prefix(root)}-{memories}", f"{prefix(root)}-{talks}"


def prefix(root: os.stat_result) -> str:
    """Return the common prefix of the names of all caches of a directory, of any version."""
    return digest(f"{root.st_dev} {root.st_ino} {me()}".encode(), 5)


def _state_of(where: Layout) -> str:
    """Return a key for a store without an identity, as a read-only one: its cache serves only these very files."""
    return repr([files.identity(path) for path in (where.declarative, where.journal, where.episodes)])


def user_folder() -> Inside | None:
    """Return the user's own directory for caches, or None."""
    home = os.path.expanduser("~")
    folder = os.path.join(home, "Library/Caches") if session.is_mac() else os.path.join(home, ".cache")
    folder = os.environ.get("XDG_CACHE_HOME") or folder
    return Inside(folder, ("promptx-mem",)) if os.path.isabs(folder) else None


def me() -> int:
    return os.geteuid() if hasattr(os, "geteuid") else 0


def is_ours(status: os.stat_result, kind: int) -> bool:
    """Return whether a file or folder is this user's, with no second name; a folder: only we may write to it."""
    if stat.S_IFMT(status.st_mode) != kind or status.st_uid != me():
        return False
    if kind == stat.S_IFREG:
        return status.st_nlink == 1
    return not (status.st_mode & OTHERS and hasattr(os, "geteuid"))


def own_folder(path: Inside) -> bool:
    """Return whether a directory, not a link to one, is ours and nobody else may write to it."""
    try:
        return is_ours(os.lstat(str(path)), stat.S_IFDIR)
    except OSError:
        return False


def unchanged(place: Place) -> int | None:
    """Return the inode of the cache if it is ours and as we left it: checked before SQLite opens it."""
    return None if not own_folder(place.folder) or has_company(place) else as_noted(place)


def as_noted(place: Place) -> int | None:
    """Return the inode of the cache if the stamp shows that it is as we left it.

    It waits a moment for a process that is writing it. Only `lstat` is called: closing a second descriptor of the file
    would drop SQLite's locks on it.
    """
    for _ in range(_TRIES):
        try:
            status = os.lstat(place.path)
        except OSError:
            return None
        if not is_ours(status, stat.S_IFREG):
            return None
        if _noted(place) == _form(status):
            return status.st_ino
        if abs(time.time() - status.st_ctime) > 1:
            return None
        time.sleep(_PAUSE)
    return None


def has_company(place: Place) -> bool:
    """Return whether there is a file next to the cache that SQLite would read."""
    return any(os.path.lexists(place.path + end) for end in _BESIDE)


def _form(status: os.stat_result) -> bytes:
    parts = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    return (b"%d %d %d %d %d" % parts).ljust(_STAMP_BYTES)


def _noted(place: Place) -> bytes:
    with contextlib.suppress(OSError):
        fd = os.open(place.stamp, os.O_RDONLY | OPEN)
        try:
            return os.read(fd, _STAMP_BYTES)
        finally:
            os.close(fd)
    return b""


def note(place: Place, inode: int) -> None:
    """Record the state of the cache after a write, while SQLite still locks it, unless it is another's by now.

    A change within the same tick of the file system's clock would leave both times as they are, so the time of
    modification is set to a past time: any write sets it to the present one.
    """
    past = int(time.time()) - 10 - os.urandom(1)[0]
    with contextlib.suppress(OSError):
        if os.lstat(place.path).st_ino != inode:
            return
        os.utime(place.path, (past, past), follow_symlinks=False)
        status = os.lstat(place.path)
        if status.st_ino != inode:
            return
        fd = os.open(place.stamp, os.O_WRONLY | os.O_CREAT | OPEN, 0o600)
        try:
            now = os.fstat(fd)
            if is_ours(now, stat.S_IFREG):
                os.write(fd, _form(status))
                if now.st_mode != status.st_mode:
                    os.fchmod(fd, stat.S_IMODE(status.st_mode))
        finally:
            os.close(fd)
