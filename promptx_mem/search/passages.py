"""Parts of texts: phrases of a query, and the part of a long memory with the query's words closest together.

Each query searches for passages in the few memories that can be results. An index of positions would be as large as the
texts.
"""

from __future__ import annotations

from heapq import nlargest

from promptx_mem.core.text import runs
from promptx_mem.record import TYPE_CHECKING, NamedTuple
from promptx_mem.search import tokens
from promptx_mem.search.cache import select
from promptx_mem.search.postings import rowids
from promptx_mem.search.query import LONGEST_QUERY, marks
from promptx_mem.search.ranking import NEAR, PASSAGE_LENGTH, PASSAGE_WORDS, WORD, Parts, greater
from promptx_mem.search.tokens import IRREGULAR

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from promptx_mem.search.cache import Cache
    from promptx_mem.search.query import Criteria


NEAR_LEAST = 3
"""Minimum number of query terms for `ranking.NEAR`. Fewer terms are often close together by chance."""

_PORTION = 16

MOST = 8
"""Maximum number of occurrences of a term that count in a passage."""

Values = dict[str, list[float]]
"""For each term, its weights in passages with 0, 1, 2 … `MOST` occurrences of the term."""


def excluding(cache: Cache, criteria: Criteria) -> Criteria:
    """Return the criteria. If they have paths, or only exclusions as words, the exclusions become `excluded`."""
    rest, _, excluded = marks(tokens.fold(criteria.words[:LONGEST_QUERY]))
    has_words = bool(tokens.plain_terms(rest.lower()))
    if not excluded or (has_words and not criteria.paths):
        return criteria
    return criteria._replace(words=criteria.words if has_words else "", excluded=frozenset(having(cache.db, excluded)))


def having(db: sqlite3.Connection, phrases: Iterable[str]) -> set[int]:
    """Return the memories that contain any of these normalised phrases. A single word is also found in other forms."""
    rows = (
        _with_all_words(db, one) if tokens.plain_terms(one) == [one] else containing_phrase(db, one) for one in phrases
    )
    return set().union(*rows)


def containing_phrase(db: sqlite3.Connection, phrase: str) -> set[int]:
    """Return the memories whose texts contain a normalised phrase."""
    texts = select(db, "SELECT rowid, text FROM memories WHERE rowid IN ({})", _with_all_words(db, phrase))
    return {rowid for rowid, text in texts if tokens.contains(tokens.normalise(text), phrase)}


def _with_all_words(db: sqlite3.Connection, phrase: str) -> set[int]:
    """Return the memories with every word of a normalised phrase. Other memories cannot contain the phrase."""
    words = dict.fromkeys(tokens.plain_terms(phrase))
    stems = tokens.stems(words)
    terms = {stems.get(word, word) for word in words}
    return set.intersection(*(rowids(db, term) for term in terms))


class Text(NamedTuple):
    """The folded, lower-case text of a long memory, its words that could match, and the width of a passage."""

    lower: str
    words: frozenset[str]
    width: int


def read(text: str, share: float, begin: Collection[str]) -> Text:
    """Prepare a text for the search. A passage has `share` of the text's length. `begin` is the result of `heads`."""
    lower = tokens.fold(text).lower()
    words = {word for word in runs(lower, tokens.ALPHANUMERIC) if word[:2] in begin or word in IRREGULAR}
    return Text(lower, frozenset(words), int(len(lower) * share) + 1)


def heads(terms: Iterable[str]) -> set[str]:
    """Return the first two letters of the words whose stem could be one of these terms."""
    return {term[:2] for term in terms if not tokens.is_dense(term)}


def forms(texts: Iterable[Text]) -> dict[str, str]:
    """Return the indexed term of each word in these texts."""
    words = set().union(*(text.words for text in texts))
    return {word: word for word in words} | tokens.stems(words)


def best(text: Text, values: Values, form: Mapping[str, str]) -> dict[str, int]:
    """Count the terms in the best passage of a text. Terms that are not in the text are left out.

    Single characters do not decide which passage is best, unless there are no other terms.
    """
    lower = text.lower
    places = [(at, form[word]) for word in text.words if form[word] in values for at in _whole(lower, word)]
    dense = [term for term in values if tokens.is_dense(term)]
    places += [(at, term) for term in dense if len(term) > 1 for at in _all(lower, term)]
    singles = [term for term in dense if len(term) == 1 and term in lower]
    if not places:
        places = [(at, term) for term in singles for at in _all(lower, term)]
    counts, start = _densest(sorted(places), text.width, values)
    passage = lower[start : start + text.width]
    return counts | {term: int(term in passage) for term in singles}


