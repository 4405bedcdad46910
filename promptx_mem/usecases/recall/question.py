"""What a recall asks for: its cues and filters, read and turned into conditions on the cache."""

from typing import TYPE_CHECKING, Any, NamedTuple

from promptx_mem.core.entry import CATEGORIES, TYPES
from promptx_mem.core.paths import Path, format_path, parse_path
from promptx_mem.core.syntax import normalise_tag
from promptx_mem.core.text import clean, printable, shorten
from promptx_mem.errors import UsageError
from promptx_mem.search.days import query_terms
from promptx_mem.search.worth import UNDECIDED

if TYPE_CHECKING:
    import datetime
    from collections.abc import Mapping

    from promptx_mem.usecases.recall.cues import Cues
    from promptx_mem.usecases.recall.dates import Span

Filter = tuple[str, tuple[Any, ...]]
"""An SQL condition on `memories` and its parameters."""

MAX_COUNT = 10_000
MAX_BUDGET = 1_000_000

LIVING = f"{UNDECIDED} AND ends_at > ?"
KNOWN = "(end IS NULL OR end <> 'purged')"
"""Conditions on `memories`: what lives at a moment; with `--archived` all but what was destroyed."""


class Question(NamedTuple):
    """A recall's cues, read. `now` is the moment for which it is answered, epoch seconds."""

    words: str
    paths: tuple[Path, ...]
    spans: "tuple[Span, ...]"
    tags: tuple[str, ...]
    now: float
    today: str
    filters: tuple[Filter, ...]
    cues: tuple[str, ...]
    skipped: tuple[str, ...] = ()
    as_words: str = ""
    archived: bool = False

    def where(self, *, alive: bool = True, filtered: bool = True) -> tuple[str, list[Any]]:
        """The SQL condition that all results meet, with its parameters."""
        conditions: list[Filter] = []
        conditions.append((LIVING, (self.now,)) if alive and not self.archived else (KNOWN, ()))
        if filtered:
            conditions += self.filters
            if self.spans:
                inside = " OR ".join("(first_at >= ? AND first_at < ?)" for _ in self.spans)
                conditions.append((f"({inside})", tuple(end for span in self.spans for end in span)))
        return " AND ".join(sql for sql, _ in conditions), [value for _, values in conditions for value in values]

    def worded(self) -> "Question":
        """The same with a date that stood alone taken as words."""
        return self._replace(words=self.as_words, spans=(), as_words="")


def read_question(cues: "Cues", clock: "datetime.datetime", aliases: "Mapping[str, str]") -> Question:
    """Read cues as of `clock`. Raises UsageError for what is wrong, with its name."""
    _check_numbers(cues)
    text, tags = _words(cues, aliases)
    paths = tuple(map(_path, cues.topics))
    times = _Times(now=clock.timestamp())
    if cues.dates or cues.since or cues.until or cues.as_of or may_be_date(text):
        times = _times(cues, clock, "" if cues.dates or paths else text)
    # `上周` is nothing that a text could name as well
    as_words = text if times.alone and query_terms(text.lower(), None) else ""
    shown = [
        *((text,) if text else ()),
        *(f"#{tag}" for tag in tags),
        *(f"topic {format_path(path)}" for path in paths),
        *(f"date {printable(date)}" for date in cues.dates),
    ]
    return Question(
        words="" if times.alone else text,
        paths=paths,
        spans=times.spans,
        tags=tags,
        now=times.now,
        today=clock.date().isoformat(),
        filters=(*_choices(cues), *_tagged(tags), *times.filters),
        cues=tuple(shown),
        skipped=times.skipped,
        as_words=as_words,
        archived=cues.archived or cues.history,
    )


class _Times(NamedTuple):
    """What the dates among the cues say; `alone`: the text is nothing but one of them."""

    now: float
    spans: "tuple[Span, ...]" = ()
    filters: tuple[Filter, ...] = ()
    skipped: tuple[str, ...] = ()
    alone: bool = False


