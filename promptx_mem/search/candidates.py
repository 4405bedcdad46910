"""Search by words: read the index, weigh the words, select candidates, score them by BM25, and mark weak matches.

The weights of rare words are added up first. A memory that lacks a word can get a part of the word's weight from a
neighbour: a memory one or two places before or after it. Exclusions and an SQL filter are checked on the best
candidates. A score is the share of the question's words, by weight, that a memory has.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from functools import cache, lru_cache
from heapq import nlargest
from itertools import repeat, takewhile
from math import inf, log
from operator import getitem, truediv

from promptx_mem.core.text import LETTERS, keeping, runs
from promptx_mem.record import TYPE_CHECKING, NamedTuple
from promptx_mem.search import postings, ranking, tokens
from promptx_mem.search.cache import indexed, select
from promptx_mem.search.postings import FOLLOWS, LONGEST, PAGE
from promptx_mem.search.tokens import STOP_WORDS
from promptx_mem.search.tokens import WORD as UNIT

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Sequence

    from promptx_mem.search.query import Query
    from promptx_mem.search.ranking import Parts


FOUND, FOUND_LEAST = 2, 20
"""Number of matches to rank per shown match, and the minimum to rank. So `-n 1` shows the best of 20."""


def found(count: int) -> int:
    """Return how many matches to rank in order to show `count`."""
    return max(FOUND * count, FOUND_LEAST)


BUDGET = 10_000
"""Maximum number of postings that select candidates, rarest words first. If candidates are too few, others do too."""

WORDS = 128
"""Maximum number of words of a query that are searched for, the rarest first."""

HUGE_WORDS = 200
"""Number of words above which a memory is so long that it contains many words by chance."""

PROMOTED = 40
"""Number of best matches whose neighbours also become candidates. A match's words raise its neighbours' scores."""


def norm(length: int, *, near: bool = False) -> float:
    """Return the value that BM25 adds to a term's count. With a greater value, each occurrence counts less.

    The value grows with `length` (in fifths of a word), unless the query's words are close together (`near`).
    """
    chance = 0.0 if near else min((length / (HUGE_WORDS * UNIT)) ** 4, ranking.HUGE.weight)
    return ranking.WORD.weight * (1 + chance)


def _divisor(length: int) -> float:
    """Return the number by which a memory's sum of weights is divided. A removed memory has the length 0."""
    return 1 + norm(length) + 1e-13 * length if length else inf  # `norm` is the same for all very long memories


class Corpus(NamedTuple):
    """Statistics for the weights of words: the number of all memories, and the number of memories with each term.

    If two stores are searched together, their statistics are added up, so that scores are comparable.
    """

    docs: int
    counts: dict[str, int]


def corpus(query: Query, *dbs: sqlite3.Connection) -> Corpus:
    """Return the sum of the statistics of one or more stores for the terms of a query."""
    terms, counts = [term for term, _, _ in query.terms], Counter[str]()
    for db in dbs:
        counts.update(postings.frequencies(db, terms))
    return Corpus(sum(map(indexed, dbs)), counts)


LEAST_MISSPELLED, MOST_MISSPELLED = 5, 8
"""Minimum length of a word that is corrected, and maximum number of corrected words in a query."""

_ENGLISH_WORDS = keeping(LETTERS + LETTERS.upper())
_KEPT = 2
"""Number of letters at the beginning of a misspelled word that must be right."""


def corrected(db: sqlite3.Connection, query: Query, text: str) -> Query:
    """Return the query with added terms: the indexed terms that its misspelled words can mean (`is_misspelled`)."""
    plain = {word.lower() for word in runs(text, _ENGLISH_WORDS) if word[1:].islower()} - ranking.COMMON_WORDS
    words = [term for term, _, word in query.terms if word in plain and len(term) >= LEAST_MISSPELLED]
    known = postings.frequencies(db, words)
    found = dict.fromkeys(
        other
        for term in [word for word in words if word not in known][:MOST_MISSPELLED]
        for other in postings.terms_from(db, term[:_KEPT])
        if is_misspelled(term, other)
    )
    terms = [(term, ranking.SPELLING.weight, term) for term in found if term not in {one for one, _, _ in query.terms}]
    return query._replace(terms=(*query.terms, *terms), added=query.added.union(found)) if terms else query


