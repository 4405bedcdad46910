"""A long memory counts by its best passage: where the words of a query stand closest together, in one width of text.

Passages are looked for when a query is asked, in the few memories that may be shown: an index of places would be as
large as the text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from promptx_mem.search import tokens
from promptx_mem.search.lexicon import IRREGULAR

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

MOST = 8
"""A term that occurs more often in a passage counts as this often."""

Values = dict[str, list[float]]
"""What each term is worth that occurs 0, 1, 2 … `MOST` times."""

_WORD = re.compile("[0-9a-z]+")


class Text(NamedTuple):
    """A long memory's folded, lower-case text, the words in it that may be meant, and the width of a passage."""

    lower: str
    words: frozenset[str]
    width: int


def read(text: str, share: float, begin: Collection[str]) -> Text:
    """Prepare a text whose passages are that share of it; `begin`, as `heads` gives it."""
    lower = tokens.fold(text).lower()
    words = {word for word in _WORD.findall(lower) if word[:2] in begin or word in IRREGULAR}
    return Text(lower, frozenset(words), int(len(lower) * share) + 1)


def heads(terms: Iterable[str]) -> set[str]:
    """Return what the words begin with that may stand for one of these terms."""
    return {term[:2] for term in terms if not tokens.is_dense(term)}


def forms(texts: Iterable[Text]) -> dict[str, str]:
    """Return the term that each word of these texts stands for."""
    words = set().union(*(text.words for text in texts))
    return {word: word for word in words} | tokens.stems(words)


def best(text: Text, values: Values, form: Mapping[str, str]) -> dict[str, int]:
    """Return how often each term occurs in the best passage of a text; one that is nowhere in the text is left out.

    Single characters, which are everywhere, do not decide which passage is best, unless there is nothing else.
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
    """Return the counts of the passage that is worth most, and where it begins."""
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
    at = lower.find(term)
    while at >= 0:
        yield at
        at = lower.find(term, at + 1)


def _whole(lower: str, word: str) -> Iterator[int]:
    """Yield where a word stands by itself."""
    for at in _all(lower, word):
        around = lower[at - 1 : at] + lower[at + len(word) : at + len(word) + 1]
        if not around or not any(char.isascii() and char.isalnum() for char in around):
            yield at
