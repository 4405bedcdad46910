"""The derived cache: the folded and indexed files. It may be deleted at any time."""

import contextlib
import json
import os
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple, Self

from promptx_mem.core.state import State, lives
from promptx_mem.search import cache_file, criteria
from promptx_mem.search.cache_file import Place
from promptx_mem.search.postings import portions
from promptx_mem.search.tokens import LONGEST_TEXT as INDEXED
from promptx_mem.store import archive, files
from promptx_mem.store.files import Path
from promptx_mem.store.layout import Layout

DAMAGE = (sqlite3.Error, ValueError, LookupError, TypeError, AttributeError, ArithmeticError)
"""Errors of a damaged cache; the code that reads the store itself raises none of these."""

_BUSY_SECONDS = 0.2
_LONGEST_VALUE = 1 << 28
"""Bytes of one text or blob: many times the longest of ours."""


class Write:
    """One write to a cache; it is undone unless it is marked as kept at its end."""

    keep = True


class Cache:
    """One connection to the cache of a store. `follow` and `build` bring it up to date.

    Without a `place` it is in memory. As long as it is `held`, nobody else writes to it: all reads show the same time,
    and it was checked at the beginning.
    """

    def __init__(self, where: Layout, db: sqlite3.Connection, spot: Place | None = None, inode: int = 0) -> None:
        self.layout = where
        self.place = spot
        self.inode = inode
        self.is_lasting = False
        """Whether its connection stays open for the next who opens this cache."""
        self.is_new = False
        """Whether it was rebuilt, or updated, when it was opened: somebody has changed the files."""
        self.attach(db)

    def attach(self, db: sqlite3.Connection) -> None:
        self.db = db
        db.row_factory = sqlite3.Row

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        if self.is_lasting and self.place is not None:
            _put_by(self.place.path, self.inode, self.db)
        else:
            self.db.close()

    def become(self, cache: "Cache") -> None:
        """Continue with another connection's cache."""
        self.close()
        self.place, self.inode, self.is_lasting = cache.place, cache.inode, cache.is_lasting
        self.attach(cache.db)

    def hold(self) -> bool:
        """Lock the cache for reading; return False if it is no longer the file that we opened and wrote last."""
        if self.place is None:
            return True
        if self.db.in_transaction:
            self.db.execute("ROLLBACK")
        self.db.execute("BEGIN")
        self.db.execute("SELECT 1 FROM meta LIMIT 1").fetchone()  # this takes the lock, BEGIN does not
        return cache_file.as_noted(self.place) == self.inode

    @contextlib.contextmanager
    def writing(self) -> Iterator[Write]:
        """Run one write, whole or not at all; `hold` again before more is read.

        SQLite keeps its lock after the commit until the stamp describes the new file. Raises sqlite3.Error, also if the
        file is not the one that we wrote last.
        """
        self._let_go()
        if self.place is not None:
            self.db.execute("PRAGMA locking_mode=EXCLUSIVE")
        self.db.execute("BEGIN IMMEDIATE")
        try:
            if self.place is not None and cache_file.unchanged(self.place) != self.inode:
                raise sqlite3.DatabaseError("the cache was changed from outside")
            write = Write()
            yield write
            self.db.execute("COMMIT" if write.keep else "ROLLBACK")
            if write.keep and self.place is not None:
                cache_file.note(self.place, self.inode)
        finally:
            self._let_go()

    def _let_go(self) -> None:
        if self.db.in_transaction:
            self.db.execute("ROLLBACK")
        if self.place is not None:
            self.db.execute("PRAGMA locking_mode=NORMAL")
            self.db.execute("SELECT 1 FROM meta LIMIT 1").fetchone()  # only the next access releases the lock

    def meta(self, key: str) -> str:
        row = self.db.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()
        return "" if row is None else str(row[0])

    def set_meta(self, **values: object) -> None:
        self.db.executemany("INSERT OR REPLACE INTO meta VALUES (?,?)", list(values.items()))

    def state(self, ident: str) -> State | None:
        row = criteria.row_of(self.db, ident)
        return None if row is None else criteria.to_state(row)

    def matching(self, prefix: str, limit: int = 10) -> list[str]:
        """Return ids that begin with `prefix`."""
        cursor = self.db.execute(
            "SELECT DISTINCT id FROM lines WHERE id >= ? AND id < ? AND row IS NOT NULL ORDER BY id LIMIT ?",
            (prefix, prefix + "~", limit),
        )
        return [row[0] for row in cursor]

    def with_hash(self, text_hash: str) -> list[State]:
        """Return memories whose current text has this hash (the unsalted id of the text)."""
        # `hash` is null if it is the id, as of nearly every memory.
        changed = self.db.execute("SELECT * FROM memories WHERE hash = ?", (text_hash,)).fetchall()
        own = criteria.row_of(self.db, text_hash)
        return [
            criteria.to_state(row) for row in (*changed, own) if row is not None and row["hash"] in (None, text_hash)
        ]

    def purged(self) -> list[str]:
        """Return ids with lines although their text was to be destroyed: a merge has restored them."""
        lines = "SELECT DISTINCT id FROM lines WHERE row IS NULL"  # also if another line replaced all
        purges = "SELECT 1 FROM acts JOIN events ON number = event WHERE id = ? AND kind = 'purged' LIMIT 1"
        return [ident for (ident,) in self.db.execute(lines) if self.db.execute(purges, (ident,)).fetchone()]

    def conflicted(self) -> tuple[str, ...]:
        """Return a warning if a merge has left markers in the files."""
        if self.meta("conflicts") in ("", "0"):
            return ()
        return ("a merge has left conflict markers in the store; nothing is lost: promptx-mem decay --compact",)

    def long_texts(self) -> tuple[str, ...]:
        """Return a warning if a text is too long to be indexed whole."""
        if self.meta("long") in ("", "0"):
            return ()
        searched = f"only the first {INDEXED:,} characters of a longer text are searched"
        return (f"{searched}; promptx-mem audit --verify names it",)

    def unseen(self) -> list[tuple[float, str]]:
        """Return time and id of hand-written memories without an `adopted` event for their time, in recording order."""
        if self.meta("unseen") == "0":
            return []
        query = (
            "SELECT first_at, id FROM memories WHERE rowid IN (SELECT row FROM lines WHERE seen = 0 AND archived = '') "
            "ORDER BY rowid"
        )
        return [tuple(row) for row in self.db.execute(query)]


