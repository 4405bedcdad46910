"""A query: terms with weights, phrases that must occur, and words that must not occur. The criteria of a search."""

from collections.abc import Collection, Iterable, Iterator
from functools import cache
from itertools import chain

from promptx_mem.core.text import DIGITS, LETTERS, keeping, pattern, runs
from promptx_mem.record import TYPE_CHECKING, Any, NamedTuple
from promptx_mem.search import ranking, tokens
from promptx_mem.search.cache import LIVING, TALKING, UNPURGED, UNSCORED
from promptx_mem.search.tokens import ASKING, FUNCTION_PHRASES, IRREGULAR, STOP_WORDS, contains, fold

if TYPE_CHECKING:
    import re

    from promptx_mem.core.topics import Path

_WORDS = keeping(f"{DIGITS}{LETTERS}+-")
_QUARTER = r"(?<=[0-9])(?=q[1-4](?![0-9a-z]))"

Group = tuple[str, ...]
"""Spellings with the same meaning, such as k8s, kubernetes."""


def variants(lower: str, groups: Iterable[Group] = ()) -> Iterator[str]:
    """Yield other spellings of the words of a folded, lower-case text. `groups` are spellings that the user defined."""
    table = _table("abbreviations")
    if any(quarter in lower for quarter in ("q1", "q2", "q3", "q4")):
        lower = pattern(_QUARTER).sub(" ", lower)
    words = [word for run in runs(lower.replace("--", " "), _WORDS) if (word := run.strip("-"))]
    known = [*_phrases(words, 4)]
    if not lower.isascii():
        known += (phrase for phrase in table if not phrase.isascii() and phrase in lower)
    spellings = dict.fromkeys(spelling for phrase in known for spelling in _others(table, phrase))
    for group in (tuple(fold(spelling).lower() for spelling in own) for own in groups):
        if any(contains(lower, spelling) for spelling in group):
            spellings |= dict.fromkeys(group)
    yield from (spelling for spelling in spellings if spelling not in lower)


_BETWEEN = ", "


@cache
def _table(name: str) -> dict[str, str]:
    """Map each spelling in a word list to the lines with it. They are split later: a query needs few."""
    out: dict[str, str] = {}
    for line in tokens.word_lines(name):
        for spelling in line.split(_BETWEEN):
            out[spelling] = f"{out[spelling]}\n{line}" if spelling in out else line
    return out


def _others(table: dict[str, str], spelling: str) -> list[str]:
    """Return the other spellings of the groups of a spelling."""
    lines = table.get(spelling, "").splitlines()
    return [other for line in lines for other in line.split(_BETWEEN) if other != spelling]


_LATIN = frozenset(LETTERS)
_ENGLISH_WORDS = keeping(LETTERS)
_ENDINGS = (("s", ""), ("es", ""), ("ies", "y"), ("ed", ""), ("ed", "e"), ("ied", "y"), ("ing", ""), ("ing", "e"))


def synonyms(lower: str) -> Iterator[tuple[str, str]]:
    """Yield synonyms of the words of a folded, lower-case question, each with the word of the question."""
    if not lower.isascii() and _LATIN.isdisjoint(lower):
        return
    table = _table("synonyms")
    words = runs(lower, _ENGLISH_WORDS)
    found = {next((form for form in _forms(word) if form in table), ""): word for word in words}
    found |= {phrase: phrase for phrase in _phrases(words, 3) if " " in phrase and phrase in table}
    for known, word in found.items():
        for other in _others(table, known):
            if " " not in other and other not in found:
                yield other, word


def _phrases(words: list[str], most: int) -> Iterator[str]:
    for size in range(1, most + 1):
        for start in range(len(words) - size + 1):
            yield " ".join(words[start : start + size])


def _forms(word: str) -> Iterator[str]:
    """Yield the word itself, then its possible base forms."""
    yield word
    if word in IRREGULAR:
        yield IRREGULAR[word]
    for ending, instead in _ENDINGS:
        if word.endswith(ending):
            base = word.removesuffix(ending)
            yield base + instead
            if base[-1:] == base[-2:-1]:
                yield base[:-1]  # plan from planned


ASKED_IN_SYNONYMS = 200
"""Maximum length, in characters, of a question for which synonyms are searched."""

LONGEST_QUERY = 10_000
"""Number of characters of a query that are read: as many as the longest memory has."""

_QUESTION_MARKS = ("?", "？")
_MARKS = frozenset('-"“')
_PHRASE = r'(?:(?<!\S)(-)|(?<![0-9A-Za-z]))(?:"([^"]*)"|“([^“”]*)”)'
_CLOSING = ".,;:!?。！？…)]}\"'"
_EXCLUDED = r"(?<!\S)-([^\W\d_]\S*)"

Term = tuple[str, float, str]
"""A search term, its weight, and the word of the query from which it comes."""

Synonyms = tuple[tuple[str, tuple[str, ...]], ...]
"""Pairs: a term of a synonym, and the terms of the question's word that has this synonym."""