def is_misspelled(word: str, right: str) -> bool:
    """Return whether `word` is `right` with one letter more or less, or with two neighbouring letters exchanged."""
    shorter = min(len(word), len(right))
    start = next((n for n in range(shorter) if word[n] != right[n]), shorter)
    rest, other = word[start:], right[start:]
    exchanged = rest[1::-1] + rest[2:]
    return bool(rest or other) and (rest[1:] == other or rest == other[1:] or (len(rest) > 1 and exchanged == other))


def weigh(query: Query, counts: dict[str, int], docs: int) -> dict[str, float]:
    """Weigh a query's terms by their frequencies in `docs` memories. Of more than WORDS terms, return only the rarest.

    A synonym that is rarer than the query's word does not get a greater weight. If the query has a specific English
    word, the single characters of Chinese words are left out: otherwise a Chinese word would count three times.
    """
    weights = {term: weight for term, weight, _ in query.terms}
    latin = ((term, word) for term, _, word in query.terms if word[0].isascii() and word[0].isalpha())
    if any(term not in query.added and ranking.specificity(term, word) == 1.0 for term, word in latin):
        inside = {char for term in weights if len(term) == 2 and tokens.is_dense(term) for char in term}
        weights = {term: weight for term, weight in weights.items() if term not in inside}
    if len(counts) > WORDS:
        last = dict(query.synonyms)
        known = sorted((term for term in counts if term in weights), key=lambda t: (t in last, counts[t]))
        weights = {term: weights[term] for term in known[:WORDS]}
    out = {term: weight * log(1 + docs / counts.get(term, 0.5)) for term, weight in weights.items()}
    for term, own in query.synonyms:
        asked = min((counts.get(word, 0) for word in own), default=0)
        if asked and term in out:
            out[term] = min(out[term], weights[term] * log(1 + docs / asked))
    return out


class Candidates:
    """Memories with rare words of the query, and the sums of these words' weights. `complete` adds common words."""

    def __init__(self, db: sqlite3.Connection, query: Query, whole: Corpus | None = None) -> None:
        self._lengths = sizes = array("H")
        """The lengths of all memories in fifths of a word (0: no memory), each with its FOLLOWS bit."""
        for block, lengths in db.execute("SELECT block, lengths FROM lex_blocks ORDER BY block"):
            sizes.frombytes(bytes(2 * (block * postings.BLOCK - len(sizes))) + lengths)
        self.added = query.added
        own = corpus(query, db)
        whole = whole or own
        self.docs = max(whole.docs, 1)
        self.weights = weigh(query, whole.counts, self.docs)
        counts = {term: own.counts[term] for term in self.weights if term in own.counts}
        rare = affordable(counts)
        self.rare = postings.read(db, rare)
        self.common = postings.read(db, counts.keys() - rare)
        self.sums: dict[int, float] = {}
        self.norms = cache(norm)
        self._add(self.rare)

    def complete(self) -> bool:
        """Also add the weights of the common words. Return False if there are none left."""
        if not self.common:
            return False
        self._add(self.common)
        self.rare += self.common
        self.common = []
        return True

    def _add(self, segments: list[postings.Segment]) -> None:
        # The longest first: the first segment fills the empty dict, which is faster than adding to it.
        for segment in sorted(segments, key=lambda segment: -len(segment.docs)):
            base, weight, sums = segment.page * PAGE, self.weights[segment.term], self.sums
            rowids = [base + offset for offset in segment.docs] if base else segment.docs
            if not sums:
                self.sums = dict.fromkeys(rowids, weight)
                continue
            for rowid in rowids:
                sums[rowid] = sums.get(rowid, 0.0) + weight

    def length(self, rowid: int) -> int:
        """Return the length of a memory in fifths of a word."""
        return self._lengths[rowid] & LONGEST

    def lenders(self, rowid: int) -> list[tuple[int, float]]:
        """Return those neighbours of a memory that are candidates themselves, each with the factor for its words.

        A memory has up to two neighbours on each side, which belong to the same session and day.
        """
        sizes, sums, second, found = self._lengths, self.sums, ranking.LENT_SECOND.weight, []
        for step, share in ((-1, ranking.LENT.weight), (1, ranking.LENT_AFTER.weight)):
            one = rowid
            for factor in (share, share * second):
                # the FOLLOWS bit of the later of two neighbours connects them
                if (later := one if step < 0 else one + 1) >= len(sizes) or sizes[later] < FOLLOWS:
                    break
                one += step
                if one in sums:
                    found.append((one, factor))
        return found

    def draw(self, most: int, allowed: set[int] | None) -> list[int]:
        """Return the `most` memories with the greatest weights for their length, then `lenders` of the first PROMOTED.

        Return only `allowed` memories (None: all memories).
        """
        sums = self.sums if allowed is None else {rowid: self.sums[rowid] for rowid in allowed.intersection(self.sums)}
        sizes = list(map(getitem, repeat(self._lengths), sums))
        divisors = {size: _divisor(size & LONGEST) for size in set(sizes)}
        values = list(map(truediv, sums.values(), map(divisors.__getitem__, sizes)))
        # Numbers are sorted several times as fast as tuples, so only the greatest numbers become tuples.
        least = sorted(values)[-most] if most < len(values) else 0.0
        greater = sorted([(value, rowid) for rowid, value in zip(sums, values, strict=True) if value > least])
        equal = sorted([rowid for rowid, value in zip(sums, values, strict=True) if value == least > 0])
        best = dict.fromkeys([*equal, *(rowid for _, rowid in greater)][: -most - 1 : -1])
        for rowid in list(best)[:PROMOTED]:
            best |= dict.fromkeys(one for one, _ in self.lenders(rowid) if allowed is None or one in allowed)
        return list(best)