def connect(where: Layout, kind: str = cache_file.MEMORIES) -> Cache | None:
    """Open the cache, held, if there is one as we left it; whether it is current is not checked.

    It is written without syncs, so after a restart of the machine it may be anything: the name contains the start.
    """
    for spot in cache_file.places(where, kind):
        inode = cache_file.unchanged(spot)
        idle = _idle.pop(spot.path, None)
        if idle is not None and idle.inode != inode:
            idle.db.close()
            idle = None
        if inode is None or _faulty.get(spot.path) == inode:
            continue
        with contextlib.suppress(sqlite3.Error):
            cache = Cache(where, idle.db if idle else _opened(spot), spot, inode)
            cache.is_lasting = _keeps
            with contextlib.suppress(sqlite3.Error):
                if cache.hold():
                    return cache
            cache.db.close()
    return None


def _opened(spot: Place) -> sqlite3.Connection:
    db = sqlite3.connect(spot.path, timeout=_BUSY_SECONDS, isolation_level=None)
    try:
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        # No journal in a file: the stamp shows the remains of a killed write, and the cache is rebuilt.
        db.executescript("PRAGMA synchronous=OFF; PRAGMA journal_mode=MEMORY; PRAGMA temp_store=MEMORY;")
    except sqlite3.Error:
        db.close()
        raise
    return db


class _Idle(NamedTuple):
    """A connection that nobody uses, and the inode of the file that it has open."""

    inode: int
    db: sqlite3.Connection


_keeps = False
_idle: dict[str, _Idle] = {}
"""In a process that keeps them open: a connection by the path of its cache. Its read pages need not be read again."""


def keep_open() -> None:
    """Keep caches that are closed from now on open for the next use, which must be in the same thread."""
    global _keeps  # noqa: PLW0603 - set once per process
    _keeps = True


def _put_by(path: str, inode: int, db: sqlite3.Connection) -> None:
    """Let go of the lock, and keep the connection; a second one of the same cache is closed."""
    with contextlib.suppress(sqlite3.Error):
        if db.in_transaction:
            db.execute("ROLLBACK")
        if path not in _idle:
            _idle[path] = _Idle(inode, db)
            return
    db.close()


