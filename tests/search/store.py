"""An index of a small `memories` table instead of the cache's."""

from __future__ import annotations

import sqlite3
import weakref
from typing import TYPE_CHECKING, Any

from promptx_mem.search import candidates, index_write
from promptx_mem.search.index_write import Doc
from promptx_mem.search.query import parse_query

if TYPE_CHECKING:
    from collections.abc import Iterable


class Store:
    """An index of a `memories` table."""

    def __init__(self) -> None:
        self.db = sqlite3.connect(":memory:", isolation_level=None)
        weakref.finalize(self, self.db.close)
        self.db.executescript(index_write.SCHEMA)
        self.docs: dict[int, Doc] = {}
        self.db.execute("CREATE TABLE memories(rowid INTEGER PRIMARY KEY, text TEXT, live INT DEFAULT 1)")

    def put(self, docs: list[Doc]) -> None:
        self.db.executemany("INSERT INTO memories(rowid, text) VALUES (?, ?)", ((d.rowid, d.text) for d in docs))
        index_write.add(self.db, docs)
        self.docs |= {doc.rowid: doc for doc in docs}

    def remove(self, rowids: Iterable[int]) -> None:
        """Remove documents as they were added, also if the table has changed since."""
        index_write.remove(self.db, [self.docs[rowid] for rowid in rowids])

    def texts(self, texts: list[str], first: int = 1) -> None:
        self.put([Doc(rowid, text, day=f"2026-01-{rowid % 28 + 1:02}") for rowid, text in enumerate(texts, first)])

    def find(self, query: str, limit: int = 10, **more: Any) -> list[int]:
        return [hit.rowid for hit in candidates.search(self.db, parse_query(query), limit=limit, **more)]

    def tables(self) -> list[list[Any]]:
        names = ("lex_postings", "lex_blocks")
        return [self.db.execute(f"SELECT * FROM {name} ORDER BY 1, 2").fetchall() for name in names]
