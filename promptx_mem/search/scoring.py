"""Score candidates exactly: BM25, where a word that a memory lacks may be lent by those noted beside it."""

import sqlite3
from bisect import bisect_left
from collections.abc import Iterable
from heapq import nlargest
from typing import TYPE_CHECKING, NamedTuple

from promptx_mem.search import blocks, floor, postings, subjects
from promptx_mem.search.candidates import Candidates, norm
from promptx_mem.search.ranking import BEGINNING, NEAR, PASSAGE, WHOLE, WORD
from promptx_mem.search.tokens import is_dense

if TYPE_CHECKING:
    from promptx_mem.search.candidates import Corpus
    from promptx_mem.search.conditions import Conditions
    from promptx_mem.search.passages import Text
    from promptx_mem.search.query import Query

NEAR_LEAST = 3
"""Terms that a question has at least for `ranking.NEAR`: a long memory that has all of them close together, as no short
one has them, has them not by chance."""

POOL = 80
"""Candidates that are scored exactly."""

_PORTION = 16
_SCAN = 12  # a set meets an array of postings this many times faster than one of its members is looked up

Parts = dict[int, dict[str, float]]
"""What each term gives each memory, by rowid."""


class Match(NamedTuple):
    """A memory with a score of 0-1, or over 1 where its whole text is the query.

    `terms` is what each word of the query adds to the score; what the whole text adds is not among them. `weak` says
    that it has too little of the query to be shown unasked. `lent` are words that only others noted beside it have.
    """

    rowid: int
    score: float
    terms: dict[str, float]
    weak: bool
    lent: frozenset[str] = frozenset()


def rank(
    db: sqlite3.Connection, query: "Query", conditions: "Conditions", limit: int, whole: "Corpus | None" = None
) -> list[Match]:
    """Return the best `limit` memories that meet the conditions."""
    if limit <= 0:
        return []
    candidates = Candidates(db, query, whole)
    passed = conditions.draw(candidates, *draws(limit))
    parts, own_terms = _scored(db, candidates, passed, limit)
    _favour_subjects(db, candidates, parts, limit)
    full = sum(weight for term, weight in candidates.weights.items() if term not in query.added) or 1.0
    scores = {rowid: sum(shares.values()) / full for rowid, shares in parts.items()}
    same = conditions.passing(blocks.whole(db, query.key))
    top = max(scores.values(), default=0.0) + WHOLE.weight
    scores |= dict.fromkeys(same, top)
    best = sorted(scores, key=lambda r: (-scores[r], -r))[:limit]
    words: dict[str, str] = {term: word for term, _, word in query.terms}
    measure = floor.measure(query, candidates.weights, candidates.docs)
    shares = []
    for rowid in best:
        own = parts.get(rowid, {})
        terms = {words[term]: part / full for term, part in own.items()}
        lent = frozenset(words[term] for term in own.keys() - own_terms[rowid]) if own else frozenset()
        shares.append(Match(rowid, scores[rowid], terms, rowid not in same and measure.is_weak(own), lent))
    return shares