_faulty: dict[str, int] = {}
"""Caches of which this process has had enough: the inode by path."""


def discard(where: Layout) -> bool:
    """Stop using failed caches, for everybody; return False if none is open to doubt, as after the first call.

    Its stamp shows every change except one below the file system. Damage by that is only found when it is read.
    """
    spots = [spot for kind in (cache_file.MEMORIES, cache_file.TALKS) for spot in cache_file.places(where, kind)]
    doubted = [(spot, inode) for spot in spots if (inode := cache_file.unchanged(spot)) is not None]
    fresh = [(spot, inode) for spot, inode in doubted if _faulty.get(spot.path) != inode]
    for spot, inode in fresh:
        _faulty[spot.path] = inode
        with contextlib.suppress(OSError):
            os.unlink(spot.stamp)
    return bool(fresh)


def is_current(cache: Cache) -> bool:
    """Return whether the files are the indexed ones, by identity, size and time."""
    return is_written(cache) and cache.meta("recalled") == identity(cache.layout.recalled)


def is_written(cache: Cache) -> bool:
    """Return whether the writers' files are the indexed ones; readers only append to `.recalled`."""
    where = cache.layout
    return (
        cache.meta("declarative") == identity(where.declarative)
        and cache.meta("journal") == identity(where.journal)
        and cache.meta("archive") == archive_identity(where)
        and cache.meta("episodes") == identity(where.episodes)
    )


def identity(path: Path) -> str:
    try:
        return json.dumps(files.identity(path))
    except PermissionError:  # in a folder that may not be opened: the cache cannot show it
        return "unreadable"


def archive_identity(where: Layout) -> str:
    names = archive.permitted_names(where)
    return json.dumps(names and [(name, files.identity(where.archive / name)) for name in names])


def state_at(cache: Cache, rowid: int) -> State:
    """Return the memory of a row."""
    return criteria.to_state(cache.db.execute("SELECT * FROM memories WHERE rowid = ?", (rowid,)).fetchone())


def states_at(cache: Cache, rowids: Sequence[int]) -> dict[int, State]:
    """Return the memories of some rows, by row."""
    out: dict[int, State] = {}
    for marks, some in portions(rowids):
        query = f"SELECT * FROM memories WHERE rowid IN ({marks})"  # noqa: S608 - question marks
        out.update((row["rowid"], criteria.to_state(row)) for row in cache.db.execute(query, some))
    return out


def states_by_id(cache: Cache, ids: Collection[str]) -> dict[str, tuple[int, State]]:
    """Return the row and the memory of each existing one of these ids."""
    found: dict[str, tuple[int, State]] = {}
    for marks, some in portions(ids):
        query = (
            f"SELECT memories.*, lines.id FROM lines JOIN memories ON memories.rowid = row WHERE lines.id IN ({marks})"  # noqa: S608 - question marks
        )
        found.update((row[-1], (row[0], criteria.to_state(row))) for row in cache.db.execute(query, some))
    return found


def total(cache: Cache) -> int:
    """Return the number of memories, ended ones included, from the index's blocks: counting rows takes long."""
    return int(cache.db.execute("SELECT coalesce(sum(docs), 0) FROM lex_blocks").fetchone()[0])


def is_any_contradicted(cache: Cache) -> bool:
    """Return whether two memories of a store were ever suspected to contradict each other."""
    return cache.db.execute("SELECT 1 FROM events WHERE kind = 'contradicted' LIMIT 1").fetchone() is not None


def unknown(cache: Cache) -> list[str]:
    """Return the warnings about lost records of memories that came from a server."""
    if cache.meta("unknown") != "1":
        return []
    what = "which memories came from a server is not known any more: all count as a member's, member:_"
    return [f"{what} (promptx-mem audit --verify)"]


def unscored_memories(cache: Cache, now: float) -> list[State]:
    """Return the active memories for which no person has answered, the oldest first."""
    sql = "SELECT * FROM memories INDEXED BY memories_unscored WHERE unscored_until > ? ORDER BY +rowid"
    cursor = cache.db.execute(sql, (now,))
    return [state for state in map(criteria.to_state, cursor) if lives(state, now)]
