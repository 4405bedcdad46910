"""How a row of the cache becomes a memory again.

The words that most memories share are numbers in the cache: SQLite keeps 1 in no bytes, a word in its own. Their order
is part of the cache's form. A time that another column gives takes no room.
"""

import sqlite3
from collections.abc import Callable
from functools import lru_cache
from time import gmtime
from typing import Any

from promptx_mem.core.decay import NEVER
from promptx_mem.core.entry import LONG, MEDIUM, PERMANENT, SHORT, Entry
from promptx_mem.core.origin import OWN
from promptx_mem.core.state import State

_WORDS = {
    "category": ("fact", "episode", "core", "system"),
    "duration": (LONG, SHORT, MEDIUM, PERMANENT),
    "source": ("user", "background_ai", "system"),
    "end": ("faded", "expired"),
}
_CODES = {column: {word: number for number, word in enumerate(words, 1)} for column, words in _WORDS.items()}


def code(column: str, word: str) -> str | int:
    """A word as a column keeps it; a rare one stays as it is."""
    return _CODES[column].get(word, word)


def word(column: str, value: str | int) -> str:
    """What `code` was made of."""
    return value if isinstance(value, str) else _WORDS[column][value - 1]


def zoned_time(first_at: float, zone: int) -> str:
    """RFC 3339 of a moment, in a zone given in minutes; empty where there is no such day."""
    try:
        year, month, day, hour, minute, second, *_ = gmtime(first_at + 60 * zone)
    except (OverflowError, OSError, ValueError):
        return ""
    sign, minutes = ("-", -zone) if zone < 0 else ("+", zone)
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{sign}{minutes // 60:02}:{minutes % 60:02}"


def or_null(moment: float) -> float | str:
    """What stands for a moment: nothing where it never comes."""
    return "" if moment == NEVER else moment


def or_never(moment: float | None) -> float:
    """The moment that was kept."""
    return NEVER if moment is None else moment


def or_first(moment: float | None, first_at: float) -> float:
    """The moment that was kept; one that is the first takes no room."""
    return first_at if moment is None else moment


def unpack_time(at: str | None, zone: int | None, first_at: float) -> str:
    """Return what was packed."""
    return at or ("" if zone is None else zoned_time(first_at, zone))


BY_ID = "rowid = (SELECT row FROM lines WHERE id = ? AND row IS NOT NULL LIMIT 1)"
"""A condition on `memories`: its lines say which row it has, so that it needs no index of ids."""

Progress = Callable[[int, int], None]
"""Called with how many memories are done and how many there are."""
COLUMNS = (
    "id, hash, text, tags, score, duration, category, type, topic, session, source, verified, at, zone, first_at, "
    "importance, accessed, fresh_at, ends_at, end, superseded_by, fading_at, promotion_at, archived, extra, origin, "
    "band, unscored_until"
)

# To hand over None takes Python's sqlite3 longer than any other value; none of these is ever empty.
_WIDTH = COLUMNS.count(",") + 2


def _read_extra(encoded: str) -> dict[str, Any]:
    import json

    return {key: tuple(value) if isinstance(value, list) else value for key, value in json.loads(encoded).items()}


def to_state(row: sqlite3.Row) -> State:
    """The memory that a row holds, whose columns begin with those of `memories`, in their order."""
    return _state(row[:_WIDTH])


@lru_cache(maxsize=2048)  # who answers one call after the other meets the same memories again
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
    """The row of a memory."""
    row: sqlite3.Row | None = db.execute(f"SELECT * FROM memories WHERE {BY_ID}", (ident,)).fetchone()  # noqa: S608 - a constant
    return row
