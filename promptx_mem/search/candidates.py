"""Collect candidates: add up the weights of the words that each memory holds, rare words first."""

import sqlite3
from heapq import nlargest
from math import log
from typing import TYPE_CHECKING, NamedTuple

from promptx_mem.search import blocks, postings
from promptx_mem.search.ranking import COMMON_SYNONYM, HUGE, LENGTH, PASSAGE, WORD
from promptx_mem.search.tokens import WORD as UNIT

if TYPE_CHECKING:
    from promptx_mem.search.query import Query

BUDGET = 10_000
"""Postings that one query may add up; the words too common to fit count only for candidates that rarer ones gave."""

WORDS = 128
"""Words of a query that are looked for, the rarest of a longer text."""

MOST = 1.5
"""A memory counts as longer than another up to so many times the mean: of short texts length says little."""

HUGE_WORDS = 200
"""From about this length on a memory has many words by chance."""

FEW = 3
"""A synonym counts less if more memories have the word asked for."""

PROMOTED = 40
"""So many of the best bring in those noted beside them, which their words may lift."""


def norm(lengths: blocks.Lengths, length: int, *, near: bool = False) -> float:
    """Return what is added to a term's count, the greater, the less an occurrence says in a text of that length.

    `near`: what is asked for stands together in it.
    """
    part = length if length <= blocks.LONG or not PASSAGE.weight else blocks.PASSAGE
    chance = 0.0 if near else min((length / (HUGE_WORDS * UNIT)) ** 4, HUGE.weight)
    return WORD.weight * (1 + LENGTH.weight * (min(part / lengths.mean, MOST) - 1) + chance)


class _Norms(dict[int, float]):
    """The `norm` of each length that is met."""

    def __init__(self, lengths: blocks.Lengths) -> None:
        super().__init__()
        self._lengths = lengths

    def __missing__(self, length: int) -> float:
        found = self[length] = norm(self._lengths, length)
        return found


class Corpus(NamedTuple):
    """What words and lengths are weighed by: memories, the sum of their lengths, in how many each term stands.

    Of two stores that are searched at once the sum of both, so that their scores are on one scale. Where only a part of
    it is searched, `rare`: the terms that a search of all could afford to read in full; and `among`: the rowids that
    one would draw from, the others being there for what they lend to those beside them.
    """

    docs: int
    length: float
    counts: dict[str, int]
    rare: frozenset[str] | None = None
    among: frozenset[int] | None = None

    def united(self, second: "Corpus") -> "Corpus":
        """Both, as if they were one."""
        counts = {
            term: self.counts.get(term, 0) + second.counts.get(term, 0) for term in {**self.counts, **second.counts}
        }
        return Corpus(self.docs + second.docs, self.length + second.length, counts)


def corpus(db: sqlite3.Connection, query: "Query") -> Corpus:
    """The corpus that one store is, as far as a query asks."""
    docs, length = blocks.total(db)
    return Corpus(docs, length, postings.frequencies(db, [term for term, _, _ in query.terms]))


def weigh(query: "Query", counts: dict[str, int], docs: int) -> dict[str, float]:
    """Return what each term weighs that stands in so many of `docs` memories; of many only the rarest, synonyms last.

    However rare a synonym is, it counts as no rarer than the word that was asked for.
    """
    weights = {term: weight for term, weight, _ in query.terms}
    if len(counts) > WORDS:
        last = dict(query.synonyms)
        weights = {term: weights[term] for term in sorted(counts, key=lambda t: (t in last, counts[t]))[:WORDS]}
    out = {term: weight * log(1 + docs / counts.get(term, 0.5)) for term, weight in weights.items()}
    for term, own in query.synonyms:
        asked = min((counts.get(word, 0) for word in own), default=0)
        if asked and term in out:
            share = 1.0 if asked <= FEW else COMMON_SYNONYM.weight
            out[term] = min(out[term], weights[term] * log(1 + docs / asked)) * share
    return out


