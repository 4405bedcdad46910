"""Make the cache anew from all the files, beside the old one; in memory where no place is writable."""

import contextlib
import gc
import os
import sqlite3
import stat
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

from promptx_mem.core import conflicts
from promptx_mem.core.entry import Entry
from promptx_mem.core.events import fold_all
from promptx_mem.core.state import State, lives
from promptx_mem.errors import StoreError
from promptx_mem.search import history, importance, lexical, place, recalls, rows, sweep, vanished
from promptx_mem.search.cache import Cache, connect
from promptx_mem.search.place import Place
from promptx_mem.search.rows import Progress
from promptx_mem.search.shingles import LONGEST as INDEXED
from promptx_mem.store import members, sources, trust
from promptx_mem.store.layout import Layout
from promptx_mem.store.sources import Sources


def rebuild(where: Layout, progress: Progress | None = None) -> Cache:
    """Read, fold and index everything. Raises OSError or StoreError only where the files cannot be read."""
    with uncollected():
        return _rebuild(where, progress)


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Put off garbage collection: it would walk the growing lists again and again, for half the time more."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _rebuild(where: Layout, progress: Progress | None) -> Cache:
    before = vanished.stamps(where)
    stamps = {**before, "seen_at": sources.modified(where.declarative)}
    everything = sources.read(where)
    if not everything.whole:
        return in_memory(where, everything, stamps, progress)
    with contextlib.suppress(OSError, StoreError, sqlite3.Error), new_file(where) as (spot, temporary, db):
        inode = os.lstat(temporary).st_ino
        cache = _fill(Cache(where, db), everything, stamps, progress)
        if not vanished.save(where, everything, before):
            os.unlink(temporary)
            return cache
        os.replace(temporary, spot.path)
        place.note(spot, inode)  # what was renamed is locked still: who opens it waits
        db.close()
        fresh = connect(where)
        if fresh is not None and all(fresh.meta(name) == value for name, value in stamps.items()):
            return fresh
    return in_memory(where, everything, stamps, progress)


class Marking(Protocol):
    """What says whose memories are."""

    @property
    def unknown(self) -> bool:
        """Whether that is lost."""

    def mark(self, states: Mapping[str, State], entries: Iterable[Entry]) -> dict[str, State]:
        """Say of each state whose it is, `entries` being the lines it was folded from."""


class Extract(NamedTuple):
    """A part of a larger store for one question: its memories, and whose they are, and its terms.

    `pairs`: which was noted right after which, also where one of the two is no part of it: that has none of `terms`.
    """

    ids: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    terms: frozenset[str]
    roles: Marking