def draws(limit: int) -> tuple[int, int]:
    """How many candidates are drawn for so many matches, and how few of them are enough where a filter refuses some."""
    return max(POOL, 5 * limit // 2), 2 * limit


def _favour_subjects(db: sqlite3.Connection, candidates: Candidates, parts: Parts, limit: int) -> None:
    """Add to the best of `parts` what the words are worth with which their texts begin.

    What could not be among `limit` if it began with all its words is not read.
    """
    sums = {rowid: sum(own.values()) for rowid, own in parts.items()}
    least = min(nlargest(limit, sums.values())) if len(sums) > limit else 0.0
    most = {term: BEGINNING.weight * weight for term, weight in candidates.weights.items()}
    best = [rowid for rowid in sums if sums[rowid] + sum(map(most.__getitem__, parts[rowid])) >= least]
    for rowid, terms in subjects.begun(db, best, candidates.weights).items():
        own = parts[rowid]
        for term in terms:
            own[term] = own.get(term, 0.0) + BEGINNING.weight * candidates.weights[term]


def _scored(db: sqlite3.Connection, candidates: Candidates, rowids: list[int], limit: int) -> tuple[Parts, Parts]:
    """Return for each of `rowids` what each term gives it, and what of these it has itself.

    Long ones that cannot be among `limit` are left out.
    """
    lengths = candidates.lengths
    beside = {rowid: pairs for rowid in rowids if (pairs := candidates.lenders(rowid))}
    own = _own(candidates, {neighbour for pairs in beside.values() for neighbour, _ in pairs}.union(rowids))
    lent: Parts = {}
    for rowid, pairs in beside.items():
        parts = lent[rowid] = {}
        for neighbour, share in pairs:
            for term, part in own[neighbour].items():
                if (some := part * share) > parts.get(term, 0.0):
                    parts[term] = some
    out = {rowid: _greater(own[rowid], lent.get(rowid)) for rowid in rowids}
    if PASSAGE.weight and (long := [rowid for rowid in rowids if lengths.of(rowid) > blocks.LONG]):
        _Passages(db, candidates, own, lent).put(out, long, limit)
    return out, own


def _greater(own: dict[str, float], lent: dict[str, float] | None) -> dict[str, float]:
    return {**own, **{term: part for term, part in lent.items() if part > own.get(term, 0.0)}} if lent else {**own}


class _Passages:
    """Long memories, scored by their best passages."""

    def __init__(self, db: sqlite3.Connection, candidates: Candidates, own: Parts, lent: Parts) -> None:
        from promptx_mem.search.passages import heads

        self._db = db
        self._candidates = candidates
        self._own = own
        self._lent = lent
        self._heads = heads(candidates.weights)
        self._asked = candidates.weights.keys() - candidates.added
        self._may_say_all = False

    def put(self, out: Parts, long: list[int], limit: int) -> None:
        """Put what the best passages of `long` give into `out`, and leave out those that cannot be among `limit`.

        What a whole memory gives is never less than what a passage of it does: so the likeliest are read first, and
        no more once enough are better than the next can be.
        """
        short = out.keys() - long
        self._may_say_all = bool(NEAR.weight) and len(self._asked) >= NEAR_LEAST and not any(map(self._has_all, short))
        most = (WORD.weight + 1) * sum(self._candidates.weights.values())
        bounds = {
            rowid: most if self._may_say_all and self._has_all(rowid) else sum(out[rowid].values()) for rowid in long
        }
        sums = [sum(parts.values()) for rowid, parts in out.items() if rowid not in bounds]
        waiting = sorted(long, key=lambda rowid: bounds[rowid])
        while waiting:
            sums = nlargest(limit, sums)
            if len(sums) == limit and bounds[waiting[-1]] < sums[-1]:
                break
            some, waiting = waiting[-_PORTION:], waiting[:-_PORTION]
            for rowid, parts in self._read(some).items():
                out[rowid] = parts
                sums.append(sum(parts.values()))
        for rowid in waiting:
            del out[rowid]

    def _read(self, rowids: list[int]) -> Parts:
        from promptx_mem.search import passages

        lengths = self._candidates.lengths
        texts = {}
        for rowid in rowids:
            row = self._db.execute("SELECT text FROM memories WHERE rowid = ?", (rowid,)).fetchone()
            texts[rowid] = passages.read(row[0], blocks.PASSAGE / lengths.of(rowid), self._heads)
        forms = passages.forms(texts.values())
        out = {}
        for rowid, text in texts.items():
            near = self._may_say_all and self._has_all(rowid) and self._says_all(rowid, text, forms)
            values = self._values(rowid, near=near)
            counts = passages.best(text, values, forms)
            own = {term: values[term][min(counts.get(term, 1), passages.MOST)] for term in self._own[rowid]}
            out[rowid] = _greater(own, self._lent.get(rowid))
        return out

    def _has_all(self, rowid: int) -> bool:
        """Tell whether a memory has all that is asked for, wherever it stands."""
        return self._asked <= self._own[rowid].keys()

    def _says_all(self, rowid: int, text: "Text", forms: dict[str, str]) -> bool:
        """Tell whether a memory says all that is asked for in a few words; its day and its tags aside."""
        from promptx_mem.search.passages import MOST, best

        weights = self._candidates.weights
        once = {term: [0.0] + MOST * [weights[term]] for term in self._own[rowid]}
        counts = best(text._replace(width=text.width * int(NEAR.weight) // blocks.PASSAGE_WORDS), once, forms)
        there = {term for term, count in counts.items() if count}
        return len(there) >= NEAR_LEAST and self._asked.isdisjoint(counts.keys() - there)

    def _values(self, rowid: int, *, near: bool) -> dict[str, list[float]]:
        """Return what each term gives a memory that occurs 0, 1, 2 … times in a passage of it."""
        from promptx_mem.search.passages import MOST

        lengths = self._candidates.lengths
        more = norm(lengths, lengths.of(rowid), near=near)
        weights = self._candidates.weights
        out = {}
        for term in self._own[rowid]:
            full = weights[term] * (WORD.weight + 1)
            once = len(term) == 1 and is_dense(term)
            out[term] = [full * (c := min(n, 1) if once else n) / (c + more) for n in range(MOST + 1)]
        return out


def _own(candidates: Candidates, rowids: set[int]) -> Parts:
    """Return BM25's part of each term for each of `rowids`."""
    lengths = candidates.lengths
    offsets: dict[int, set[int]] = {}
    for rowid in rowids:
        offsets.setdefault(rowid // postings.PAGE, set()).add(rowid % postings.PAGE)
    norms = {rowid: candidates.norms[lengths.of(rowid)] for rowid in rowids}
    out: Parts = {rowid: {} for rowid in rowids}
    for segment in candidates.rare + candidates.common:
        targets = offsets.get(segment.page)
        if not targets:
            continue
        term, base = segment.term, segment.page * postings.PAGE
        weight = candidates.weights[term] * (WORD.weight + 1)
        counts = postings.pairs(segment.repeats)
        for offset in _among(targets, segment.docs):
            count = counts.get(offset, 1)
            rowid = base + offset
            out[rowid][term] = weight * count / (count + norms[rowid])
    return out


def _among(targets: set[int], docs: postings.Numbers) -> Iterable[int]:
    size = len(docs)
    if size < _SCAN * len(targets):
        return targets.intersection(docs)
    return [o for o in targets if (place := bisect_left(docs, o)) < size and docs[place] == o]
