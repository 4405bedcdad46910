"""The fold: a memory's lines, its events and what supersedes it -> its State.

A pure function of the *set* of lines and events: neither their order nor copies of them matter, so that two
stores which were united give the same answer on every host.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from promptx_mem.core.decay import LASTING, NEVER, asked_after, ending, initial
from promptx_mem.core.durations import end_of, steady
from promptx_mem.core.entry import Entry
from promptx_mem.core.journal import (
    ALIASED,
    CONTRADICTED,
    KINDS,
    REPLACED,
    Event,
    event_hash,
    format_event,
    parse_event,
)
from promptx_mem.core.life import ENDING_KINDS, Life, value_hash
from promptx_mem.core.origin import FACT, IMPORT, OWN
from promptx_mem.core.replaced import without_replaced
from promptx_mem.core.state import DECIDED, Review, State, importance_at, lives, review
from promptx_mem.core.times import DAY, epoch, micros, parse_at

__all__ = [
    "DECIDED", "KINDS", "Event", "Review", "State", "Superseded",
    "event_hash", "fold", "fold_all", "format_event", "importance_at", "line_key", "lives", "parse_event",
    "review",
]  # fmt: skip


_MARKS = ("imported", "owned")
_ASIDE = ("adopted", "confirmed", "unscored", REPLACED, CONTRADICTED, ALIASED, *_MARKS)
"""What changes nothing in the course of a memory's life."""

UNSCORED_SECONDS = 14 * DAY
"""For so long an unscored memory waits for an answer; then it counts as a hand-written line."""

UNSCORED_SCORE = 5.0
_RAISING = ("boosted", "repeated", "verified", "promoted")
"""Events that do not lift a memory for which no person has answered."""


class Superseded(NamedTuple):
    """`by` took the place of the memory folded; `purged` where the text of `by` has been destroyed."""

    by: str
    k: int
    at: str
    purged: bool = False


class _Step(NamedTuple):
    k: int
    time: float
    at: str
    record: Entry | Event | Superseded


def line_key(entry: Entry) -> int:
    """Return the place of a line among the events: its `k`, else its `at` in microseconds.

    An event on this memory must get a greater `k`, or it counts as one of an earlier life of the same text.
    """
    if entry.at is None:
        raise ValueError(f"memory {entry.id} has no time")
    return micros(entry.at) if entry.k is None else entry.k


def fold_all(entries: Iterable[Entry], events: Iterable[Event]) -> dict[str, State]:
    """Fold a store: every id that has a line gets its State. ValueError where a line has no time."""
    lines: dict[str, list[Entry]] = {}
    superseders: dict[str, list[Superseded]] = {}
    happened: dict[str, list[Event]] = {}
    events = tuple(events)
    purged = {ident: event.k for event in sorted(_purges(events), key=lambda event: event.k) for ident in event.ids}
    for entry in without_replaced(entries, events):
        lines.setdefault(entry.id, []).append(entry)
        if entry.supersedes and entry.supersedes != entry.id and entry.at:
            superseded = Superseded(entry.id, line_key(entry), entry.at)
            # A purged line may be gone already or not yet: what it superseded is for the purge to say.
            if superseded.k > purged.get(entry.id, 0):
                superseders.setdefault(entry.supersedes, []).append(superseded)
    for event in events:
        for id_ in event.ids:
            happened.setdefault(id_, []).append(event)
        if event.supersedes and event.ids and event.kind in ("restored", "purged"):
            superseded = Superseded(event.ids[0], event.k, event.at, purged=event.kind == "purged")
            for id_ in set(event.supersedes) - set(event.ids):
                superseders.setdefault(id_, []).append(superseded)
    for was, id_ in _former(lines):
        if was in happened or was in superseders:
            happened.setdefault(id_, []).extend(happened.get(was, ()))
            superseders.setdefault(id_, []).extend(superseders.get(was, ()))
    touched = happened.keys() | superseders.keys()
    return {
        id_: fold(own, happened.get(id_, ()), superseders.get(id_, ()))
        if id_ in touched or len(own) > 1 or own[0].unconfirmed
        else _untouched(own[0])
        for id_, own in lines.items()
    }


