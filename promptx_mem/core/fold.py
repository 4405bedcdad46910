"""The fold: events are applied to the lines of a store. The result is the current state of each memory."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache

from promptx_mem.core.durations import end_of, steady
from promptx_mem.core.entry import Entry, value_hash
from promptx_mem.core.journal import (
    ALIASED,
    CONTRADICTED,
    ENDING_KINDS,
    KINDS,
    REPLACED,
    Event,
    event_hash,
)
from promptx_mem.core.state import (
    FACT,
    IMPORT,
    LASTING,
    NEVER,
    OWN,
    State,
    asked_after,
    ending,
    initial,
)
from promptx_mem.core.times import DAY, epoch, micros, parse_at
from promptx_mem.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from promptx_mem.core.life import Life


def without_replaced(entries: Iterable[Entry], events: Sequence[Event]) -> Iterable[Entry]:
    """Leave out each old line that a `replaced` event names, if another line of the memory remains.

    If the old line had no comment, the edit changed the id. Then the event has the new id and the old id, and the old
    line is left out even if it is the only line. The latest event about a line counts, so an edit can be undone.
    Restoring the old memory also undoes an edit that changed the id.
    """
    named = [event for event in events if event.kind == REPLACED and event.line and event.by and event.ids]
    if not named:
        return entries
    over: dict[tuple[str, str], bool] = {}
    moved: dict[tuple[str, str], int] = {}
    for event in sorted(named, key=lambda event: (event.k, event_hash(event))):
        old, new = (event.ids[-1], str(event.line)), (event.ids[0], str(event.by))
        over |= {old: True, new: False}
        moved[old] = event.k
        moved.pop(new, None)
        if old[0] == new[0]:
            moved.pop(old, None)
    for key in _restored(moved, events):
        del moved[key], over[key]
    ids = {ident for ident, _ in over}
    whole = list(entries)
    replaced = {entry for entry in whole if entry.id in ids and over.get((entry.id, value_hash(entry)))}
    left = {entry.id for entry in whole if entry not in replaced}
    gone = {entry for entry in replaced if entry.id in left or (entry.id, value_hash(entry)) in moved}
    return [entry for entry in whole if entry not in gone]


def _restored(moved: Mapping[tuple[str, str], int], events: Sequence[Event]) -> list[tuple[str, str]]:
    last: dict[str, int] = {}
    for event in events:
        if event.kind == "restored":
            last.update((ident, max(event.k, last.get(ident, 0))) for ident in event.ids)
    return [key for key, k in moved.items() if last.get(key[0], 0) > k]


_MARKS = ("imported", "owned")
_ASIDE = ("adopted", "confirmed", "unscored", REPLACED, CONTRADICTED, ALIASED, *_MARKS)
"""Events that have no effect on a memory's importance and end."""

UNSCORED_SECONDS = 14 * DAY
"""Seconds that an unscored memory waits for a person's answer. After that, it counts as a hand-written line."""

UNSCORED_SCORE = 5.0
_RAISING = ("boosted", "repeated", "verified", "promoted")
"""Events that are ignored for an unscored memory, since they would increase its importance."""


class Superseded(NamedTuple):
    """A replacement by the memory `by`. `purged`: the text of `by` has been destroyed."""

    by: str
    k: int
    at: str
    purged: bool = False


class _Step(NamedTuple):
    """A line, an event or a replacement of one memory, with its position in the order of events and its time."""

    k: int
    time: float
    at: str
    record: Entry | Event | Superseded


def line_key(entry: Entry) -> int:
    """Return the position of a line in the order of events: its `k`, or its `at` in microseconds.

    An event with a smaller `k` belongs to an earlier memory with the same text.
    """
    if entry.at is None:
        raise ValueError(f"memory {entry.id} has no timestamp")
    return micros(entry.at) if entry.k is None else entry.k


def fold_all(entries: Iterable[Entry], events: Iterable[Event]) -> dict[str, State]:
    """Apply the events of a store. Return the State of each memory by id. Raises ValueError if a line has no time."""
    lines: dict[str, list[Entry]] = {}
    superseders: dict[str, list[Superseded]] = {}
    happened: dict[str, list[Event]] = {}
    events = tuple(events)
    purged = {ident: event.k for event in sorted(_purges(events), key=lambda event: event.k) for ident in event.ids}
    for entry in without_replaced(entries, events):
        lines.setdefault(entry.id, []).append(entry)
        if entry.supersedes and entry.supersedes != entry.id and entry.at:
            superseded = Superseded(entry.id, line_key(entry), entry.at)
            # A purged line can still be in the file. Then only the purge decides about the memories that the line
            # superseded.
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
    """Return pairs of a former and a present id. Earlier versions made the former id from the text's first line."""
    return {
        (entry.was, id_)
        for id_, own in lines.items()
        for entry in own
        if entry.was is not None and entry.was not in lines
    }