def in_memory(
    where: Layout,
    everything: Sources,
    stamps: Mapping[str, str],
    progress: Progress | None = None,
    part: Extract | None = None,
) -> Cache:
    """Fold and index what was read without a file."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    return _fill(Cache(where, db), everything, stamps, progress, part)


@contextlib.contextmanager
def new_file(where: Layout, kind: str = place.MEMORIES) -> Iterator[tuple[Place, str, sqlite3.Connection]]:
    """Begin a cache in the first place where what we make is ours. Raises OSError where there is none."""
    spot, path = _first_file(where, kind)
    try:
        db = sqlite3.connect(path, isolation_level=None)
        # Nobody else knows this file yet, so no journal; and no WAL, which network file systems do not bear.
        db.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;")
        yield spot, path, db
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(path)
        raise


def _first_file(where: Layout, kind: str) -> tuple[Place, str]:
    if not where.is_store():
        raise FileNotFoundError(where.root)
    for spot in place.places(where, kind, create=True):
        # Not the process number: after a kill a later process may have it, and in a container every one has.
        path = os.path.join(str(spot.folder), f"{spot.name}.{os.urandom(6).hex()}{place.NEW}")
        with contextlib.suppress(OSError, StoreError):
            sweep.make_folder(spot, where.directory_mode)
            fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
            try:
                is_ours = place.is_ours(os.fstat(fd), stat.S_IFREG)
                if spot.inside and where.mode & 0o077:
                    os.fchmod(fd, where.mode & ~place.OTHERS)
            finally:
                os.close(fd)
            if is_ours and not place.has_company(spot):
                sweep.sweep(spot)
                if not spot.inside:
                    sweep.note_store(spot, where)
                return spot, path
            os.unlink(path)
    raise FileNotFoundError(where.root)


def _fill(
    cache: Cache,
    everything: Sources,
    stamps: Mapping[str, str],
    progress: Progress | None,
    part: Extract | None = None,
) -> Cache:
    db = cache.db
    folded = fold_all((line.entry for line in everything.lines), everything.events)
    # A purged text that a merge brought back is nobody's memory: it must not even count where words are weighed.
    states = {ident: state for ident, state in folded.items() if state.end != "purged"}
    if part is not None:
        states = {ident: state for ident, state in states.items() if ident in part.ids}
    roles: Marking = members.read(cache.layout) if part is None else part.roles
    states = roles.mark(states, (line.entry for line in everything.lines))
    archived = {line.entry.id for line in everything.lines if line.archived}
    archived -= {line.entry.id for line in everything.lines if not line.archived}
    db.executescript(rows.SCHEMA + lexical.SCHEMA)
    db.execute("BEGIN")
    # Not as the lines lie: two merges of the same copies lay them differently. Others write many in one moment.
    lying = rows.lying(everything.lines)
    ordered = sorted(states.items(), key=lambda item: rows.place(item[1], lying.get(item[0])))
    numbered = list(_numbered(ordered, part))
    between = _between(numbered, part) if part is not None else ()
    items = [(rowid, state, ident in archived) for rowid, ident, state in numbered]
    history.insert_lines(db, everything.lines, {ident: rowid for rowid, ident, _ in numbered})
    history.insert_events(db, everything.events, recalls.loose(everything))
    rows.insert(db, items, progress, part.terms if part else None, between)
    if part is None:  # a part is asked for its words alone
        for index in (*rows.INDEXES.strip().split("\n"), *importance.INDEXES):
            db.execute(index)
    cache.set_meta(
        declarative=stamps["declarative"],
        declarative_size=len(everything.declarative),
        declarative_crc=zlib.crc32(everything.declarative),
        journal=stamps["journal"],
        journal_size=len(everything.journal),
        journal_crc=zlib.crc32(everything.journal),
        archive=stamps["archive"],
        **recalls.meta(everything.recalled, stamps["recalled"]),
        episodes=stamps["episodes"],
        episodes_size=len(everything.episodes),
        episodes_crc=zlib.crc32(everything.episodes),
        seen_at=stamps["seen_at"],
        k=max([0, *(event.k for event in everything.events), *(line.entry.k or 0 for line in everything.lines)]),
        problems=sum(problem.message != conflicts.WHAT for problem in everything.problems),
        conflicts=sum(problem.message == conflicts.WHAT for problem in everything.problems),
        long=sum(len(state.entry.text) > INDEXED for state in states.values()),
        newer=sources.newer(everything.problems),
        whole=int(everything.whole),
        living=sum(lives(state, 0.0) for state in states.values()),
        living_at=0.0,
        displaced=0,
        own=int(trust.Origin(cache.layout).is_own),
        unknown=int(roles.unknown),
        unseen=history.unseen(db),
    )
    db.execute("COMMIT")
    return cache


def _numbered(ordered: Sequence[tuple[str, State]], part: Extract | None) -> Iterator[tuple[int, str, State]]:
    """Give rowids in the order of noting; in a part of a store a gap stands where others were noted between."""
    rowid, before = 0, ""
    for ident, state in ordered:
        rowid += 1 if part is None or (before, ident) in part.pairs else 2
        before = ident
        yield rowid, ident, state


def _between(numbered: Sequence[tuple[int, str, State]], part: Extract) -> Iterator[tuple[int, State]]:
    """Give the rows that stand for a memory that is no part, noted right between two that are; with one of the two."""
    after = {first: second for first, second in part.pairs if second not in part.ids}
    for (_, first, state), (rowid, second, _) in pairwise(numbered):
        if (after.get(first), second) in part.pairs:
            yield rowid - 1, state
