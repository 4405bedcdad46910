"""The criteria of a search, in plain values, and their SQL, which is only here."""

import sqlite3
from collections.abc import Callable
from functools import lru_cache
from time import gmtime

from promptx_mem.core.entry import LONG, MEDIUM, PERMANENT, SHORT, Entry
from promptx_mem.core.json_text import loads
from promptx_mem.core.labels import Path
from promptx_mem.core.state import DECIDED, NEVER, OWN, TALK, State
from promptx_mem.record import Any, NamedTuple

_WORDS = {
    "category": ("fact", "episode", "core", "system"),
    "duration": (LONG, SHORT, MEDIUM, PERMANENT),
    "source": ("user", "background_ai", "system"),
    "end": ("faded", "expired"),
}
_CODES = {column: {word: number for number, word in enumerate(words, 1)} for column, words in _WORDS.items()}


def code(column: str, word: str) -> str | int:
    """Return a word as its column stores it; a rare one is stored unchanged."""
    return _CODES[column].get(word, word)


@lru_cache(maxsize=256)
def word(column: str, value: str | int) -> str:
    """Return the word of a `code`."""
    return value if isinstance(value, str) else _WORDS[column][value - 1]


def zoned_time(first_at: float, zone: int) -> str:
    """Return a time as RFC 3339, in a zone in minutes; empty if there is no such day."""
    try:
        year, month, day, hour, minute, second, *_ = gmtime(first_at + 60 * zone)
    except (OverflowError, OSError, ValueError):
        return ""
    sign, minutes = ("-", -zone) if zone < 0 else ("+", zone)
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{sign}{minutes // 60:02}:{minutes % 60:02}"


def or_null(moment: float) -> float | str:
    """Return the stored value of a time: an empty text for one that never comes."""
    return "" if moment == NEVER else moment


def or_never(moment: float | None) -> float:
    """Return the stored time."""
    return NEVER if moment is None else moment


def or_first(moment: float | None, first_at: float) -> float:
    """Return a stored time; the first one is stored as an empty value."""
    return first_at if moment is None else moment


def unpack_time(at: str | None, zone: int | None, first_at: float) -> str:
    """Return the unpacked time."""
    return at or ("" if zone is None else zoned_time(first_at, zone))


BY_ID = "rowid = (SELECT row FROM lines WHERE id = ? AND row IS NOT NULL LIMIT 1)"
"""A condition on `memories`: a memory's lines lead to its row, so that it needs no index of ids."""

Progress = Callable[[int, int], None]
"""Called with the number of memories done, and of all."""
COLUMNS = (
    "id, hash, text, tags, score, duration, category, type, topic, session, source, verified, at, zone, first_at, "
    "importance, accessed, fresh_at, ends_at, end, superseded_by, fading_at, promotion_at, archived, extra, origin, "
    "band, unscored_until"
)

# Python's sqlite3 passes None slower than any other value; none of these is ever empty.
_WIDTH = COLUMNS.count(",") + 2


def _read_extra(encoded: str) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in loads(encoded).items()}


def to_state(row: sqlite3.Row) -> State:
    """Return the memory of a row, whose columns begin with those of `memories`, in their order."""
    return _state(row[:_WIDTH])


@lru_cache(maxsize=2048)  # a process that answers several calls reads the same memories again
def _state(row: tuple[Any, ...]) -> State:
    (
        _rowid, ident, _hash, text, tags, score, duration, category, kind, topic, session, source, verified,
        at, zone, first_at, importance, accessed, fresh_at, ends_at, end, superseded_by, fading_at, promotion_at,
        _archived, extra, origin, _band, unscored_until,
    ) = row  # fmt: skip
    entry = Entry(
        text=text, tags=tuple(tags.split()), score=score, duration=word("duration", duration), id=ident,
        at=unpack_time(at, zone, first_at), topic=topic, category=word("category", category), type=kind,
        source=word("source", source), verified=bool(verified), session=session,
        **(_read_extra(extra) if extra else {}),
    )  # fmt: skip
    return State(
        entry, first_at, entry.tags, entry.score, entry.duration, entry.category, entry.verified, importance, accessed,
        or_first(fresh_at, first_at), ends_at, word("end", end or "") or None,
        tuple(superseded_by.split()), or_never(fading_at), or_never(promotion_at), origin or OWN,
        unscored_until or 0.0,
    )  # fmt: skip


