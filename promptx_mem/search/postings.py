"""The postings table: which memories hold a term, packed; kept inside the cache's own connection and transaction.

A row is one term in one *segment*. Segments of a *page* (65,536 rowids) share a base, so that a posting takes two
bytes: the first build writes one segment a page, later additions one for each 4,096 rowids, which keeps an addition
cheap. `docs` are ascending offsets in the page, `repeats` pairs (offset, count) where a term occurs more than once.

Most pairs of characters are rare, and a row takes more than what it holds. So in the first build the rare pairs that
begin with one character share a row, its term that character's number: `docs` are pairs (second character, offset)
in ascending order, `repeats` the same where a pair occurs more than once, with the count as a third.
"""

import sqlite3
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, compress
from struct import pack
from sys import byteorder
from typing import TYPE_CHECKING, Any, NamedTuple

from promptx_mem.search import rare_pairs
from promptx_mem.search.portions import portions

SCHEMA = """
CREATE TABLE IF NOT EXISTS lex_postings(
  term NOT NULL, segment INTEGER NOT NULL, docs BLOB NOT NULL, repeats BLOB NOT NULL,
  PRIMARY KEY(term, segment)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS lex_blocks(
  block INTEGER PRIMARY KEY, docs INTEGER NOT NULL, terms INTEGER NOT NULL, lengths BLOB NOT NULL,
  keys BLOB NOT NULL, contexts BLOB NOT NULL);
"""

PAGE = 1 << 16
BLOCK = 1 << 12
SEGMENTS = 32
"""Numbers kept for the segments of a page: 0 for the first build, 1-16 for the blocks of later additions."""

FOLLOWS = 1 << 15
"""Bit of a length: the rowid just before is of the same session or day."""

LONGEST = FOLLOWS - 1

_NONE = array("H")


if TYPE_CHECKING:
    Numbers = array[int]
else:
    Numbers = array  # nothing to compile in every process, and Python 3.11 takes no [int] of it


class Segment(NamedTuple):
    """Where one term occurs in one page."""

    term: str
    page: int
    docs: Numbers
    repeats: Numbers


def is_empty(db: sqlite3.Connection) -> bool:
    return db.execute("SELECT 1 FROM lex_blocks LIMIT 1").fetchone() is None


def write(db: sqlite3.Connection, postings: Mapping[str, list[int]], *, first: bool) -> None:
    """Add ascending rowids (repeated as the term is) to each term; `first` says that the index holds nothing yet."""
    for segment, terms in _by_segment(postings, first=first).items():
        old = {} if first else {s.term: s for s in _stored(db, terms, segment)}
        # in the order of the table, so that rows are appended
        own, shared = rare_pairs.apart(terms) if first else (sorted(terms), {})
        packed: list[tuple[object, ...]] = [
            (code, segment, *rare_pairs.pack(terms, pairs, PAGE)) for code, pairs in sorted(shared.items())
        ]
        packed += [(term, segment, *map(bytearray, _pack(terms[term], old.get(term)))) for term in own]
        db.executemany("INSERT OR REPLACE INTO lex_postings VALUES (?, ?, ?, ?)", packed)


def _by_segment(postings: Mapping[str, list[int]], *, first: bool) -> dict[int, Mapping[str, list[int]]]:
    low = _segment(min(rowids[0] for rowids in postings.values()), first=first)
    if low == _segment(max(rowids[-1] for rowids in postings.values()), first=first):
        return {low: postings}
    out: dict[int, dict[str, list[int]]] = {}
    for term, rowids in postings.items():
        for rowid in rowids:
            out.setdefault(_segment(rowid, first=first), {}).setdefault(term, []).append(rowid)
    return {**out}


def _segment(rowid: int, *, first: bool) -> int:
    return rowid // PAGE * SEGMENTS + (0 if first else 1 + rowid % PAGE // BLOCK)


def _pack(rowids: list[int], old: Segment | None) -> tuple[Numbers, Numbers]:
    base = rowids[0] // PAGE * PAGE
    offsets = [rowid - base for rowid in rowids] if base else rowids
    docs, repeats = _counted(offsets)
    return (_merge(old.docs, docs), _merge_pairs(old.repeats, repeats)) if old else (docs, repeats)