class Query(NamedTuple):
    """A parsed query.

    Each term has a weight and the word from which it was made. A result must contain `phrases` and must not contain
    `excluded`; both are normalised. `text` is the whole query, folded and in lower case. `added` are terms, such as
    synonyms, that repeat other terms in different words. They do not raise the highest possible score.
    """

    terms: tuple[Term, ...]
    phrases: tuple[str, ...]
    excluded: tuple[str, ...]
    text: str
    added: frozenset[str] = frozenset()
    synonyms: Synonyms = ()


def parse_query(text: str, *, literal: bool = False, today: str | None = None, groups: "Iterable[Group]" = ()) -> Query:
    """Parse a query: words, dates, `"a phrase"` that must occur, `-word` and `-"a phrase"` that must not occur.

    Any text is a valid query. Quotation marks and minus signs are plain text in four cases: with `literal` (the text
    was not typed as a query), in a text that ends with a question mark, if a mark has no partner, and if no other words
    remain. `today` (ISO) defines "yesterday". `groups` are the user's abbreviations.
    """
    folded = tokens.fold(text[:LONGEST_QUERY])
    rest, phrases, excluded = (folded, (), ()) if literal else marks(folded)
    if excluded and not tokens.plain_terms(rest.lower()):
        rest, excluded = folded, ()
    terms = _terms(rest, today)
    lower = rest.lower()
    added = _added(variants(lower, groups), {term for term, _, _ in terms}, ranking.SPELLING.weight)
    stand_for: dict[str, tuple[str, ...]] = {}
    if not literal and len(rest) <= ASKED_IN_SYNONYMS:
        term_of = {word: term for term, _, word in (*terms, *added.values())}
        for synonym, own in dict(synonyms(lower)).items():
            alike = _added([synonym], {*term_of.values(), *added}, ranking.SYNONYM.weight)
            meant = tuple(term_of[word] for word in _words_query(own) if word in term_of)
            stand_for |= dict.fromkeys(alike, meant)
            added |= alike
    every = (*terms, *added.values())
    return Query(every, phrases, excluded, folded.lower().strip(), frozenset(added), tuple(stand_for.items()))