def fold(lines: Sequence[Entry], events: Iterable[Event], superseders: Iterable[Superseded] = ()) -> State:
    """Apply events to all lines of one id. Raises ValueError if there is no line, or if a line has no time."""
    rest: list[_Step] = [*_steps(set(events)), *_steps(set(superseders))]
    if len(lines) == 1 and not rest and lines[0].unconfirmed is None:
        return _untouched(lines[0])
    first, *repeats = _ordered([_line_step(line) for line in _not_destroyed(lines, rest)])
    adopted = [step for step in rest if _kind(step) == "adopted"]
    assert isinstance(first.record, Entry)
    if adopted and first.record.k is None:  # a line with a `k` was not written by hand: its text was stored again later
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
    from promptx_mem.core.life import Life  # most memories have a single line and no events

    life = Life(line, first.time, first.at, origin)
    for step in _of_this_life(first, rest):
        _apply(life, step)
    state = _with_aliases(life.state(), aliased)
    if not unscored:
        return state
    asked = max([life.taken_at, *(step.time for step in written)])
    return state._replace(unscored_until=asked + UNSCORED_SECONDS)


def _with_aliases(state: State, aliased: list[_Step]) -> State:
    """Return the state with the aliases from the last event in `aliased`; without events, keep the line's aliases."""
    if not aliased:
        return state
    last = _ordered(aliased)[-1].record
    assert isinstance(last, Event)
    return state._replace(entry=state.entry._replace(aka=last.aka))


def _aliased(rest: Sequence[_Step]) -> Iterator[_Step]:
    """Yield the events after the last purge that set aliases. An event with a reason only asks for aliases; skip it."""
    purged = max((step.k for step in rest if _kind(step) == "purged"), default=0)
    for step in rest:
        event = step.record
        if isinstance(event, Event) and event.kind == ALIASED and event.reason is None and step.k > purged:
            yield step


def _is_unscored(lines: Sequence[Entry], written: Sequence[_Step], confirmed: Sequence[_Step]) -> bool:
    """Return whether a memory was stored without the gate or a request, and no `confirmed` event has followed.

    Either an `unscored` event records that an agent wrote the memory into the file, or all lines of the memory are
    marked as unconfirmed.
    """
    newest = max((step.k for step in written), default=0)
    if not any(line.unconfirmed is None for line in lines):
        newest = max(newest, *map(line_key, lines))
    return newest > 0 and not any(step.k > newest for step in confirmed)


def _as_hand_written(step: _Step) -> _Step:
    """Return the step with a changed line: score at most 5, neither core nor system, not verified."""
    line = step.record
    if not isinstance(line, Entry):
        return step
    category = FACT if line.category in LASTING else line.category
    line = line._replace(score=min(line.score, UNSCORED_SCORE), category=category, verified=False)
    return step._replace(record=line)


def _not_destroyed(lines: Sequence[Entry], rest: Iterable[_Step]) -> set[Entry]:
    """Return the lines newer than the last purge; if none is newer, all lines. A merge can bring older lines back."""
    purged = max((step.k for step in rest if _kind(step) == "purged"), default=0)
    return {line for line in lines if line_key(line) > purged} or set(lines)


def _origin(lines: Sequence[_Step], rest: Sequence[_Step]) -> str:
    """Return "import" if a memory was imported, and then neither stored again nor marked as own; else "own".

    The `imported` event comes after the imported lines.
    """
    marks = [step for step in rest if _kind(step) in _MARKS or _is_stored(step)]
    if not any(_kind(step) == "imported" for step in marks):
        return OWN
    last = _ordered([*lines, *marks])[-1]
    return IMPORT if _kind(last) == "imported" else OWN


def _is_stored(step: _Step) -> bool:
    """Return whether an event records that the same text, not only a near duplicate, was stored again."""
    return (
        isinstance(step.record, Event)
        and step.record.kind in ("repeated", "restored")
        and step.record.score is not None
    )


def _purges(events: Iterable[Event]) -> Iterator[Event]:
    return (event for event in events if event.kind == "purged")


def _untouched(line: Entry) -> State:
    """Return the State of a memory that, like most memories, has a single line and no events."""
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
    """Return importance, seconds until the end, reason for the end, and seconds until a review for fading.

    A duration that is an amount or a date is ignored.
    """
    importance = initial(score, category)
    lasts, end = ending(importance, category, duration, accessed=0.0, since=0.0, due=None)
    return importance, lasts, end, asked_after(importance, category, duration)


def _steps(records: Iterable[Event | Superseded]) -> Iterator[_Step]:
    """Yield the records as steps. Skip an event of an unknown kind or with an invalid time."""
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
    """Return when a line was stored, in epoch seconds and as text. If the clock was behind, the time is in `k`."""
    assert line.at is not None
    if line.behind and line.k is not None:
        time = line.k / 1e6
        return time, datetime.fromtimestamp(time, parse_at(line.at).tzinfo).isoformat()
    return epoch(line.at), line.at


def _ordered(steps: list[_Step]) -> list[_Step]:
    """Sort steps by `k`, then by hash. Hashes are computed only if two steps have the same `k`."""
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
    """Leave out the steps of an earlier memory that had the same text and ended before the first line.

    Leave out all steps up to the last end with a `k` below the line's. If the line has no `k`, ignore an end with a
    later time than the line's. Steps after this end can also have a `k` below the line's, if a clock was set back. Of
    these, leave out only `restored`.
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


def _apply(life: "Life", step: _Step) -> None:
    record = step.record
    if isinstance(record, Entry):
        life.stored(record, step.time, step.at)
    elif isinstance(record, Superseded):
        life.superseded(record.by, step.time, purged=record.purged)
    else:
        life.happened(record, step.time)