def _counted(offsets: list[int]) -> tuple[Numbers, Numbers]:
    """Return ascending offsets, each once, and pairs (offset, count) of those that occur more than once.

    All are compared with their neighbours at once, in numbers as long as the list: a loop takes five times as long.
    """
    size = len(offsets)
    docs = _array(offsets)
    lanes = int.from_bytes(docs.tobytes(), byteorder)
    high = int.from_bytes(b"\0\x80" * size, "little")
    low = high - (high >> 15)
    differ = lanes ^ lanes >> 16 | 1 << 16 * (size - 1)
    once = ((differ & low) + low | differ) & high
    if once == high:
        return docs, _NONE
    again = Counter(compress(offsets, array("H", (once ^ high).to_bytes(2 * size, byteorder))))
    docs = _array(list(compress(offsets, array("H", once.to_bytes(2 * size, byteorder)))))
    return docs, _array([number for o, n in again.items() for number in (o, min(n + 1, PAGE - 1))])


def _array(numbers: list[int]) -> Numbers:
    return array("H", pack(f"{len(numbers)}H", *numbers))  # made from a list it takes five times as long


def _merge(old: Numbers, new: Numbers) -> Numbers:
    if not old or old[-1] < new[0]:
        return old + new
    return array("H", sorted({*old, *new}))


def _merge_pairs(old: Numbers, new: Numbers) -> Numbers:
    return array("H", [n for pair in sorted({**pairs(old), **pairs(new)}.items()) for n in pair])


def pairs(repeats: Numbers) -> dict[int, int]:
    """Return offset -> count."""
    return dict(zip(repeats[::2], repeats[1::2], strict=True))


def _stored(db: sqlite3.Connection, terms: Iterable[str], segment: int) -> Iterator[Segment]:
    for marks, some in portions(terms):
        query = f"SELECT term, docs, repeats FROM lex_postings WHERE segment = ? AND term IN ({marks})"  # noqa: S608 - question marks only
        for term, docs, repeats in db.execute(query, (segment, *some)).fetchall():
            yield Segment(term, segment // SEGMENTS, array("H", docs), array("H", repeats))


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
        if rare_pairs.is_pair(term):
            pairs.setdefault(ord(term[0]), []).append(term)
    for marks, some in portions(pairs):
        query = f"SELECT term, segment, docs, repeats FROM lex_postings WHERE term IN ({marks})"  # noqa: S608 - question marks only
        for code, segment, docs, repeats in db.execute(query, some):
            for term, *row in rare_pairs.unpack(pairs[code], array("H", docs), array("H", repeats)):
                yield Segment(term, segment // SEGMENTS, *row)


def erase(db: sqlite3.Connection, rowids: Iterable[int], terms: Iterable[str] | None) -> None:
    """Take `rowids` out of these terms; None looks through the whole table."""
    offsets: dict[int, set[int]] = {}
    for rowid in rowids:
        offsets.setdefault(rowid // PAGE, set()).add(rowid % PAGE)
    where: list[tuple[str, list[Any]]] = [("", [])]
    if terms is not None:
        every = list(terms)
        names = [*every, *{ord(term[0]) for term in every if rare_pairs.is_pair(term)}]
        where = [(f" WHERE term IN ({marks})", some) for marks, some in portions(names)]
    changed: list[tuple[Numbers, Numbers, Any, int]] = []
    for clause, some in where:
        query = f"SELECT term, segment, docs, repeats FROM lex_postings{clause}"  # noqa: S608 - question marks only
        for term, segment, docs, repeats in db.execute(query, some):
            lost = offsets.get(segment // SEGMENTS)
            without = _without if isinstance(term, str) else rare_pairs.without
            if lost and (row := without(array("H", docs), array("H", repeats), lost)) is not None:
                changed.append((*row, term, segment))
    db.executemany("UPDATE lex_postings SET docs = ?, repeats = ? WHERE term = ? AND segment = ?", changed)
    db.executemany("DELETE FROM lex_postings WHERE term = ? AND segment = ? AND docs = x''", (c[2:] for c in changed))


def _without(docs: Numbers, repeats: Numbers, offsets: set[int]) -> tuple[Numbers, Numbers] | None:
    """Return a row without some offsets; None where it has none of them."""
    lost = [o for o in offsets if (place := bisect_left(docs, o)) < len(docs) and docs[place] == o]
    if not lost:
        return None
    counts = pairs(repeats)
    for offset in lost:
        docs.pop(bisect_left(docs, offset))
        counts.pop(offset, None)
    return docs, array("H", chain.from_iterable(counts.items()))


def rowids(db: sqlite3.Connection, term: str) -> set[int]:
    """Return the memories in which a term occurs."""
    return {segment.page * PAGE + offset for segment in read(db, [term]) for offset in segment.docs}
