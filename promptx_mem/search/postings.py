"""Reads of the index: the memories of a term, the lengths of memories, and their neighbours.

A row of postings is one term in one *segment*. Segments of a *page* (65,536 rowids) share a base, so that a posting
needs two bytes: the first build writes one segment a page, later additions one for each 4,096 rowids, which keeps an
addition cheap. `docs` are ascending offsets in the page, `repeats` pairs (offset, count) of terms that occur more than
once.

Most pairs of characters are rare, and a row is larger than its postings. So in the first build the rare pairs with the
same first character share a row, its term that character's number: `docs` are pairs (second character, offset) in
ascending order, `repeats` the same for a pair that occurs more than once, with the count as a third.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from sys import byteorder

from promptx_mem.record import TYPE_CHECKING, Any, NamedTuple
from promptx_mem.search.ranking import LENT, LENT_AFTER, LENT_SECOND
from promptx_mem.search.tokens import WORD, fold, text_key

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator


_MOST = 480
"""Variables of one statement: SQLite before 3.32 accepts 999, and a statement has others too."""

_STEP = 16


def portions(values: Iterable[Any]) -> Iterator[tuple[str, list[Any]]]:
    """Yield question marks for an IN, and as many of the values; the last of them fills up the rest."""
    every = list(values)
    for start in range(0, len(every), _MOST):
        some = every[start : start + _MOST]
        some += some[-1:] * (-len(some) % _STEP)
        yield ",".join("?" * len(some)), some


PAGE = 1 << 16
BLOCK = 1 << 12
SEGMENTS = 32
"""Segment numbers of a page: 0 for the first build, 1-16 for later additions."""

FOLLOWS = 1 << 15
"""Bit of a length: the rowid just before is of the same session or day."""

LONGEST = FOLLOWS - 1

if TYPE_CHECKING:
    Numbers = array[int]
else:
    Numbers = array  # no pattern to compile in every process, and Python 3.11 has no [int] of it


class Segment(NamedTuple):
    """The places of one term in one page."""

    term: str
    page: int
    docs: Numbers
    repeats: Numbers


def pairs(repeats: Numbers) -> dict[int, int]:
    """Return offset -> count."""
    return dict(zip(repeats[::2], repeats[1::2], strict=True))


def frequencies(db: sqlite3.Connection, terms: Iterable[str]) -> dict[str, int]:
    """Return in how many memories each term occurs; terms that occur nowhere are left out."""
    every = list(terms)
    out: dict[str, int] = {}
    for marks, some in portions(every):
        query = f"SELECT term, sum(length(docs)) / 2 FROM lex_postings WHERE term IN ({marks}) GROUP BY term"  # noqa: S608 - question marks only
        out.update(db.execute(query, some))
    for segment in _shared(db, every):
        out[segment.term] = out.get(segment.term, 0) + len(segment.docs)
    return out


def terms_from(db: sqlite3.Connection, begun: str) -> list[str]:
    """Return the indexed terms of letters with this beginning."""
    query = "SELECT DISTINCT term FROM lex_postings WHERE term >= ? AND term < ?"
    return [term for (term,) in db.execute(query, (begun, begun + "{"))]  # it follows z


def read(db: sqlite3.Connection, terms: Iterable[str]) -> list[Segment]:
    """Return every segment of these terms."""
    every = list(terms)
    out = list(_shared(db, every))
    for marks, some in portions(every):
        query = f"SELECT term, segment, docs, repeats FROM lex_postings WHERE term IN ({marks})"  # noqa: S608 - question marks only
        for term, segment, docs, repeats in db.execute(query, some):
            out.append(Segment(term, segment // SEGMENTS, array("H", docs), array("H", repeats)))
    return out


def _shared(db: sqlite3.Connection, terms: Iterable[str]) -> Iterator[Segment]:
    """Yield the segments of those terms that share a row with others."""
    pairs: dict[int, list[str]] = {}
    for term in terms:
        if is_pair(term):
            pairs.setdefault(ord(term[0]), []).append(term)
    for marks, some in portions(pairs):
        query = f"SELECT term, segment, docs, repeats FROM lex_postings WHERE term IN ({marks})"  # noqa: S608 - question marks only
        for code, segment, docs, repeats in db.execute(query, some):
            for term, *row in unpack_pairs(pairs[code], array("H", docs), array("H", repeats)):
                yield Segment(term, segment // SEGMENTS, *row)


def rowids(db: sqlite3.Connection, term: str) -> set[int]:
    """Return the memories in which a term occurs."""
    return {segment.page * PAGE + offset for segment in read(db, [term]) for offset in segment.docs}


_LOW = (1 << 32) - 1
RULE = "@rule"
"""A term outside queries that marks rules and preferences."""

LONG_WORDS, PASSAGE_WORDS = 60, 40
LONG, PASSAGE = LONG_WORDS * WORD, PASSAGE_WORDS * WORD
"""Words above which a memory counts by its best passage, and the length of a passage."""


class Lengths(NamedTuple):
    """Lengths by page and offset (0: no such memory), how many memories there are, and their mean length.

    Lengths are in fifths of a word; the mean limits each to `LONG`.
    """

    pages: dict[int, Numbers]
    docs: int
    mean: float

    def of(self, rowid: int) -> int:
        """Return a memory's length."""
        page, offset = divmod(rowid, PAGE)
        return self.pages[page][offset] & LONGEST


def read_lengths(db: sqlite3.Connection) -> Lengths:
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


def sum_of_lengths(db: sqlite3.Connection) -> tuple[int, float]:
    """Return how many memories there are, and the sum of their lengths."""
    docs, terms = db.execute("SELECT coalesce(sum(docs), 0), coalesce(sum(terms), 0) FROM lex_blocks").fetchone()
    return docs, float(terms)


def neighbours(lengths: Lengths, rowid: int) -> list[tuple[int, float]]:
    """Return the neighbours of a memory in the same session or day, with the share of its words."""
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


def with_text(db: sqlite3.Connection, key: int) -> list[int]:
    """Return the memories with this `text_key` of their whole text."""
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
    """Return the stored part of a `text_key`."""
    return key & _LOW


Parts = dict[int, dict[str, float]]
"""Each term's part of each memory's score, by rowid."""


def greater(own: dict[str, float], lent: dict[str, float] | None) -> dict[str, float]:
    """Return the greater part of each term."""
    return {**own, **{term: part for term, part in lent.items() if part > own.get(term, 0.0)}} if lent else {**own}


def is_pair(term: str) -> bool:
    """Return whether a term is a pair of characters that may share a row: of unspaced scripts, in 16 bits each."""
    return len(term) == 2 and "\u2e80" <= term[0] <= "\uffff" and term[1] <= "\uffff"


def unpack_pairs(
    pairs: list[str], docs: array[int], repeats: array[int]
) -> Iterator[tuple[str, array[int], array[int]]]:
    """Yield those of `pairs`, all with one first character, that are in the row, each with its offsets and repeats."""
    seconds = docs[::2]
    for pair in pairs:
        second = ord(pair[1])
        first = bisect_left(seconds, second)
        last = bisect_right(seconds, second, first)
        if first < last:
            counts = [n for i in range(0, len(repeats), 3) if repeats[i] == second for n in repeats[i + 1 : i + 3]]
            yield pair, docs[2 * first + 1 : 2 * last : 2], array("H", counts)
