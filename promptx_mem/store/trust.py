"""Trust: records of the user's own stores. The records are outside of all projects, so no store can trust itself.

The records are lines of a file in the user's state folder: `KIND device inode mark path`. The mark is random. It is
also in the store's `.own`, which git ignores. So a record does not apply to a new directory that has the inode of
a removed one. If a directory has several lines, the last line counts. A line without KIND was written by an earlier
version, and means that the store was created or trusted here.
"""

import contextlib
import os
import stat
from collections.abc import Iterator
from functools import cached_property

from promptx_mem.core.ids import short_hash
from promptx_mem.core.state import CLONE, NOTICE, REPLACED_NOTICE
from promptx_mem.errors import StoreError
from promptx_mem.places import is_trusted, main_store, parents, state_folder, worktrees
from promptx_mem.record import NamedTuple
from promptx_mem.store import files
from promptx_mem.store.layout import DIRECTORY, Layout

MAX_BYTES = 512 * 1024
"""Maximum size of the file in bytes. If it is larger, only its end is read, and the next write shortens it to half."""

PRIVATE, SHARED = "private", "shared"
"""Kinds of stores that were created or trusted here. Git can track files of shared stores, not of private stores."""

REPLACED = "replaced"
"""Kind of a store that was private until git tracked some of its files. The files could be another person's."""

SEEN = "seen"
"""Kind of a store that was neither created nor trusted here. Its record only identifies its directory for the cache."""

TRUSTED = "trusted"
"""Kind of a store created or trusted here by an earlier version, which did not record whether git tracked it."""

_SPEAKS = ("declarative.md", "journal.jsonl", "archive", "conversations", "MEMORY.md", ".team")

_MARK_LENGTH = 32
_MAX_OWN = 4 * 1024


class Record(NamedTuple):
    """The record of a store: its kind, the mark of its directory, and its earlier paths."""

    kind: str
    mark: bytes
    paths: set[str]


class Origin:
    """The trust in a store: whether its memories are the user's own. It is computed on first use."""

    def __init__(self, where: Layout) -> None:
        self._where = where

    @property
    def is_own(self) -> bool:
        """Return whether the kind is PRIVATE or SHARED."""
        return self.kind in (PRIVATE, SHARED)

    @cached_property
    def kind(self) -> str:
        """Return the kind of trust in a store: PRIVATE, SHARED, REPLACED or SEEN."""
        return _kind(self._where)

    def of(self, folded: str) -> str:
        """Return CLONE if the store is untrusted. Otherwise return `folded`, computed from lines and events."""
        return folded if self.is_own else CLONE

    def notice(self) -> tuple[str, ...]:
        """Return the warning that the store is not trusted; an empty tuple if the store is the user's own."""
        return () if self.is_own else (REPLACED_NOTICE if self.kind == REPLACED else NOTICE,)


def _kind(where: Layout) -> str:
    """Return a store's kind, and record changes. For a private store, git is run if git's index has changed.

    A missing store is PRIVATE. Without a record, a store is SHARED in a linked worktree if the main worktree's shared
    store was created or trusted here. Otherwise, an untracked store is PRIVATE if it is new, if it is the user store,
    or if no records can be written. All other stores are SEEN.
    """
    if not where.exists():
        return PRIVATE
    known = read(where)
    if known is not None and os.path.realpath(where.root) not in known.paths:  # the directory was moved
        record(where, known.kind)
    if known is not None and known.kind in (SHARED, REPLACED):
        return known.kind
    if known is None or known.kind not in (PRIVATE, TRUSTED):
        main = main_store(where.root)
        of_main = read(Layout(main)) if main else None
        if of_main is not None and of_main.kind in (SHARED, TRUSTED):
            return SHARED
        from promptx_mem.store import outside

        can_be_own = known is None and (is_new(where) or where.is_user or outside.folder() is None)
        return PRIVATE if can_be_own and _tracks(where) is False else SEEN
    if not _tracks(where):  # if git cannot be run, it has not added files either
        if known.kind == TRUSTED:
            record(where, PRIVATE)
        return PRIVATE
    now = SHARED if known.kind == TRUSTED else REPLACED
    record(where, now)
    return now