def _densest(places: list[tuple[int, str]], width: int, values: Values) -> tuple[dict[str, int], int]:
    """Return the counts of terms in the passage with the highest weight, and where this passage begins."""
    counts = dict.fromkeys((term for _, term in places), 0)
    best, begins = dict(counts), 0
    total = top = 0.0
    first = 0
    for at, term in places:
        counts[term] = count = counts[term] + 1
        if count <= MOST:
            total += values[term][count] - values[term][count - 1]
        while places[first][0] <= at - width:
            oldest = places[first][1]
            count = counts[oldest]
            if count <= MOST:
                total -= values[oldest][count] - values[oldest][count - 1]
            counts[oldest] = count - 1
            first += 1
        if total > top:
            top, best, begins = total, dict(counts), places[first][0]
    return best, begins


def _all(lower: str, term: str) -> Iterator[int]:
    at = -1
    while (at := lower.find(term, at + 1)) >= 0:
        yield at


def _whole(lower: str, word: str) -> Iterator[int]:
    for at in _all(lower, word):
        around = lower[at - 1 : at] + lower[at + len(word) : at + len(word) + 1]
        if not around or not any(char.isascii() and char.isalnum() for char in around):
            yield at


class PassageScores(NamedTuple):
    """Scores of long memories by their best passages."""

    db: sqlite3.Connection
    weights: Mapping[str, float]
    length: Callable[[int], int]
    norm: Callable[..., float]
    asked: frozenset[str]
    own: Parts
    lent: Parts

    def put(self, out: Parts, long: list[int], limit: int) -> None:
        """Put the scores of the best passages of the `long` memories into `out`.

        A passage never scores more than its whole memory. So memories are read in the order of their highest possible
        scores, until `limit` scores exceed the highest possible score of the next memory. The `long` memories that were
        not read are removed from `out`.
        """
        has_all = {rowid for rowid in out if self.asked <= self.own[rowid].keys()}
        if not NEAR.weight or len(self.asked) < NEAR_LEAST or not has_all.issubset(long):
            has_all = set()
        most = (WORD.weight + 1) * sum(self.weights.values())
        bounds = {rowid: most if rowid in has_all else sum(out[rowid].values()) for rowid in long}
        sums = [sum(parts.values()) for rowid, parts in out.items() if rowid not in bounds]
        waiting = sorted(long, key=lambda rowid: bounds[rowid])
        while waiting:
            sums = nlargest(limit, sums)
            if len(sums) == limit and bounds[waiting[-1]] < sums[-1]:
                break
            some, waiting = waiting[-_PORTION:], waiting[:-_PORTION]
            for rowid, parts in self._read(some, has_all).items():
                out[rowid] = parts
                sums.append(sum(parts.values()))
        for rowid in waiting:
            del out[rowid]

    def _read(self, rowids: list[int], has_all: Collection[int]) -> Parts:
        """Return the scores of memories. Memories in `has_all` have all words of the query in text, tags or date."""
        texts, begin = {}, heads(self.weights)
        for rowid in rowids:
            row = self.db.execute("SELECT text FROM memories WHERE rowid = ?", (rowid,)).fetchone()
            texts[rowid] = read(row[0], PASSAGE_LENGTH / self.length(rowid), begin)
        form = forms(texts.values())
        out = {}
        for rowid, text in texts.items():
            near = rowid in has_all and self._says_all(rowid, text, form)
            values = self._values(rowid, near=near)
            counts = best(text, values, form)
            own = {term: values[term][min(counts.get(term, 1), MOST)] for term in self.own[rowid]}
            out[rowid] = greater(own, self.lent.get(rowid))
        return out

    def _says_all(self, rowid: int, text: Text, form: Mapping[str, str]) -> bool:
        """Return whether the query's words in the text of a memory are close together, as `ranking.NEAR` requires."""
        once = {term: [0.0] + MOST * [self.weights[term]] for term in self.own[rowid]}
        counts = best(text._replace(width=text.width * int(NEAR.weight) // PASSAGE_WORDS), once, form)
        there = {term for term, count in counts.items() if count}
        return len(there) >= NEAR_LEAST and self.asked.isdisjoint(counts.keys() - there)

    def _values(self, rowid: int, *, near: bool) -> dict[str, list[float]]:
        """Return the scores of each term of a memory, for 0, 1, 2 … occurrences in a passage."""
        more = self.norm(self.length(rowid), near=near)
        out = {}
        for term in self.own[rowid]:
            full = self.weights[term] * (WORD.weight + 1)
            once = len(term) == 1 and tokens.is_dense(term)
            out[term] = [full * (c := min(n, 1) if once else n) / (c + more) for n in range(MOST + 1)]
        return out