def affordable(counts: dict[str, int]) -> set[str]:
    """Return the rarest terms that have at most BUDGET postings together. Always return the rarest term."""
    terms: set[str] = set()
    spent = 0
    for term in sorted(counts, key=lambda t: counts[t]):
        spent += counts[term]
        if terms and spent > BUDGET:
            break
        terms.add(term)
    return terms


class Conditions:
    """The conditions for matches: phrases and exclusions of a query, and `where`, an SQL condition on `memories`."""

    def __init__(self, db: sqlite3.Connection, query: Query, where: str, params: Sequence[object]) -> None:
        self._db = db
        self._where = where
        self._params = params
        self._excluded: Collection[int] = ()
        self._allowed: set[int] | None = None
        if query.excluded or query.phrases:
            from promptx_mem.search import passages

            self._excluded = passages.having(db, query.excluded)
            said = [passages.containing_phrase(db, one) for one in query.phrases]
            self._allowed = set.intersection(*said) if said else None

    def draw(self, candidates: Candidates, size: int, enough: int) -> list[int]:
        """Return the best candidates that meet the conditions: at least `enough`, if so many exist.

        At first, the SQL condition is checked only for the `size` best candidates. If too few of them pass, it is
        applied to all memories.
        """
        allowed = self._allowed
        scanned = not self._where
        while True:
            drawn = candidates.draw(size, allowed)
            passed = self.passing(drawn)
            if len(passed) >= enough:
                return passed
            if len(drawn) < size:
                if not candidates.complete():
                    return passed
                continue
            if not scanned:
                scanned = True
                query = f"SELECT rowid FROM memories WHERE {self._where}"  # noqa: S608 - the caller's own SQL
                every = {rowid for (rowid,) in self._db.execute(query, self._params)}
                allowed = every if allowed is None else allowed & every
            else:
                size *= 4

    def passing(self, rowids: list[int]) -> list[int]:
        """Return the `rowids` that have the phrases, are not excluded, and meet the SQL condition, in their order."""
        passed = set(rowids if self._allowed is None else self._allowed.intersection(rowids))
        if self._where:
            query = f"SELECT rowid FROM memories WHERE rowid IN ({{}}) AND ({self._where})"  # noqa: S608 - the caller's own SQL
            passed &= {rowid for (rowid,) in select(self._db, query, rowids, after=self._params)}
        return [rowid for rowid in rowids if rowid in passed and rowid not in self._excluded]