def is_new(where: Layout) -> bool:
    """Return whether a store has no memories yet. Such a store has no text of other people."""
    return not any(os.path.lexists(os.path.join(where.root, name)) for name in _SPEAKS)


def _tracks(where: Layout) -> bool | None:
    folders = {os.path.realpath(where.root), os.path.realpath(os.path.dirname(where.root))}
    if not any(next(worktrees(folder), None) for folder in folders):
        return False
    from promptx_mem.store.git import tracks

    return tracks(where.root)


def path() -> str | None:
    """Return the path of the file with the records; None if HOME is not set."""
    folder = state_folder()
    return folder and os.path.join(folder, "stores")


def read(where: Layout) -> Record | None:
    """Return the record of this directory, even if it was moved; None if there is no record.

    A failed read is tried again. Otherwise a temporary error would make the user's memories look like another person's.
    """
    for _ in range(2):
        with contextlib.suppress(OSError, StoreError, ValueError):
            if not (own := marks(where)):
                return None
            status = os.stat(where.root)
            directory = b"%d %d" % (status.st_dev, status.st_ino)
            lines = [line for line in records() if line[2] in own]
            found = [Record(kind, mark, {line[3] for line in lines}) for kind, of, mark, _ in lines if of == directory]
            return found[-1] if found else None
    return None


def is_recorded(where: Layout) -> bool:
    """Return whether the store is recorded as created or trusted here, and not as replaced later. Git is not run."""
    known = read(where)
    return known is not None and known.kind in (PRIVATE, SHARED, TRUSTED)


def record(where: Layout, kind: str) -> bool:
    """Record the kind of a store. Return False if this fails."""
    known, notes = read(where), path()
    if known is not None and known.kind == kind and os.path.realpath(where.root) in known.paths:
        return True
    from promptx_mem.store import outside

    return notes is not None and outside.record(notes, where, kind, known and known.mark, MAX_BYTES)


def records() -> Iterator[tuple[str, bytes, bytes, str]]:
    """Yield the kind, the directory's device and inode, the mark and the path of each recorded store.

    Yield none if other users can have written the file. Raises OSError, StoreError.
    """
    if (notes := path()) is None:
        return
    with files.opened(notes, os.O_RDONLY) as fd:
        status = os.fstat(fd)
        is_ours = is_trusted(status) and not status.st_mode & 0o022
        start = max(status.st_size - MAX_BYTES, 0)
        lines = os.pread(fd, MAX_BYTES, start).split(b"\n")[start > 0 :] if is_ours else []
    for line in lines:
        words = (b"%s %s" % (TRUSTED.encode(), line) if line[:1].isdigit() else line).split(b" ", 4)
        if len(words) > 4:
            place = os.fsdecode(words[4].replace(b"%0A", b"\n").replace(b"%25", b"%"))
            yield words[0].decode("ascii", "replace"), b" ".join(words[1:3]), words[3], place


def missing_store(folder: str) -> str:
    """Return the path of a store that was created or trusted in this folder or a parent, but no longer exists.

    Empty if a store is nearer, or if there is none.
    """
    noted = set()
    with contextlib.suppress(OSError, StoreError):
        noted = {place for kind, _, _, place in records() if kind != SEEN}
    for upper in parents(os.path.realpath(folder)) if noted else ():
        place = os.path.join(upper, DIRECTORY)
        if os.path.lexists(place):
            return ""
        if place in noted:
            return place
    return ""


def identity(where: Layout, *, create: bool = False) -> str:
    """Return a unique name of the store's directory. A clone or a later directory with the same inode has another name.

    Empty if the directory has no record and `create` is False, or if a record cannot be written.
    """
    found, status = read(where), os.stat(where.root)
    if found is None and create and status.st_mode & stat.S_IWUSR and record(where, SEEN):
        found = read(where)
    if found is None:
        return ""
    return short_hash(b"%d %d %s" % (status.st_dev, status.st_ino, found.mark), 10)


def marks(where: Layout) -> list[bytes]:
    """Return the marks in a store's `.own`, one per user who has a record of it. The marks in a clone can be forged."""
    lines = (files.read(where.own, 0, _MAX_OWN) or b"").split(b"\n")
    return [line for line in lines if len(line) == _MARK_LENGTH and line.isalnum()]
