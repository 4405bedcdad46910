"""The index of words: which memories contain a term, how often, and how long the memories are.

A row of postings lists the memories that contain one term, for one *segment* (a range of rowids). All segments of a
*page* (65,536 rowids) count offsets from the page's first rowid, so that a posting needs two bytes. The first build
writes one segment per page. Later additions write one segment per 4,096 rowids, so that they stay cheap. `docs` are
ascending offsets. `repeats` are pairs (offset, count) for memories in which the term occurs more than once.
"""

from __future__ import annotations

from array import array

from promptx_mem.record import TYPE_CHECKING, NamedTuple
from promptx_mem.search.cache import select

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

PAGE = 1 << 16
BLOCK = 1 << 12
SEGMENTS = 32
"""Number of segments reserved per page: segment 0 is for the first build, 1-16 are for later additions."""

FOLLOWS = 1 << 15
"""Bit of a stored length: the memory in the row before belongs to the same session and day."""

LONGEST = FOLLOWS - 1


class Segment(NamedTuple):
    """The memories of one segment that contain a term: their offsets in the page, and how often it occurs."""

    term: str
    page: int
    docs: array[int]
    repeats: array[int]


def frequencies(db: sqlite3.Connection, terms: Iterable[str]) -> dict[str, int]:
    """Return the number of memories with each term. Terms that occur nowhere are left out."""
    query = "SELECT term, sum(length(docs)) / 2 FROM lex_postings WHERE term IN ({}) GROUP BY term"
    return dict(map(tuple, select(db, query, terms)))


def terms_from(db: sqlite3.Connection, begun: str) -> list[str]:
    """Return the indexed terms that begin with this text and a character up to z, or are equal to the text."""
    query = "SELECT DISTINCT term FROM lex_postings WHERE term >= ? AND term < ?"
    return [term for (term,) in db.execute(query, (begun, begun + "{"))]  # the character after z


def read(db: sqlite3.Connection, terms: Iterable[str]) -> list[Segment]:
    """Return all segments of these terms."""
    query = "SELECT term, segment, docs, repeats FROM lex_postings WHERE term IN ({})"
    return [
        Segment(term, segment // SEGMENTS, array("H", docs), array("H", repeats))
        for term, segment, docs, repeats in select(db, query, terms)
    ]


def rowids(db: sqlite3.Connection, term: str) -> set[int]:
    """Return the rowids of the memories in which a term occurs."""
    return {segment.page * PAGE + offset for segment in read(db, [term]) for offset in segment.docs}


RULE = "@rule"
"""A term that marks rules and preferences. No query contains it."""