class Candidates:
    """Every memory that holds a word of the query, with the sum of its words' weights."""

    def __init__(self, db: sqlite3.Connection, query: "Query", whole: Corpus | None = None) -> None:
        self.lengths = blocks.read(db)
        self.added = query.added
        own = counts = postings.frequencies(db, [term for term, _, _ in query.terms])
        docs = max(self.lengths.docs, 1)
        if whole is not None:
            counts, docs = whole.counts, max(whole.docs, 1)
            self.lengths = self.lengths._replace(mean=whole.length / docs or 1.0)
        self.weights = weigh(query, counts, docs)
        if whole is not None or len(counts) > WORDS:
            counts = {term: own[term] for term in self.weights if term in own}
        self.docs = docs
        self._among = None if whole is None or whole.among is None else set(whole.among)
        rare = affordable(counts) if whole is None or whole.rare is None else counts.keys() & whole.rare
        self.rare = postings.read(db, rare)
        self.common = postings.read(db, counts.keys() - rare)
        self.sums: dict[int, list[float]] = {}
        self.norms = _Norms(self.lengths)
        self._offsets: dict[int, set[int]] = {}
        for segment in self.rare:
            self._add(segment)

    def complete(self) -> bool:
        """Add up the common words as well; tell whether that may have found more."""
        if not self.common:
            return False
        for segment in self.common:
            self._add(segment)
        self.rare += self.common
        self.common = []
        return True

    def _add(self, segment: postings.Segment) -> None:
        sums = self.sums.get(segment.page)
        if sums is None:
            sums = self.sums[segment.page] = [0.0] * len(self.lengths.pages[segment.page])
            self._offsets[segment.page] = set()
        self._offsets[segment.page].update(segment.docs)
        weight = self.weights[segment.term]
        for offset in segment.docs:
            sums[offset] += weight

    def sum_of(self, rowid: int) -> float:
        sums = self.sums.get(rowid // postings.PAGE, ())
        offset = rowid % postings.PAGE
        return sums[offset] if offset < len(sums) else 0.0

    def lenders(self, rowid: int) -> list[tuple[int, float]]:
        """Return those noted beside a memory that hold a word of the query, with the share of it that they lend."""
        return [pair for pair in blocks.beside(self.lengths, rowid) if self.sum_of(pair[0]) > 0]

    def draw(self, size: int, allowed: set[int] | None) -> list[int]:
        """Return the `size` best by the weight of their words and by their length; of equals the newest."""
        some = allowed
        if self._among is not None:
            some = self._among if allowed is None else allowed & self._among
        if some is not None:
            of = self.lengths.of
            pairs = [(s / (1 + self.norms[of(rowid)]), rowid) for rowid in some if (s := self.sum_of(rowid)) > 0]
        else:
            pairs = [pair for page, sums in self.sums.items() for pair in self._best(page, sums, size)]
        best = dict.fromkeys(rowid for _, rowid in nlargest(size, pairs))
        for rowid in list(best)[:PROMOTED]:
            for neighbour, _ in self.lenders(rowid):
                if allowed is None or neighbour in allowed:
                    best[neighbour] = None
        return list(best)

    def _best(self, page: int, sums: list[float], size: int) -> list[tuple[float, int]]:
        """Return the best of a page, the last among equals, each with its rowid."""
        base, offsets, sizes, norms = (
            page * postings.PAGE,
            sorted(self._offsets[page]),
            self.lengths.pages[page],
            self.norms,
        )
        own = [sums[offset] / (1 + norms[sizes[offset] & postings.LONGEST]) for offset in offsets]
        bound = min(nlargest(size, own), default=0.0)
        pairs = [(s, base + offset) for s, offset in zip(own, offsets, strict=True) if s >= bound]
        if len(pairs) <= 2 * size:
            return pairs
        return [pair for pair in pairs if pair[0] > bound] + [pair for pair in pairs if pair[0] == bound][-size:]


def affordable(counts: dict[str, int]) -> set[str]:
    """Return the rarest terms, at least one, that the budget allows to be read in full."""
    terms: set[str] = set()
    spent = 0
    for term in sorted(counts, key=lambda t: counts[t]):
        spent += counts[term]
        if terms and spent > BUDGET:
            break
        terms.add(term)
    return terms