_BEGINNING = 48
"""Length, in characters, of the beginning of a text. Only the beginning is compared with the query."""


def begun(db: sqlite3.Connection, rowids: Iterable[int], terms: Collection[str]) -> dict[int, list[str]]:
    """Return for each memory the `terms` with which its text begins. Function words are skipped."""
    initials = {term[0] for term in terms}
    beginnings = f"SELECT rowid, substr(text, 1, {_BEGINNING}) FROM memories WHERE rowid IN ({{}})"  # noqa: S608 - a number of ours
    texts = dict(map(tuple, select(db, beginnings, rowids)))
    words = {
        rowid: list(takewhile(lambda word: tokens.initial(word) in initials, _first_words(text)))
        for rowid, text in texts.items()
    }
    stems = tokens.stems({word for some in words.values() for word in some})
    out: dict[int, list[str]] = {rowid: [] for rowid in texts}
    for rowid, some in words.items():
        own: dict[str, None] = {}
        for word in some:
            term = stems.get(word, word)
            if term not in terms:
                break
            own[term] = None
        out[rowid] = list(own)
    return out


@lru_cache(maxsize=4096)  # a process that answers several calls reads the same texts repeatedly
def _first_words(text: str) -> tuple[str, ...]:
    return tuple([word for word in tokens.plain_terms(tokens.fold(text).lower()) if word not in STOP_WORDS])


_SCAN = 12  # one look-up in an array takes as long as the intersection of a set with this many array elements


class Match(NamedTuple):
    """A memory with a score, about 1 if it has all words of the query. A text equal to the query has the best score.

    `terms` maps words of the query to parts of the score. The addition for an equal text is in none of these parts. A
    `weak` match has too little of the query to be injected. `lent` are words that only neighbours of the memory have.
    """

    rowid: int
    score: float
    terms: dict[str, float]
    weak: bool
    lent: frozenset[str] = frozenset()


def search(
    db: sqlite3.Connection,
    query: Query,
    *,
    limit: int,
    where: str = "",
    params: Sequence[object] = (),
    whole: Corpus | None = None,
) -> list[Match]:
    """Return the `limit` best memories with a word of the query, or its text. Of equal scores, the shortest is first.

    Only memories that meet `where`, an SQL condition on `memories`, are returned. If other indexes are searched too,
    `whole` has the statistics of all indexes, from which words are weighed.
    """
    if limit <= 0:
        return []
    conditions = Conditions(db, query, where, params)
    candidates = Candidates(db, query, whole)
    passed = conditions.draw(candidates, *draws(limit))
    parts, own_terms = _scored(db, candidates, passed, limit)
    _favour_subjects(db, candidates, parts, limit)
    asked = candidates.weights.keys() - query.added
    # a query without words finds only memories with the same text
    some = [rowid for rowid in parts if own_terms[rowid].keys() >= asked] if asked else None
    same = conditions.passing(_same_text(db, query.text, some))
    full = sum(candidates.weights[term] for term in asked) or 1.0
    scores = {rowid: sum(shares.values()) / full for rowid, shares in parts.items()}
    top = max(scores.values(), default=0.0) + ranking.WHOLE.weight
    scores |= dict.fromkeys(same, top)
    length = candidates.length
    best = sorted(scores, key=lambda r: (-round(scores[r], 9), length(r), -r))[:limit]
    words: dict[str, str] = {term: word for term, _, word in query.terms}
    scale = ranking.Measure(query.terms, query.added, candidates.weights, candidates.docs)
    shares = []
    for rowid in best:
        own = parts.get(rowid, {})
        terms: dict[str, float] = {}
        for term, part in own.items():  # several terms can have one word: "2026" has `2026` and `@2026`
            terms[words[term]] = terms.get(words[term], 0.0) + part / full
        lent = frozenset(terms).difference(words[term] for term in own.keys() & own_terms.get(rowid, {}))
        shares.append(Match(rowid, scores[rowid], terms, rowid not in same and scale.is_weak(own), lent))
    return shares


