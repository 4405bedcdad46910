"""Score candidates exactly: BM25, where a word that a memory lacks may be lent by those noted beside it."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from promptx_mem.search import blocks, postings
from promptx_mem.search.candidates import Candidates

if TYPE_CHECKING:
    import sqlite3
    from array import array
    from collections.abc import Iterable

    from promptx_mem.search.conditions import Conditions
    from promptx_mem.search.query import Query

K1, B = 0.7, 0.25
POOL = 120
"""Candidates that are scored exactly."""

WHOLE_TEXT = 1.0
"""Added to the best score for a memory whose text is the query."""

_SCAN = 12  # a set meets an array of postings this many times faster than one of its members is looked up


def rank(
    db: sqlite3.Connection, query: Query, conditions: Conditions, limit: int
) -> list[tuple[int, float, dict[str, float]]]:
    """Return rowid, score and the score's parts of the best `limit` memories that meet the conditions."""
    if limit <= 0:
        return []
    candidates = Candidates(db, query)
    passed = conditions.draw(candidates, max(POOL, 4 * limit), 2 * limit)
    parts = _scored(candidates, passed)
    full = sum(candidates.weights.values())
    scores = {rowid: sum(found.values()) / full for rowid, found in parts.items()}
    same = conditions.passing(sorted(postings.whole(db, query.key)))
    top = max(scores.values(), default=0.0) + WHOLE_TEXT
    scores |= dict.fromkeys(same, top)
    best = sorted(scores, key=lambda r: (-scores[r], -r))[:limit]
    words: dict[str, str] = {term: word for term, _, word in query.terms}
    return [
        (rowid, scores[rowid], {words[t]: part / full for t, part in parts.get(rowid, {}).items()}) for rowid in best
    ]


def _scored(candidates: Candidates, rowids: list[int]) -> dict[int, dict[str, float]]:
    """Return for each of `rowids` what each term gives it."""
    beside = {rowid: list(blocks.beside(candidates.lengths, rowid)) for rowid in rowids}
    near = {other for others in beside.values() for other, _ in others}
    own = _own(candidates, {r for r in near if candidates.sum_of(r) > 0}.union(rowids))
    out = {}
    for rowid in rowids:
        parts = dict(own[rowid])
        for other, share in beside[rowid]:
            for term, part in own.get(other, {}).items():
                if part * share > parts.get(term, 0.0):
                    parts[term] = part * share
        out[rowid] = parts
    return out


def _own(candidates: Candidates, rowids: set[int]) -> dict[int, dict[str, float]]:
    """Return BM25's part of each term for each of `rowids`."""
    lengths = candidates.lengths
    offsets: dict[int, set[int]] = {}
    norms: dict[int, float] = {}
    for rowid in rowids:
        page, offset = divmod(rowid, postings.PAGE)
        length = lengths.pages[page][offset] & postings.LONGEST
        norms[rowid] = K1 * (1 - B + B * length / lengths.mean)
        offsets.setdefault(page, set()).add(offset)
    out: dict[int, dict[str, float]] = {rowid: {} for rowid in rowids}
    for segment in candidates.rare + candidates.common:
        wanted = offsets.get(segment.page)
        if not wanted:
            continue
        weight = candidates.weights[segment.term] * (K1 + 1)
        base = segment.page * postings.PAGE
        counts = postings.pairs(segment.repeats)
        for offset in _among(wanted, segment.docs):
            count = counts.get(offset, 1)
            out[base + offset][segment.term] = weight * count / (count + norms[base + offset])
    return out


def _among(wanted: set[int], docs: array[int]) -> Iterable[int]:
    size = len(docs)
    if size < _SCAN * len(wanted):
        return wanted.intersection(docs)
    return [o for o in wanted if (place := bisect_left(docs, o)) < size and docs[place] == o]
