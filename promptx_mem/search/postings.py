"""The postings table: which memories hold a term, packed; kept inside the cache's own connection and transaction.

A row is one term in one *segment*. Segments of a *page* (65,536 rowids) share a base, so that a posting takes two
bytes: the first build writes one segment a page, later additions one for each 4,096 rowids, which keeps an addition
cheap. `docs` are ascending offsets in the page, `repeats` pairs (offset, count) where a term occurs more than once.
A term is text; a negative integer stands for a whole text (see `tokens.text_key`).
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping

    Term = str | int

SCHEMA = """
CREATE TABLE IF NOT EXISTS lex_postings(
  term NOT NULL, segment INTEGER NOT NULL, docs BLOB NOT NULL, repeats BLOB NOT NULL,
  PRIMARY KEY(term, segment)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS lex_blocks(
  block INTEGER PRIMARY KEY, docs INTEGER NOT NULL, terms INTEGER NOT NULL, lengths BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS lex_docs(rowid INTEGER PRIMARY KEY, context INTEGER, labels TEXT, day TEXT);
"""

PAGE = 1 << 16
BLOCK = 1 << 12
SEGMENTS = 32
"""Numbers kept for the segments of a page: 0 for the first build, 1-16 for the blocks of later additions."""

FOLLOWS = 1 << 15
"""Bit of a length: the rowid just before is of the same session or day."""

LONGEST = FOLLOWS - 1
_NONE = array("H")
_ASK = 500  # variables of one statement: SQLite before 3.32 takes 999


class Segment(NamedTuple):
    """Where one term occurs in one page."""

    term: Term
    page: int
    docs: array[int]
    repeats: array[int]


def is_empty(db: sqlite3.Connection) -> bool:
    return db.execute("SELECT 1 FROM lex_blocks LIMIT 1").fetchone() is None


def write(db: sqlite3.Connection, postings: Mapping[Term, list[int]], *, first: bool) -> None:
    """Add ascending rowids (repeated as the term is) to each term; `first` says that the index holds nothing yet."""
    for segment, terms in _by_segment(postings, first=first).items():
        old = {} if first else {s.term: s for s in _stored(db, terms, segment)}
        # in the order of the table, so that rows are appended
        numbers: list[Term] = sorted(t for t in terms if isinstance(t, int))
        words: list[Term] = sorted(t for t in terms if isinstance(t, str))
        rows = [(term, segment, *_pack(terms[term], old.get(term))) for term in numbers + words]
        db.executemany("INSERT OR REPLACE INTO lex_postings VALUES (?, ?, ?, ?)", rows)


def _by_segment(postings: Mapping[Term, list[int]], *, first: bool) -> dict[int, Mapping[Term, list[int]]]:
    low = _segment(min(rowids[0] for rowids in postings.values()), first=first)
    if low == _segment(max(rowids[-1] for rowids in postings.values()), first=first):
        return {low: postings}
    out: dict[int, dict[Term, list[int]]] = {}
    for term, rowids in postings.items():
        for rowid in rowids:
            out.setdefault(_segment(rowid, first=first), {}).setdefault(term, []).append(rowid)
    return {**out}


def _segment(rowid: int, *, first: bool) -> int:
    return rowid // PAGE * SEGMENTS + (0 if first else 1 + rowid % PAGE // BLOCK)


def _pack(rowids: list[int], old: Segment | None) -> tuple[array[int], array[int]]:
    base = rowids[0] // PAGE * PAGE
    offsets = [rowid - base for rowid in rowids] if base else rowids
    once = set(offsets)
    repeats = _NONE
    if len(once) == len(offsets):
        docs = array("H", offsets)
    else:
        docs = array("H", sorted(once))
        counts = {o: min(n, PAGE - 1) for o, n in Counter(offsets).items() if n > 1}
        repeats = array("H", chain.from_iterable(counts.items()))
    return (_merge(old.docs, docs), _merge_pairs(old.repeats, repeats)) if old else (docs, repeats)


def _merge(old: array[int], new: array[int]) -> array[int]:
    if not old or old[-1] < new[0]:
        return old + new
    return array("H", sorted({*old, *new}))


def _merge_pairs(old: array[int], new: array[int]) -> array[int]:
    return array("H", [n for pair in sorted({**pairs(old), **pairs(new)}.items()) for n in pair])


def pairs(repeats: array[int]) -> dict[int, int]:
    """Return offset -> count."""
    return dict(zip(repeats[::2], repeats[1::2], strict=True))


def _stored(db: sqlite3.Connection, terms: Iterable[Term], segment: int) -> Iterator[Segment]:
    for marks, some in _portions(terms):
        query = f"SELECT term, docs, repeats FROM lex_postings WHERE segment = ? AND term IN ({marks})"  # noqa: S608 - question marks only
        for term, docs, repeats in db.execute(query, (segment, *some)).fetchall():
            yield Segment(term, segment // SEGMENTS, array("H", docs), array("H", repeats))


def _portions(values: Iterable[Term]) -> Iterator[tuple[str, list[Term]]]:
    every = list(values)
    for start in range(0, len(every), _ASK):
        some = every[start : start + _ASK]
        yield ",".join("?" * len(some)), some


def frequencies(db: sqlite3.Connection, terms: Iterable[Term]) -> dict[Term, int]:
    """Return in how many memories each term occurs; terms that occur nowhere are left out."""
    out: dict[Term, int] = {}
    for marks, some in _portions(terms):
        query = f"SELECT term, sum(length(docs)) / 2 FROM lex_postings WHERE term IN ({marks}) GROUP BY term"  # noqa: S608 - question marks only
        out.update(db.execute(query, some))
    return out


def read(db: sqlite3.Connection, terms: Iterable[Term]) -> list[Segment]:
    """Return every segment of these terms."""
    out = []
    for marks, some in _portions(terms):
        query = f"SELECT term, segment, docs, repeats FROM lex_postings WHERE term IN ({marks})"  # noqa: S608 - question marks only
        for term, segment, docs, repeats in db.execute(query, some):
            out.append(Segment(term, segment // SEGMENTS, array("H", docs), array("H", repeats)))
    return out


def erase(db: sqlite3.Connection, rowids: Iterable[int], terms: Iterable[Term] | None) -> None:
    """Take `rowids` out of these terms; None looks through the whole table."""
    gone: dict[int, set[int]] = {}
    for rowid in rowids:
        gone.setdefault(rowid // PAGE, set()).add(rowid % PAGE)
    where = [("", [])] if terms is None else [(f" WHERE term IN ({m})", some) for m, some in _portions(terms)]
    changed: list[tuple[array[int], array[int], Term, int]] = []
    for clause, some in where:
        query = f"SELECT term, segment, docs, repeats FROM lex_postings{clause}"  # noqa: S608 - question marks only
        for term, segment, blob, repeats in db.execute(query, some):
            docs, counts = array("H", blob), pairs(array("H", repeats))
            lost = [
                o
                for o in gone.get(segment // SEGMENTS, ())
                if (place := bisect_left(docs, o)) < len(docs) and docs[place] == o
            ]
            if lost:
                for offset in lost:
                    docs.pop(bisect_left(docs, offset))
                    counts.pop(offset, None)
                changed.append((docs, array("H", chain.from_iterable(counts.items())), term, segment))
    db.executemany("UPDATE lex_postings SET docs = ?, repeats = ? WHERE term = ? AND segment = ?", changed)
    db.executemany("DELETE FROM lex_postings WHERE term = ? AND segment = ? AND docs = x''", (c[2:] for c in changed))


def rowids(db: sqlite3.Connection, term: Term) -> set[int]:
    """Return the memories in which a term occurs."""
    return {segment.page * PAGE + offset for segment in read(db, [term]) for offset in segment.docs}


def contexts(db: sqlite3.Connection, rowids: Iterable[int]) -> dict[int, int | None]:
    """Return the contexts of those of `rowids` that are indexed."""
    out: dict[int, int | None] = {}
    for marks, some in _portions(rowids):
        out.update(db.execute(f"SELECT rowid, context FROM lex_docs WHERE rowid IN ({marks})", some))  # noqa: S608 - question marks only
    return out