def _former(lines: Mapping[str, Sequence[Entry]]) -> set[tuple[str, str]]:
    """Ids that no line has, each with an entry whose first line had it: what was said of that was said of the entry."""
    return {
        (entry.was, id_)
        for id_, own in lines.items()
        for entry in own
        if entry.was is not None and entry.was not in lines
    }


def fold(lines: Sequence[Entry], events: Iterable[Event], superseders: Iterable[Superseded] = ()) -> State:
    """Fold one memory from all lines of its id. ValueError where there is none, or one without a time."""
    rest: list[_Step] = [*_steps(set(events)), *_steps(set(superseders))]
    if len(lines) == 1 and not rest and lines[0].unconfirmed is None:
        return _untouched(lines[0])
    first, *repeats = _ordered([_line_step(line) for line in _not_destroyed(lines, rest)])
    adopted = [step for step in rest if _kind(step) == "adopted"]
    assert isinstance(first.record, Entry)
    if adopted and first.record.k is None:  # a line with a `k` was not written by hand: its text has come back since
        earliest = min(adopted, key=lambda step: (step.time, step.at))
        if earliest.time < first.time:
            k = min(first.k, micros(earliest.at))
            first = _Step(k, earliest.time, earliest.at, first.record._replace(at=earliest.at))
    origin = _origin([first, *repeats], rest)
    confirmed = [step for step in rest if _kind(step) == "confirmed"]
    written = [step for step in rest if _kind(step) == "unscored"]
    aliased = list(_aliased(rest))
    rest = _ordered([*repeats, *(step for step in rest if _kind(step) not in _ASIDE)])
    unscored = _is_unscored(lines, written, confirmed)
    if unscored:
        first, rest = _as_hand_written(first), [_as_hand_written(step) for step in rest if _kind(step) not in _RAISING]
    line = first.record
    assert isinstance(line, Entry)
    life = Life(line, first.time, first.at, origin)
    for step in _of_this_life(first, rest):
        _apply(life, step)
    state = _with_aliases(life.state(), aliased)
    if not unscored:
        return state
    asked = max([life.taken_at, *(step.time for step in written)])
    return state._replace(unscored_until=asked + UNSCORED_SECONDS)


def _with_aliases(state: State, aliased: list[_Step]) -> State:
    """Return the state with the aliases of the last event that has some, else those of its line."""
    if not aliased:
        return state
    last = _ordered(aliased)[-1].record
    assert isinstance(last, Event)
    return state._replace(entry=state.entry._replace(aka=last.aka))


def _aliased(rest: Sequence[_Step]) -> Iterator[_Step]:
    """Return the events that give aliases: no offer, and none of a text that was destroyed since."""
    purged = max((step.k for step in rest if _kind(step) == "purged"), default=0)
    for step in rest:
        event = step.record
        if isinstance(event, Event) and event.kind == ALIASED and event.reason is None and step.k > purged:
            yield step


def _is_unscored(lines: Sequence[Entry], written: Sequence[_Step], confirmed: Sequence[_Step]) -> bool:
    """Return whether a memory went past the gate, and nobody has answered since.

    An agent wrote it into the file (an event says so), or stored all its lines without being asked.
    """
    newest = max((step.k for step in written), default=0)
    if not any(line.unconfirmed is None for line in lines):
        newest = max(newest, *map(line_key, lines))
    return newest > 0 and not any(step.k > newest for step in confirmed)


def _as_hand_written(step: _Step) -> _Step:
    """Return the step of an unscored line with the score that a hand-written one gets at most; others as they are."""
    line = step.record
    if not isinstance(line, Entry):
        return step
    category = FACT if line.category in LASTING else line.category
    line = line._replace(score=min(line.score, UNSCORED_SCORE), category=category, verified=False)
    return step._replace(record=line)


def _not_destroyed(lines: Sequence[Entry], rest: Iterable[_Step]) -> set[Entry]:
    """Leave out lines from before a purge, which a merge may bring back, where the text has been stored again since."""
    purged = max((step.k for step in rest if _kind(step) == "purged"), default=0)
    return {line for line in lines if line_key(line) > purged} or set(lines)


