"""How long each memory is and what was noted just before it, packed by 4,096 rowids: read whole for each query."""

from __future__ import annotations

from array import array
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from promptx_mem.search.postings import BLOCK, FOLLOWS, LONGEST, PAGE
from promptx_mem.search.tokens import WORD

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping


BEFORE = (0.5, 0.25)
AFTER = (0.25, 0.125)
"""What a word that a memory lacks counts when the first or second one noted before (after) it has the word."""


LONG_WORDS, PASSAGE_WORDS = 60, 40
LONG, PASSAGE = LONG_WORDS * WORD, PASSAGE_WORDS * WORD
"""A memory longer than the one counts by its best passage, whose length is the other."""


class Lengths(NamedTuple):
    """Lengths by page and offset (0: no such memory), how many memories there are, and their mean length.

    Lengths are in fifths of a word; in the mean none counts more than `LONG`.
    """

    pages: dict[int, array[int]]
    docs: int
    mean: float

    def of(self, rowid: int) -> int:
        """Return a memory's length."""
        page, offset = divmod(rowid, PAGE)
        return self.pages[page][offset] & LONGEST


def read(db: sqlite3.Connection) -> Lengths:
    """Read the lengths of all memories: 2 bytes each."""
    pages: dict[int, array[int]] = {}
    docs = terms = 0
    for block, count, total, lengths in db.execute("SELECT block, docs, terms, lengths FROM lex_blocks ORDER BY block"):
        page, place = divmod(block * BLOCK, PAGE)
        known = pages.setdefault(page, array("H"))
        known.frombytes(bytes(2 * (place - len(known))) + lengths)
        docs += count
        terms += total
    return Lengths(pages, docs, terms / docs if docs else 1.0)


def total(db: sqlite3.Connection) -> tuple[int, float]:
    """Return how many memories there are, and the sum of their lengths."""
    docs, terms = db.execute("SELECT coalesce(sum(docs), 0), coalesce(sum(terms), 0) FROM lex_blocks").fetchone()
    return docs, float(terms)


def beside(lengths: Lengths, rowid: int) -> Iterator[tuple[int, float]]:
    """Yield what was noted just before and after in the same session or day, with the share of its words."""
    page, offset = divmod(rowid, PAGE)
    known = lengths.pages[page]
    for step, share in enumerate(BEFORE):
        if offset < step or known[offset - step] < FOLLOWS:
            break
        yield rowid - step - 1, share
    for step, share in enumerate(AFTER, 1):
        if offset + step >= len(known) or known[offset + step] < FOLLOWS:
            break
        yield rowid + step, share


def read_some(db: sqlite3.Connection, rowids: Iterable[int]) -> dict[int, int]:
    """Return the stored lengths, with their FOLLOWS bit, of those of `rowids` that are indexed."""
    out = {}
    for rowid in rowids:
        row = db.execute("SELECT lengths FROM lex_blocks WHERE block = ?", (rowid // BLOCK,)).fetchone()
        if row and (length := array("H", row[0])[rowid % BLOCK]):
            out[rowid] = length
    return out


def write(db: sqlite3.Connection, lengths: Mapping[int, int]) -> None:
    """Set the lengths of memories, with their FOLLOWS bit; 0 takes one out."""
    parts: dict[int, list[int]] = {}
    for rowid in lengths:
        parts.setdefault(rowid // BLOCK, []).append(rowid)
    for block, rowids in parts.items():
        row = db.execute("SELECT docs, terms, lengths FROM lex_blocks WHERE block = ?", (block,)).fetchone()
        docs, terms, blob = row or (0, 0, bytes(2 * BLOCK))
        stored = array("H", blob)
        for rowid in rowids:
            old, new = stored[rowid % BLOCK], lengths[rowid]
            docs += bool(new) - bool(old)
            terms += min(new & LONGEST, LONG) - min(old & LONGEST, LONG)
            stored[rowid % BLOCK] = new
        db.execute("INSERT OR REPLACE INTO lex_blocks VALUES (?, ?, ?, ?)", (block, docs, terms, stored.tobytes()))
    db.execute("DELETE FROM lex_blocks WHERE docs = 0")


@lru_cache(maxsize=64)  # neighbours mostly share it
def context_of(session: str | None, day: str | None) -> int | None:
    """Return what memories noted together share: session and day; None, shared as well, where neither is known."""
    if not (session or day):
        return None
    return int.from_bytes(f"{session or ''}\n{day or ''}".encode("utf-8", "surrogatepass"), "big") % ((1 << 61) - 1)


def follows(contexts: Mapping[int, int | None], rowids: Iterable[int]) -> set[int]:
    """Return those rowids whose predecessor is of the same context."""
    out = set()
    for rowid in rowids:
        if rowid - 1 in contexts and contexts[rowid - 1] == contexts[rowid]:
            out.add(rowid)
    return out
