"""Make the cache anew from all the files, beside the old one; in memory where the place is not writable."""

import contextlib
import gc
import os
import sqlite3
import time
import zlib
from collections.abc import Iterator, Mapping

from promptx_mem.core import conflicts
from promptx_mem.core.events import fold_all
from promptx_mem.core.state import lives
from promptx_mem.errors import StoreError
from promptx_mem.search import lexical, rows, vanished, worth
from promptx_mem.search.cache import Cache, connect, key
from promptx_mem.search.rows import Progress
from promptx_mem.store import files, sources
from promptx_mem.store.inside import Inside
from promptx_mem.store.layout import Layout
from promptx_mem.store.sources import Sources

_STALE_SECONDS = 3600


def rebuild(where: Layout, progress: Progress | None = None) -> Cache:
    """Read, fold and index everything. Raises OSError or StoreError only where the files cannot be read."""
    with _uncollected():
        return _rebuild(where, progress)


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Put off garbage collection: it would walk the growing lists again and again, for half the time more."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _rebuild(where: Layout, progress: Progress | None) -> Cache:
    before = vanished.seen(where)
    seen = {**before, "seen_at": sources.modified(where.declarative)}
    everything = sources.read(where)
    if not everything.whole:
        return in_memory(where, everything, seen, progress)
    with contextlib.suppress(OSError, StoreError, sqlite3.Error):
        # Not the process number: after a kill a later process may have it, and in a container every one has.
        temporary = f"{where.cache}.{os.urandom(6).hex()}"
        with _new_file(where, temporary) as db:
            cache = _fill(Cache(where, db), everything, seen, progress)
            if not vanished.save(where, everything, before):
                os.unlink(temporary)
                return cache
            with contextlib.suppress(FileNotFoundError):  # a killed writer's would be played into the new file
                os.unlink(f"{where.cache}-journal")
            os.replace(temporary, where.cache)
        db.close()
        # Opened again by its name: SQLite looks for the journal of an interrupted write beside that.
        made = connect(where)
        if made is not None and all(made.meta(name) == value for name, value in seen.items()):
            return made
    return in_memory(where, everything, seen, progress)


def in_memory(where: Layout, everything: Sources, seen: Mapping[str, str], progress: Progress | None = None) -> Cache:
    """Fold and index what was read without a file."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    return _fill(Cache(where, db), everything, seen, progress)


@contextlib.contextmanager
def _new_file(where: Layout, path: str) -> Iterator[sqlite3.Connection]:
    if not where.is_store():
        raise FileNotFoundError(where.root)
    files.make_directory(where.cache_directory, where.directory_mode)
    _sweep(where.cache_directory)
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, where.mode))
    try:
        db = sqlite3.connect(path, isolation_level=None)
        # Nobody else knows this file yet, so no journal; and no WAL, which network file systems do not bear.
        db.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;")
        yield db
        db.execute("PRAGMA journal_mode=DELETE")
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(path)
        raise


def _sweep(folder: Inside) -> None:
    """Remove what rebuilds that were killed have left, an hour ago or more."""
    for name in files.names(folder):
        with contextlib.suppress(OSError, StoreError):
            found = files.status(folder / name)
            if name.startswith("cache.db.") and found and found.st_mtime < time.time() - _STALE_SECONDS:
                files.unlink(folder / name)


def _fill(cache: Cache, everything: Sources, seen: Mapping[str, str], progress: Progress | None) -> Cache:
    db = cache.db
    folded = fold_all((line.entry for line in everything.lines), everything.events)
    # A purged text that a merge brought back is nobody's memory: it must not even count where words are weighed.
    states = {ident: state for ident, state in folded.items() if state.end != "purged"}
    archived = {line.entry.id for line in everything.lines if line.archived}
    archived -= {line.entry.id for line in everything.lines if not line.archived}
    db.executescript(rows.SCHEMA + lexical.SCHEMA)
    db.execute("BEGIN")
    rows.insert_lines(db, everything.lines)
    rows.insert_events(db, everything.events)
    # Not as the lines lie: two merges of the same copies lay them differently. Others write many in one moment.
    lying = rows.lying(everything.lines)
    ordered = sorted(states.items(), key=lambda item: rows.place(item[1], lying.get(item[0])))
    items = [(rowid, state, ident in archived) for rowid, (ident, state) in enumerate(ordered, 1)]
    rows.insert(db, items, progress)
    for index in (*rows.INDEXES.strip().split("\n"), *lexical.INDEXES, *worth.INDEXES):
        db.execute(index)
    cache.set_meta(
        key=key(),
        declarative=seen["declarative"],
        declarative_size=len(everything.declarative),
        declarative_crc=zlib.crc32(everything.declarative),
        journal=seen["journal"],
        journal_size=len(everything.journal),
        journal_crc=zlib.crc32(everything.journal),
        archive=seen["archive"],
        seen_at=seen["seen_at"],
        k=max([0, *(event.k for event in everything.events), *(line.entry.k or 0 for line in everything.lines)]),
        problems=sum(problem.what != conflicts.WHAT for problem in everything.problems),
        conflicts=sum(problem.what == conflicts.WHAT for problem in everything.problems),
        newer=sources.newer(everything.problems),
        whole=int(everything.whole),
        living=sum(lives(state, 0.0) for state in states.values()),
        living_at=0.0,
        displaced=0,
    )
    db.execute("COMMIT")
    return cache
