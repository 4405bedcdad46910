"""What a search is asked for, in plain values; how it reads as SQL is said here and nowhere else."""

from typing import Any, NamedTuple

from promptx_mem.core.order import TALK
from promptx_mem.core.paths import Path
from promptx_mem.core.state import DECIDED, State
from promptx_mem.search.rows import code

UNDECIDED = f"(end IS NULL OR end NOT IN ({','.join(map(repr, sorted(DECIDED)))}))"
"""Nobody has ended it."""

LIVING = f"{UNDECIDED} AND ends_at > ?"
TALKING = f"{UNDECIDED} AND (ends_at > ? OR band = {TALK})"
UNPURGED = "(end IS NULL OR end <> 'purged')"
UNSCORED = "ifnull(unscored_until, 0) > ?"

Span = tuple[float, float]
"""From a moment to before another, epoch seconds."""

Condition = tuple[str, list[Any]]
"""A condition on `memories` and its parameters."""


class Favour(NamedTuple):
    """What goes before the rest among like matches: from a time, of a session, of conversations."""

    span: Span
    session: str | None
    talks: bool

    def holds(self, state: State, *, weak: bool) -> bool:
        """Tell whether a memory is meant; that some conversation is says nothing for one that hardly matches."""
        is_then = self.span[0] <= state.first_at < self.span[1]
        is_there = self.session is None or state.entry.session == self.session
        return is_then and is_there and (not self.talks or (state.category == "episode" and not weak))


class Criteria(NamedTuple):
    """What to look for. Words and paths widen, everything else narrows; times are epoch seconds."""

    # The moment for which it is answered.
    now: float
    # The caller's day, ISO: it gives "yesterday" among the words its meaning.
    today: str | None = None
    # A query as people type it.
    words: str = ""
    # The same asked otherwise, as in another language: the best of them counts.
    otherwise: tuple[str, ...] = ()
    # Spellings that mean the same to the user, group by group.
    spellings: tuple[tuple[str, ...], ...] = ()
    # Topic paths.
    paths: tuple[Path, ...] = ()

    # When a memory may have been noted: in one of these spans.
    spans: tuple[Span, ...] = ()
    # Tags that a memory must have, every one.
    tags: tuple[str, ...] = ()
    # The fields of a memory of these names.
    type: str | None = None
    category: str | None = None
    session: str | None = None
    # The least score.
    min_score: float | None = None
    # Noted from this moment on, and before that one.
    since: float | None = None
    until: float | None = None

    # Also what has ended, whatever was not destroyed.
    ended: bool = False
    # Only what is not unscored.
    scored: bool = False
    # Also conversations whose time is over: what was said is found as long as it is kept.
    talks: bool = False
    # What goes before the rest.
    favour: Favour | None = None
    # Of dates that stand alone the newest, those first.
    newest: bool = False

    def is_filtered(self) -> bool:
        """Tell whether anything narrows but dates and what lives, or widens that."""
        return self.is_narrowed()

    def is_narrowed(self) -> bool:
        """Tell whether the caller asked for anything to narrow it but dates."""
        return bool(self._filters())

    def where(self, *, alive: bool = True, filtered: bool = True, dated: bool = True) -> Condition:
        """The condition that all matches meet; `alive`, `filtered` and `dated` False leave a part of it out."""
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
        """What is there to be found at all."""
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