def _same_text(db: sqlite3.Connection, text: str, some: Collection[int] | None) -> list[int]:
    """Return the memories (of `some`, if given) with this text. Texts are compared folded and in lower case."""
    among = "" if some is None else f"rowid IN ({','.join(map(str, some)) or 'NULL'}) AND "
    query = f"SELECT rowid, text FROM memories WHERE {among}length(text) <= ?"  # noqa: S608 - numbers
    found = db.execute(query, (2 * len(text) + 8,))
    return [rowid for rowid, other in found if tokens.fold(other).lower().strip() == text]


def draws(limit: int) -> tuple[int, int]:
    """Return how many candidates to select for `limit` matches, and how many must pass a filter."""
    return 2 * limit, limit


def _favour_subjects(db: sqlite3.Connection, candidates: Candidates, parts: Parts, limit: int) -> None:
    """Raise the scores (`parts`) of memories whose texts begin with words of the query.

    A text is read only if the higher score could put its memory among the best `limit`.
    """
    sums = {rowid: sum(own.values()) for rowid, own in parts.items()}
    least = min(nlargest(limit, sums.values())) if len(sums) > limit else 0.0
    most = {term: ranking.BEGINNING.weight * weight for term, weight in candidates.weights.items()}
    best = [rowid for rowid in sums if sums[rowid] + sum(map(most.__getitem__, parts[rowid])) >= least]
    for rowid, terms in begun(db, best, candidates.weights).items():
        own = parts[rowid]
        for term in terms:
            own[term] = own.get(term, 0.0) + ranking.BEGINNING.weight * candidates.weights[term]


def _scored(db: sqlite3.Connection, candidates: Candidates, rowids: list[int], limit: int) -> tuple[Parts, Parts]:
    """Return two dicts with each term's score by rowid. Only the first dict includes the words of neighbours.

    Long memories that cannot be among the `limit` best are left out of the first dict.
    """
    lenders = {rowid: pairs for rowid in rowids if (pairs := candidates.lenders(rowid))}
    own = _own(candidates, {neighbour for pairs in lenders.values() for neighbour, _ in pairs}.union(rowids))
    lent: Parts = {}
    for rowid, pairs in lenders.items():
        parts = lent[rowid] = {}
        for neighbour, share in pairs:
            for term, part in own[neighbour].items():
                if (some := part * share) > parts.get(term, 0.0):
                    parts[term] = some
    out = {rowid: ranking.greater(own[rowid], lent.get(rowid)) for rowid in rowids}
    if ranking.PASSAGE.weight and (long := [rowid for rowid in rowids if candidates.length(rowid) > ranking.LONG]):
        from promptx_mem.search.passages import PassageScores

        asked = frozenset(candidates.weights.keys() - candidates.added)
        PassageScores(db, candidates.weights, candidates.length, norm, asked, own, lent).put(out, long, limit)
    return out, own


def _own(candidates: Candidates, rowids: set[int]) -> Parts:
    """Return the BM25 score of each term in each of `rowids`, without words of neighbours."""
    offsets: dict[int, set[int]] = {}
    for rowid in rowids:
        offsets.setdefault(rowid // PAGE, set()).add(rowid % PAGE)
    norms = {rowid: candidates.norms(candidates.length(rowid)) for rowid in rowids}
    out: Parts = {rowid: {} for rowid in rowids}
    for segment in candidates.rare + candidates.common:
        targets = offsets.get(segment.page)
        if not targets:
            continue
        term, base = segment.term, segment.page * PAGE
        weight = candidates.weights[term] * (ranking.WORD.weight + 1)
        repeated, counts = segment.repeats[::2], segment.repeats[1::2]
        for offset in _among(targets, segment.docs):
            place = bisect_left(repeated, offset)
            count = counts[place] if place < len(repeated) and repeated[place] == offset else 1
            rowid = base + offset
            out[rowid][term] = weight * count / (count + norms[rowid])
    return out


def _among(targets: set[int], docs: array[int]) -> Iterable[int]:
    size = len(docs)
    if size < _SCAN * len(targets):
        return targets.intersection(docs)
    return [o for o in targets if (place := bisect_left(docs, o)) < size and docs[place] == o]
