"""A query: its terms and their weights, phrases that must match, words that must not."""

import re
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, NamedTuple

from promptx_mem.core.text import pattern
from promptx_mem.search import ranking, tokens
from promptx_mem.search.synonyms import variants
from promptx_mem.search.tokens import ASKING, FUNCTION_PHRASES, STOP_WORDS

if TYPE_CHECKING:
    from promptx_mem.search.synonyms import Group


ASKED_IN_SYNONYMS = 200
"""Characters of a question whose synonyms are looked for: a longer one has words enough."""

LONGEST_QUERY = 10_000
"""Characters of a query that are read: the longest text that a memory can have."""

_QUESTION_MARKS = ("?", "？")
_MARKS = frozenset('-"“')
_PHRASE = r'(?:(?<!\S)(-)|(?<![0-9A-Za-z]))(?:"([^"]*)"|“([^“”]*)”)'
_CLOSING = ".,;:!?。！？…)]}\"'"
_EXCLUDED = r"(?<!\S)-([^\W\d_]\S*)"

Term = tuple[str, float, str]
"""A term, its weight, and its word in the query."""

Synonyms = tuple[tuple[str, tuple[str, ...]], ...]
"""Terms of words that mean the same, each with the terms of the question's word."""


class Query(NamedTuple):
    """The query: terms, each with its weight and its word; phrases and exclusions, normalised.

    `key` is the `tokens.text_key` of the whole text. `added` are those terms that only repeat others in other words,
    `synonyms` among them: they do not raise the highest possible score.
    """

    terms: tuple[Term, ...]
    phrases: tuple[str, ...]
    excluded: tuple[str, ...]
    key: int
    added: frozenset[str] = frozenset()
    synonyms: Synonyms = ()

    def content(self) -> frozenset[str]:
        """Return the specific words of the query: no single character, and none of the question's phrasing."""
        words = (word for term, _, word in self.terms if term not in self.added and word not in ASKING)
        return frozenset(word for word in words if len(word) > 1 or not tokens.is_dense(word))


def parse_query(text: str, *, literal: bool = False, today: str | None = None, groups: "Iterable[Group]" = ()) -> Query:
    """Read a query: words, dates, `"a phrase"` that must occur, `-word` and `-"a phrase"` that must not.

    Any text is a query, never an error. Marks are plain text with `literal` (text that nobody typed as a query), in
    a question (a text that ends in a question mark: its quotation marks are titles), without a partner, and where
    nothing else is left to look for. `today` (ISO) defines "yesterday". `groups` are the user's own spellings
    of one thing.
    """
    folded = tokens.fold(text[:LONGEST_QUERY])
    plain = literal or folded.rstrip().endswith(_QUESTION_MARKS)
    rest, phrases, excluded = (folded, (), ()) if plain or _MARKS.isdisjoint(folded) else _marks(folded)
    terms = _terms(rest, today)
    more = _otherwise(rest.lower(), {term for term, _, _ in terms}, groups)
    alike, stand_for = ([], ()) if literal else _alike(rest.lower(), (*terms, *more))
    more += alike
    added = frozenset(term for term, _, _ in more)
    return Query((*terms, *more), phrases, excluded, tokens.text_key(folded), added, stand_for)