def row_of(db: sqlite3.Connection, ident: str) -> sqlite3.Row | None:
    """Return the row of a memory."""
    row: sqlite3.Row | None = db.execute(f"SELECT * FROM memories WHERE {BY_ID}", (ident,)).fetchone()  # noqa: S608 - a constant
    return row


UNDECIDED = f"(end IS NULL OR end NOT IN ({','.join(map(repr, sorted(DECIDED)))}))"
"""Nobody has ended it."""

LIVING = f"{UNDECIDED} AND ends_at > ?"
TALKING = f"{UNDECIDED} AND (ends_at > ? OR band = {TALK})"
UNPURGED = "(end IS NULL OR end <> 'purged')"
UNSCORED = "ifnull(unscored_until, 0) > ?"

Span = tuple[float, float]
"""From a time to before another, epoch seconds."""

Condition = tuple[str, list[Any]]
"""A condition on `memories` and its parameters."""


class Favour(NamedTuple):
    """Preferred memories among equal matches: since a time, of a session, of conversations."""

    span: Span
    session: str | None
    talks: bool

    def holds(self, state: State, *, weak: bool) -> bool:
        """Return whether a memory is preferred; for a weak match the preference for conversations is ignored."""
        is_then = self.span[0] <= state.first_at < self.span[1]
        is_there = self.session is None or state.entry.session == self.session
        return is_then and is_there and (not self.talks or (state.category == "episode" and not weak))


class Criteria(NamedTuple):
    """The criteria of a search. Words and paths add results, all others filter them; times are epoch seconds."""

    # The time of the question.
    now: float
    # The caller's day, ISO, the meaning of "yesterday" in the words.
    today: str | None = None
    # A query as people type it.
    words: str = ""
    # The same asked otherwise, as in another language: the best of them counts.
    otherwise: tuple[str, ...] = ()
    # Spellings that mean the same to the user, group by group.
    spellings: tuple[tuple[str, ...], ...] = ()
    # Topic paths.
    paths: tuple[Path, ...] = ()

    # When a memory may have been recorded: in one of these spans.
    spans: tuple[Span, ...] = ()
    # Tags that a memory must have, every one.
    tags: tuple[str, ...] = ()
    # The fields of a memory of these names.
    type: str | None = None
    category: str | None = None
    session: str | None = None
    # The least score.
    min_score: float | None = None
    # Recorded from this time on, and before that one.
    since: float | None = None
    until: float | None = None

    # Ended memories too, except destroyed ones.
    ended: bool = False
    # Only memories that are not unscored.
    scored: bool = False
    # Expired conversations too: messages are found as long as they are kept.
    talks: bool = False
    # Listed before the rest.
    favour: Favour | None = None
    # If there are only dates, the newest, those first.
    newest: bool = False

    def is_filtered(self) -> bool:
        """Return whether anything except dates and activity filters or extends the search."""
        return self.is_narrowed()

    def is_narrowed(self) -> bool:
        """Return whether the caller set a filter other than dates."""
        return bool(self._filters())

    def where(self, *, alive: bool = True, filtered: bool = True, dated: bool = True) -> Condition:
        """Return the condition for all matches; `alive`, `filtered` and `dated` False leave a part of it out."""
        conditions: list[tuple[str, tuple[Any, ...]]] = [self._present(alive=alive and not self.ended)]
        if self.scored:
            conditions.append((f"NOT {UNSCORED}", (self.now,)))
        if filtered:
            conditions += self._filters(dated=dated)
            if self.spans and dated:
                inside = " OR ".join("(first_at >= ? AND first_at < ?)" for _ in self.spans)
                conditions.append((f"({inside})", tuple(end for span in self.spans for end in span)))
        return " AND ".join(sql for sql, _ in conditions), [value for _, values in conditions for value in values]

    def _present(self, *, alive: bool) -> tuple[str, tuple[Any, ...]]:
        """Return the condition for all memories that can be found."""
        present = f"({TALKING})" if self.talks else LIVING
        return (present, (self.now,)) if alive else (UNPURGED, ())

    def _filters(self, *, dated: bool = True) -> list[tuple[str, tuple[Any, ...]]]:
        filters = [
            ("type = ?", self.type),
            ("category = ?", self.category and code("category", self.category)),
            ("session = ?", self.session),
            ("score >= ?", self.min_score),
            *(("rowid IN (SELECT row FROM tags WHERE tag = ?)", tag.casefold()) for tag in self.tags),
            ("first_at >= ?", self.since if dated else None),
            ("first_at < ?", self.until if dated else None),
        ]
        return [(sql, (value,)) for sql, value in filters if value is not None]