def marks(folded: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Split a query. Return its text without exclusions, then its phrases, then its exclusions."""
    if _MARKS.isdisjoint(folded) or folded.rstrip().endswith(_QUESTION_MARKS):
        return folded, (), ()
    phrases: list[str] = []
    excluded: list[str] = []

    def phrase(match: "re.Match[str]") -> str:
        words = match[2] or match[3] or ""
        if not tokens.plain_terms(words.lower()):
            return match[0]
        (excluded if match[1] else phrases).append(tokens.normalise(words))
        return " " if match[1] else f" {words} "

    def word(match: "re.Match[str]") -> str:
        excluded.append(tokens.normalise(match[1].rstrip(_CLOSING)))
        return " "

    rest = pattern(_EXCLUDED).sub(word, pattern(_PHRASE).sub(phrase, folded))
    return rest, tuple(phrases), tuple(excluded)


def _terms(folded: str, today: str | None) -> tuple[Term, ...]:
    lower = folded.lower()
    dates, spans = _dates(lower, today)
    named = [folded[slice(*span)] for span in spans]
    for name in named:
        folded = folded.replace(name, " " * len(name))
    every = dict.fromkeys(tokens.raw_terms(folded))
    every |= dict.fromkeys(tokens.pairs_by_first_character(every))
    words = _content(folded.lower(), every) or ([] if dates else list(every))
    stems = tokens.stems(words)
    terms: dict[str, tuple[float, str]] = {}
    says_how = ASKING if any(word not in ASKING for word in words) else ()
    for word in words:
        weight = ranking.ASKING.weight if word in says_how else 1.0
        terms.setdefault(stems.get(word, word), (weight, word))
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
    """Return the result of `query_days.query_dates`. The module is loaded only if the text could name a date."""
    if not (any(hint in lower for hint in _MAY_NAME_DAYS) or any("0" <= char <= "9" for char in lower)):
        return {}, []
    from promptx_mem.search.query_days import query_dates

    return query_dates(lower, today)


def _added(spellings: Iterable[str], known: Collection[str], full: float) -> dict[str, Term]:
    """Return the terms of other spellings or synonyms, except `known` terms. Each of n words weighs full / n ** 0.5."""
    out: dict[str, Term] = {}
    for spelling in spellings:
        words = _words_query(spelling)
        stems = tokens.stems(words)
        for word in words:
            term = stems.get(word, word)
            if term not in known and word not in STOP_WORDS:
                out.setdefault(term, (term, full / len(words) ** 0.5, word))
    return out


def _words_query(variant: str) -> list[str]:
    """Return a spelling's words of two or more characters. If there are none, return identifiers or else all words."""
    words = tokens.plain_terms(variant)
    return [word for word in words if len(word) > 1] or tokens.identifiers(variant) or words


_WEEKDAY = "周[一二三四五六日]"


def _content(lower: str, every: Iterable[str]) -> list[str]:
    """Return `every` without English function words, and without characters and pairs inside Chinese function words.

    Characters of a weekday are left out too: 周五 must not find 周二.
    """
    function = bytearray(len(lower))
    weekdays = pattern(_WEEKDAY).findall(lower) if "周" in lower else []
    for phrase in () if lower.isascii() else (*FUNCTION_PHRASES, *weekdays):
        start = -1
        while (start := lower.find(phrase, start + 1)) >= 0:
            function[start : start + len(phrase)] = b"\1" * len(phrase)
    grams = {char for char, inside in zip(lower, function, strict=True) if not inside}.union(weekdays)
    grams.update(lower[i : i + 2] for i in range(len(lower) - 1) if not (function[i] and function[i + 1]))
    return [term for term in every if (term in grams if tokens.is_dense(term) else term not in STOP_WORDS)]


Span = tuple[float, float]
"""A period: start (included) and end (excluded), in epoch seconds."""

Condition = tuple[str, list[Any]]
"""An SQL condition on `memories`, and its parameters."""


_Conditions = list[tuple[str, tuple[Any, ...]]]


def _all_of(conditions: _Conditions) -> Condition:
    """Join SQL conditions and their parameters with AND."""
    return " AND ".join(sql for sql, _ in conditions), [value for _, values in conditions for value in values]


def tag_key(tag: str) -> str:
    """Return a tag as the table `tags` contains it."""
    return tokens.simplified(tag.casefold())


class Criteria(NamedTuple):
    """The criteria of a search. Words and paths add results, other criteria filter them. Times are in epoch seconds."""

    # The time of the question.
    now: float
    # The caller's day (ISO), which defines "yesterday" in the words.
    today: str | None = None
    # A query as people type it.
    words: str = ""
    # Alternative queries, for example in another language. Of each memory, the best match counts.
    otherwise: tuple[str, ...] = ()
    # Groups of spellings that mean the same to the user.
    spellings: tuple[tuple[str, ...], ...] = ()
    # Topic paths.
    paths: "tuple[Path, ...]" = ()

    # Periods, in one of which a memory must have been recorded.
    spans: tuple[Span, ...] = ()
    # Tags, all of which a memory must have.
    tags: tuple[str, ...] = ()
    # Values that the memory's fields of these names must have.
    type: str | None = None
    category: str | None = None
    session: str | None = None
    # The minimum score.
    min_score: float | None = None
    # A memory must have been recorded at `since` or later, and before `until`.
    since: float | None = None
    until: float | None = None

    # Rowids of memories that the search leaves out.
    excluded: frozenset[int] = frozenset()
    # Also find ended memories, except purged ones.
    ended: bool = False
    # Leave out memories about which a person must still decide.
    scored: bool = False
    # Also find expired conversations, since messages can be found as long as they are kept.
    talks: bool = False
    # In a search only by date, the newest memories are first.
    newest: bool = False

    def is_narrowed(self) -> bool:
        """Return whether a filter is set, except `spans`, `ended` and `scored`."""
        return bool(self._filters()) or self.since is not None or self.until is not None

    def where(self, *, filtered: bool = True, dated: bool = True) -> Condition:
        """Return the SQL condition for matches, with filters if `filtered`, and times if also `dated`."""
        present = f"({TALKING})" if self.talks else LIVING
        conditions: _Conditions = [(UNPURGED, ()) if self.ended else (present, (self.now,))]
        if self.scored:
            conditions.append((f"NOT {UNSCORED}", (self.now,)))
        if filtered:
            conditions += self._filters() + (self._times("first_at") if dated else [])
        return _all_of(conditions)

    def when(self, column: str) -> Condition:
        """Return the SQL condition for the dates of the search, on a column of times; empty for any time."""
        return _all_of(self._times(column))

    def _times(self, column: str) -> _Conditions:
        limits = [(f"{column} >= ?", self.since), (f"{column} < ?", self.until)]
        conditions: _Conditions = [(sql, (limit,)) for sql, limit in limits if limit is not None]
        if self.spans:
            inside = " OR ".join([f"({column} >= ? AND {column} < ?)"] * len(self.spans))
            conditions.append((f"({inside})", tuple(chain.from_iterable(self.spans))))
        return conditions

    def _filters(self) -> _Conditions:
        filters = [
            ("type = ?", self.type),
            ("category = ?", self.category),
            ("session = ?", self.session),
            ("score >= ?", self.min_score),
        ]
        out: _Conditions = [(sql, (value,)) for sql, value in filters if value is not None]
        for tag in self.tags:
            out.append(("memories.rowid IN (SELECT row FROM tags WHERE tag = ?)", (tag_key(tag),)))
        rowids = ",".join(map(str, sorted(self.excluded)))
        return [*out, (f"memories.rowid NOT IN ({rowids})", ())] if rowids else out
