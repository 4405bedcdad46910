"""The derived cache: what the files say, folded and indexed. It may be deleted at any time."""

import contextlib
import json
import os
import sqlite3
from typing import Self

from promptx_mem.core.state import State
from promptx_mem.search import rows
from promptx_mem.session import boot
from promptx_mem.store import archive, files
from promptx_mem.store.layout import Layout

VERSION = 5
"""Changes with every change of the tables, the tokens, the parser or the fold."""

CacheError = sqlite3.Error
"""What SQLite raises where the file is damaged, in use, or cannot be written."""

DAMAGE = (CacheError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError)
"""What a damaged cache raises; the store itself is read by code that raises none of these."""

_BUSY_SECONDS = 0.2


class Cache:
    """One connection to the cache of a store. `follow` and `build` bring it up to date."""

    def __init__(self, where: Layout, db: sqlite3.Connection) -> None:
        self.layout = where
        self.db = db
        db.row_factory = sqlite3.Row

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        self.db.close()

    def meta(self, key: str) -> str:
        row = self.db.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()
        return "" if row is None else str(row[0])

    def set_meta(self, **values: object) -> None:
        self.db.executemany("INSERT OR REPLACE INTO meta VALUES (?,?)", list(values.items()))

    def state(self, ident: str) -> State | None:
        row = self.db.execute("SELECT * FROM memories WHERE id=?", (ident,)).fetchone()
        return None if row is None else rows.to_state(row)

    def matching(self, prefix: str, limit: int = 10) -> list[str]:
        """Ids that begin with `prefix`."""
        found = self.db.execute(
            "SELECT id FROM memories WHERE id >= ? AND id < ? ORDER BY id LIMIT ?", (prefix, prefix + "~", limit)
        )
        return [row[0] for row in found]

    def with_hash(self, text_hash: str) -> list[State]:
        """Memories whose current text has this hash (the unsalted id of the text)."""
        return [rows.to_state(r) for r in self.db.execute("SELECT * FROM memories WHERE hash=?", (text_hash,))]

    def purged(self) -> list[str]:
        """Ids whose lines are there although their text was to be destroyed: a merge has brought them back."""
        return [row[0] for row in self.db.execute("SELECT DISTINCT id FROM lines EXCEPT SELECT id FROM memories")]

    def conflicted(self) -> tuple[str, ...]:
        """A warning where a merge has left markers in the files."""
        if self.meta("conflicts") in ("", "0"):
            return ()
        return ("a merge has left conflict markers in the store; nothing is lost: promptx-mem decay --compact",)

    def unseen(self) -> list[State]:
        """Memories by hand whose time no `adopted` event has fixed yet."""
        found = self.db.execute(
            "SELECT * FROM memories WHERE id IN (SELECT id FROM lines WHERE seen = 0 AND archived = '') "
            "AND NOT EXISTS (SELECT 1 FROM events WHERE events.id = memories.id AND kind = 'adopted')"
        )
        return [rows.to_state(row) for row in found]


def connect(where: Layout) -> Cache | None:
    """Open the cache file if this version made it since the machine was started; whether it is current is not asked.

    It is written without syncs, so one from before a power cut may be anything.
    """
    if files.identity(where.cache_directory / os.path.basename(where.cache)) is None:
        return None
    with contextlib.suppress(sqlite3.Error):
        db = sqlite3.connect(where.cache, timeout=_BUSY_SECONDS, isolation_level=None)
        try:
            db.execute("PRAGMA synchronous=OFF")
            cache = Cache(where, db)
            if cache.meta("key") == key():
                return cache
        except sqlite3.Error:
            pass
        db.close()
    return None


def key() -> str:
    return f"{VERSION} {sqlite3.sqlite_version} {boot()}"


def is_current(cache: Cache) -> bool:
    """Whether the files are those that were indexed, by identity, size and time."""
    where = cache.layout
    return (
        cache.meta("declarative") == identity(where.declarative)
        and cache.meta("journal") == identity(where.journal)
        and cache.meta("archive") == archive_identity(where)
    )


def identity(path: str) -> str:
    return json.dumps(files.identity(path))


def archive_identity(where: Layout) -> str:
    names = archive.names(where)
    return json.dumps([(name, files.identity(where.archive / name)) for name in names])