def _marks(folded: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Return the rest of the text, the phrases and the exclusions."""
    phrases: list[str] = []
    excluded: list[str] = []

    def phrase(match: re.Match[str]) -> str:
        words = match[2] or match[3] or ""
        if not tokens.plain_terms(words.lower()):
            return match[0]
        (excluded if match[1] else phrases).append(tokens.normalise(words))
        return " " if match[1] else f" {words} "

    def word(match: re.Match[str]) -> str:
        excluded.append(tokens.normalise(match[1].rstrip(_CLOSING)))
        return " "

    rest = pattern(_EXCLUDED).sub(word, pattern(_PHRASE).sub(phrase, folded))
    if not tokens.plain_terms(rest.lower()):
        return folded, (), ()
    return rest, tuple(phrases), tuple(excluded)


def _terms(folded: str, today: str | None) -> tuple[Term, ...]:
    lower = folded.lower()
    dates, spans = _dates(lower, today)
    named = [folded[slice(*span)] for span in spans]
    for name in named:
        folded = folded.replace(name, " " * len(name))
    every = dict.fromkeys(tokens.raw_terms(folded))
    every |= dict.fromkeys(tokens.characters(every))
    words = _content(folded.lower(), every) or ([] if dates else list(every))
    stems = tokens.stems(words)
    terms: dict[str, tuple[float, str]] = {}
    says_how = ASKING if any(word not in ASKING for word in words) else ()
    for word in words:
        terms.setdefault(stems.get(word, word), (ranking.ASKING.weight if word in says_how else 1.0, word))
    for word in (word for name in named for word in tokens.raw_terms(name)):
        terms.setdefault(stems.get(word, word), (ranking.DATE_WORD.weight, word))
    terms |= {date: (weight, date.strip("@-")) for date, weight in dates.items()}
    return tuple((term, weight, word) for term, (weight, word) in terms.items())


_MAY_NAME_DAYS = (
    *("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"),
    *("ago", "last ", "past ", "previous ", "this ", "before ", "today", "tonight", "yesterday"),
    *("月", "号", "年", "今", "昨", "前", "上", "本", "这", "近", "过去"),
)


def _dates(lower: str, today: str | None) -> tuple[dict[str, float], list[tuple[int, int]]]:
    """Return `days.query_dates`, a module that most questions need not load."""
    if not (any(hint in lower for hint in _MAY_NAME_DAYS) or any("0" <= char <= "9" for char in lower)):
        return {}, []
    from promptx_mem.search import days

    return days.query_dates(lower, today)


def _otherwise(lower: str, terms: Collection[str], groups: "Iterable[Group]") -> list[Term]:
    """Return the terms of other spellings of the text's words."""
    out: dict[str, Term] = {}
    for variant in variants(lower, groups):
        words = _words(variant)
        stems = tokens.stems(words)
        for word in words:
            term = stems.get(word, word)
            if term not in terms and word not in STOP_WORDS:
                out.setdefault(term, (term, ranking.SPELLING.weight / len(words) ** 0.5, word))
    return list(out.values())


def _alike(lower: str, terms: Collection[Term]) -> tuple[list[Term], Synonyms]:
    """Return the terms of synonyms of the text's words, and for each its word."""
    if len(lower) > ASKED_IN_SYNONYMS:
        return [], ()
    from promptx_mem.search.synonyms import synonyms

    term_of = {word: term for term, _, word in terms}
    known = set(term_of.values())
    found = dict(synonyms(lower))
    stems = tokens.stems(word for word in found if word.isascii())
    out: dict[str, Term] = {}
    stand_for: dict[str, tuple[str, ...]] = {}
    for synonym, own in found.items():
        words = _words(synonym)
        for word in words:
            term = stems.get(word, word)
            if term not in known and term not in out:
                out[term] = term, ranking.SYNONYM.weight / len(words) ** 0.5, word
                stand_for[term] = tuple(term_of[part] for part in _words(own) if part in term_of)
    return list(out.values()), tuple(stand_for.items())


def _words(variant: str) -> list[str]:
    """Split a spelling into words; a single character does not count with others: `c++` is not `c`."""
    words = tokens.plain_terms(variant)
    return [word for word in words if len(word) > 1] or tokens.identifiers(variant) or words


def _content(lower: str, every: Iterable[str]) -> list[str]:
    """Return the content terms: no English function word, no n-gram inside a Chinese one."""
    function = bytearray(len(lower))
    for phrase in () if lower.isascii() else FUNCTION_PHRASES:
        start = lower.find(phrase)
        while start >= 0:
            function[start : start + len(phrase)] = b"\1" * len(phrase)
            start = lower.find(phrase, start + 1)
    grams = {char for char, inside in zip(lower, function, strict=True) if not inside}
    grams.update(lower[i : i + 2] for i in range(len(lower) - 1) if not (function[i] and function[i + 1]))
    return [term for term in every if (term in grams if tokens.is_dense(term) else term not in STOP_WORDS)]