def _times(cues: "Cues", clock: "datetime.datetime", text: str) -> _Times:
    from promptx_mem.usecases.recall import dates

    there = dates.zoned(clock)
    spans, skipped = [], []
    for date in cues.dates:
        try:
            spans.append(dates.span(date, "--date", there))
        except UsageError as error:
            if not cues.lenient:
                raise
            skipped.append(error.message)
    first = None if cues.since is None else dates.since(cues.since, there)
    last = None if cues.until is None else dates.until(cues.until, there)
    if first is not None and last is not None and last < first:
        raise UsageError(f"--since {cues.since} is later than --until {cues.until}", hint="exchange the two")
    filters: list[Filter] = []
    if first is not None:
        filters.append(("first_at >= ?", (first,)))
    if last is not None:
        filters.append(("first_at < ?", (last,)))
    now = clock.timestamp() if cues.as_of is None else dates.moment(cues.as_of, there)
    alone = dates.only_a_date(text, there)
    if alone is not None:
        spans.append(alone)
    return _Times(now, tuple(spans), tuple(filters), tuple(skipped), alone is not None)


_LONGEST_DATE = 32
_CHINESE_DATES = frozenset("天日晚夜早晨周期拜月年时钟")
_ENGLISH_DATES = " yes tod ton las pas pre thi jan feb mar apr may jun jul aug sep oct nov dec ago "


def may_be_date(words: str) -> bool:
    """Tell whether a text looks as if it were nothing but a date; reading dates for certain costs milliseconds."""
    if not 0 < len(words) <= _LONGEST_DATE:
        return False
    if not _CHINESE_DATES.isdisjoint(words) or (words[:4].isdecimal() and words[4:5] in ("-", "/")):
        return True
    return any(f" {word[:3]} " in _ENGLISH_DATES for word in words.lower().split())


def _check_numbers(cues: "Cues") -> None:
    if cues.count is not None and not 1 <= cues.count <= MAX_COUNT:
        raise UsageError(f"-n {cues.count} is not a number of results", hint=f"1 to {MAX_COUNT}")
    if cues.budget is not None and not 1 <= cues.budget <= MAX_BUDGET:
        raise UsageError(f"--budget {cues.budget} is not a number of tokens", hint=f"1 to {MAX_BUDGET}")
    if cues.min_score is not None and not 0 <= cues.min_score <= 10:
        raise UsageError(f"--min-score {cues.min_score:g} is not a score", hint="0 to 10")


def _words(cues: "Cues", aliases: "Mapping[str, str]") -> tuple[str, tuple[str, ...]]:
    """Split `#tag` words off the text: they are filters."""
    words, tags = [], []
    for given in cues.tags:
        tag = normalise_tag(clean(given))
        if tag is None:
            raise UsageError(f"{shorten(given, 40)!r} is not a tag", hint="letters, digits and _ - . /, without spaces")
        tags.append(aliases.get(tag, tag))
    for word in clean(cues.text).split():
        tag = normalise_tag(word) if word[:1] in "#＃" else None
        if tag is None:
            words.append(word)
        else:
            tags.append(aliases.get(tag, tag))
    return " ".join(words), tuple(dict.fromkeys(tags))


def _choices(cues: "Cues") -> list[Filter]:
    filters: list[Filter] = []
    for name, value, allowed in (("type", cues.type, TYPES), ("category", cues.category, CATEGORIES)):
        if value is not None:
            if value not in allowed:
                raise UsageError(f"--{name} {shorten(value, 40)!r} is not known", hint=f"one of {', '.join(allowed)}")
            filters.append((f"{name} = ?", (value,)))
    if cues.session is not None:
        filters.append(("session = ?", (printable(cues.session.strip()),)))
    if cues.min_score is not None:
        filters.append(("score >= ?", (cues.min_score,)))
    return filters


def _tagged(tags: tuple[str, ...]) -> list[Filter]:
    return [("rowid IN (SELECT row FROM tags WHERE tag = ?)", (tag.casefold(),)) for tag in tags]


def _path(text: str) -> Path:
    path = parse_path(clean(text))
    if not path:
        raise UsageError(f"--topic {shorten(text, 40)!r} is not a topic path", hint="parts joined by ->: a->b")
    return path
