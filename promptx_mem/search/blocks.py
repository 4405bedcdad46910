"""What is known of each memory's text, packed by 4,096 rowids.

Its length, with the bit that says that it follows on the one before (read whole for each query); the low half of its
`tokens.text_key`; and a number for what memories that were noted together share.
"""

import sqlite3
from array import array
from binascii import crc32
from collections.abc import Iterable, Mapping
from functools import lru_cache
from sys import byteorder
from typing import NamedTuple

from promptx_mem.search.postings import BLOCK, FOLLOWS, LONGEST, PAGE, Numbers
from promptx_mem.search.ranking import LENT, LENT_AFTER, LENT_SECOND
from promptx_mem.search.tokens import WORD, fold, text_key

_LOW = (1 << 32) - 1
LONG_WORDS, PASSAGE_WORDS = 60, 40
LONG, PASSAGE = LONG_WORDS * WORD, PASSAGE_WORDS * WORD
"""A memory longer than the one counts by its best passage, whose length is the other."""


class Lengths(NamedTuple):
    """Lengths by page and offset (0: no such memory), how many memories there are, and their mean length.

    Lengths are in fifths of a word; in the mean none counts more than `LONG`.
    """

    pages: dict[int, Numbers]
    docs: int
    mean: float

    def of(self, rowid: int) -> int:
        """Return a memory's length."""
        page, offset = divmod(rowid, PAGE)
        return self.pages[page][offset] & LONGEST


def read(db: sqlite3.Connection) -> Lengths:
    """Read the lengths of all memories: 2 bytes each."""
    pages: dict[int, Numbers] = {}
    docs = terms = 0
    for block, count, total, lengths in db.execute("SELECT block, docs, terms, lengths FROM lex_blocks ORDER BY block"):
        page, place = divmod(block * BLOCK, PAGE)
        sizes = pages.setdefault(page, array("H"))
        sizes.frombytes(bytes(2 * (place - len(sizes))) + lengths)
        docs += count
        terms += total
    return Lengths(pages, docs, terms / docs if docs else 1.0)


def total(db: sqlite3.Connection) -> tuple[int, float]:
    """Return how many memories there are, and the sum of their lengths."""
    docs, terms = db.execute("SELECT coalesce(sum(docs), 0), coalesce(sum(terms), 0) FROM lex_blocks").fetchone()
    return docs, float(terms)


def beside(lengths: Lengths, rowid: int) -> list[tuple[int, float]]:
    """Return what was noted just before and after in the same session or day, with the share of its words."""
    page, offset = divmod(rowid, PAGE)
    sizes = lengths.pages[page]
    last = len(sizes) - 1
    out = []
    if sizes[offset] >= FOLLOWS:
        out.append((rowid - 1, LENT.weight))
        if offset and sizes[offset - 1] >= FOLLOWS:
            out.append((rowid - 2, LENT.weight * LENT_SECOND.weight))
    if offset < last and sizes[offset + 1] >= FOLLOWS:
        out.append((rowid + 1, LENT_AFTER.weight))
        if offset + 1 < last and sizes[offset + 2] >= FOLLOWS:
            out.append((rowid + 2, LENT_AFTER.weight * LENT_SECOND.weight))
    return out


class Block(NamedTuple):
    """Of one memory; a length of 0 stands for no memory."""

    length: int
    key: int = 0
    context: int = 0


NONE = Block(0)


def read_some(db: sqlite3.Connection, rowids: Iterable[int]) -> dict[int, Block]:
    """Return what is stored of those of `rowids` that are indexed, their lengths with the FOLLOWS bit."""
    out: dict[int, Block] = {}
    for block, some in _by_block(rowids).items():
        row = db.execute("SELECT lengths, keys, contexts FROM lex_blocks WHERE block = ?", (block,)).fetchone()
        if row is not None:
            columns = [array(kind, blob) for kind, blob in zip("HII", row, strict=True)]
            stored = {rowid: Block(*(column[rowid % BLOCK] for column in columns)) for rowid in some}
            out.update((rowid, block) for rowid, block in stored.items() if block.length)
    return out


def _by_block(rowids: Iterable[int]) -> dict[int, list[int]]:
    parts: dict[int, list[int]] = {}
    for rowid in rowids:
        parts.setdefault(rowid // BLOCK, []).append(rowid)
    return parts


def write(db: sqlite3.Connection, changed: Mapping[int, Block]) -> None:
    """Set what is stored of memories, their lengths with the FOLLOWS bit; `NONE` takes one out."""
    for block, rowids in _by_block(changed).items():
        query = "SELECT docs, terms, lengths, keys, contexts FROM lex_blocks WHERE block = ?"
        docs, terms, *blobs = db.execute(query, (block,)).fetchone() or (0, 0, *(bytes(n * BLOCK) for n in (2, 4, 4)))
        columns = [array(kind, blob) for kind, blob in zip("HII", blobs, strict=True)]
        lengths = columns[0]
        for rowid in rowids:
            new, old = changed[rowid].length & LONGEST, lengths[rowid % BLOCK] & LONGEST
            docs += bool(new) - bool(old)
            terms += min(new, LONG) - min(old, LONG)
            for column, value in zip(columns, changed[rowid], strict=True):
                column[rowid % BLOCK] = value
        row = (block, docs, terms, *(column.tobytes() for column in columns))
        db.execute("INSERT OR REPLACE INTO lex_blocks VALUES (?, ?, ?, ?, ?, ?)", row)
    db.execute("DELETE FROM lex_blocks WHERE docs = 0")


def whole(db: sqlite3.Connection, key: int) -> list[int]:
    """Return the memories whose whole text has this `text_key`."""
    out = []
    for rowid in _with_short(db, short_key(key)):
        row = db.execute("SELECT text FROM memories WHERE rowid = ?", (rowid,)).fetchone()
        if row and text_key(fold(row[0])) == key:
            out.append(rowid)
    return out


def _with_short(db: sqlite3.Connection, short: int) -> list[int]:
    key = short.to_bytes(4, byteorder)
    out = []
    for block, keys, lengths in db.execute("SELECT block, keys, lengths FROM lex_blocks ORDER BY block"):
        at = keys.find(key)
        while at >= 0:
            if at % 4 == 0 and any(lengths[at // 2 : at // 2 + 2]):
                out.append(block * BLOCK + at // 4)
            at = keys.find(key, at + 1)
    return out


def short_key(key: int) -> int:
    """Return what is stored of a `text_key`."""
    return key & _LOW


@lru_cache(maxsize=64)  # neighbours mostly share it
def context_of(session: str | None, day: str | None) -> int:
    """Return what memories noted together share: session and day; 0, shared as well, where neither is known."""
    if not (session or day):
        return 0
    return crc32(f"{session or ''}\n{day or ''}".encode("utf-8", "surrogatepass"))


def follows(contexts: Mapping[int, int], rowids: Iterable[int]) -> set[int]:
    """Return those rowids whose predecessor is of the same context."""
    out = set()
    for rowid in rowids:
        if rowid - 1 in contexts and contexts[rowid - 1] == contexts[rowid]:
            out.add(rowid)
    return out