def _origin(lines: Sequence[_Step], rest: Sequence[_Step]) -> str:
    """Whose a memory is: own, unless an import brought it and since then nobody has stored it or said that it is his.

    The mark of an import comes after the lines that it brought.
    """
    marks = [step for step in rest if _kind(step) in _MARKS or _is_stored(step)]
    if not any(_kind(step) == "imported" for step in marks):
        return OWN
    last = _ordered([*lines, *marks])[-1]
    return IMPORT if _kind(last) == "imported" else OWN


def _is_stored(step: _Step) -> bool:
    """Whether an event says that the text itself was stored again."""
    return (
        isinstance(step.record, Event)
        and step.record.kind in ("repeated", "restored")
        and step.record.score is not None
    )


def _purges(events: Iterable[Event]) -> Iterator[Event]:
    return (event for event in events if event.kind == "purged")


def _untouched(line: Entry) -> State:
    """Fold a line to which nothing happened: nearly every memory of a store."""
    if line.at is None:
        raise ValueError(f"memory {line.id} has no time")
    at, stamp = _came(line)
    category, duration = line.category, line.duration
    importance, lasts, end, fades = _course(line.score, category, duration)
    ends_at = at + lasts
    if not steady(duration):
        due = end_of(duration, parse_at(stamp))
        ends_at, end = ending(importance, category, duration, accessed=at, since=at, due=due)
    if line.behind:
        ends_at, end, fades = NEVER, None, NEVER
    return State(
        line, at, tuple(dict.fromkeys(line.tags)), line.score, duration, category, line.verified,
        importance, at, at, ends_at, end, (), at + fades,
    )  # fmt: skip


@lru_cache(maxsize=4096)
def _course(score: float, category: str, duration: str) -> tuple[float, float, str | None, float]:
    """Return importance, seconds until the end and why, seconds until fading; no amount or date is seen."""
    importance = initial(score, category)
    lasts, end = ending(importance, category, duration, accessed=0.0, since=0.0, due=None)
    return importance, lasts, end, asked_after(importance, category, duration)


def _steps(records: Iterable[Event | Superseded]) -> Iterator[_Step]:
    """Place what the fold knows; an event of an unknown kind or with an unreadable time is passed over."""
    for record in records:
        if isinstance(record, Event) and record.kind not in KINDS:
            continue
        try:
            time = epoch(record.at)
        except ValueError:
            continue
        yield _Step(record.k, time, record.at, record)


def _line_step(line: Entry) -> _Step:
    return _Step(line_key(line), *_came(line), line)


def _came(line: Entry) -> tuple[float, str]:
    """Return when a line came: its time, but what `k` says, which is no earlier, where the clock was behind."""
    assert line.at is not None
    if line.behind and line.k is not None:
        time = line.k / 1e6
        return time, datetime.fromtimestamp(time, parse_at(line.at).tzinfo).isoformat()
    return epoch(line.at), line.at


def _ordered(steps: list[_Step]) -> list[_Step]:
    """Sort by (k, hash); hashes are made only where two share a `k`."""
    if len({step.k for step in steps}) == len(steps):
        return sorted(steps, key=lambda step: step.k)
    return sorted(steps, key=lambda step: (step.k, _tie(step.record)))


def _tie(record: Entry | Event | Superseded) -> str:
    if isinstance(record, Event):
        return event_hash(record)
    return value_hash(record)


def _kind(step: _Step) -> str:
    return step.record.kind if isinstance(step.record, Event) else ""


def _of_this_life(first: _Step, rest: list[_Step]) -> list[_Step]:
    """Leave out an earlier life of the same text: what lies before the first line, up to the last end there.

    Other events before the line come from a clock that was set back; they count. So does an end whose
    time is later than that of a line without a `k` of its own.
    """
    assert isinstance(first.record, Entry)
    placed = first.record.k is not None
    start = 0
    for number, step in enumerate(rest):
        if step.k >= first.k:
            break
        ends = isinstance(step.record, Superseded) or _kind(step) in ENDING_KINDS
        if ends and (placed or step.time <= first.time):
            start = number + 1
    return [step for step in rest[start:] if step.k >= first.k or _kind(step) != "restored"]


def _apply(life: Life, step: _Step) -> None:
    record = step.record
    if isinstance(record, Entry):
        life.stored(record, step.time, step.at)
    elif isinstance(record, Superseded):
        life.superseded(record.by, step.time, purged=record.purged)
    else:
        life.happened(record, step.time)
