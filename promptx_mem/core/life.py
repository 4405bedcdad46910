"""The state of one memory: events change its importance, its end and its reviews."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from promptx_mem.core.durations import amount_seconds, end_of, length
from promptx_mem.core.entry import LONG, SHORT, Entry
from promptx_mem.core.journal import ALIASED, CONTRADICTED, ENDING_KINDS, KINDS, REPLACED, Event, event_hash
from promptx_mem.core.line import Superseded, is_edited, line_key, micros, stored_at, value_hash
from promptx_mem.core.state import (
    CORE_MINIMUM,
    DECIDED,
    FACT,
    FADING_BELOW,
    GREATEST,
    IMPORT,
    MOST_FOREIGN,
    NEVER,
    OWN,
    PROMOTION_FROM,
    UNFADING,
    State,
    ending,
    faded,
    has_reviews,
    initial,
    is_unscored,
    lives,
    review_after,
    rounded,
)
from promptx_mem.core.syntax import parse_argument
from promptx_mem.core.times import DAY, HOUR, epoch, parse_at
from promptx_mem.record import Any, NamedTuple

USUAL_GAIN = 0.3
_APART = 2 * HOUR
_PER_DAY = 1.0

_ORIGIN_KINDS = ("imported", "owned")
_LATEST = ("purged", "confirmed", "unscored")
_NOT_APPLIED = ("adopted", "confirmed", "unscored", REPLACED, CONTRADICTED, ALIASED, *_ORIGIN_KINDS)
"""Events that `Life` does not apply. `fold` itself reads some of them."""

UNSCORED_SECONDS = 14 * DAY
"""Seconds that an unscored memory waits for a person's answer. After that, hooks can inject it."""

UNSCORED_SCORE = 5.0
_RAISING = ("boosted", "repeated", "verified", "promoted")
"""Events that are ignored for an unscored memory, since they would increase its importance."""


def _gain(counted: Mapping[float, float], time: float, amount: float) -> float:
    """Return how much of `amount` a boost adds: 0 less than 2 hours from another gain, at most 1.0 in any 24 hours.

    `counted` maps the times of the other boosts to their gains, in any order.
    """
    near = sorted(item for item in counted.items() if abs(time - item[0]) < DAY)
    if any(abs(time - moment) < _APART for moment, _ in near):
        return 0.0
    starts = [time, *(moment for moment, _ in near if moment <= time)]
    spent = max(sum(gain for moment, gain in near if start <= moment < start + DAY) for start in starts)
    return max(rounded(min(max(amount, 0.0), _PER_DAY - spent)), 0.0)


_LONG_FROM = 7.0
_KEPT_PROMOTION = 30 * DAY


class Life:
    """A memory while its events are applied.

    After each event, `ends_at`, `why` and `fading_at` have the values that apply if no further event follows.
    """

    entry: Entry
    taken_at: float
    score: float
    duration: str
    category: str
    due: float | None
    ends_at: float
    why: str | None

    def __init__(self, line: Entry, time: float, at: str, origin: str = OWN) -> None:
        self.origin = origin
        self.first_at = self.since = self.accessed = self.fresh_at = time
        self.tags = dict.fromkeys(line.tags)
        self.verified = line.verified
        self.topics: dict[str, None] = {}
        self.related: dict[str, None] = {}
        self.promoted = self.touched = False
        self.decided: str | None = None
        self.superseders: dict[str, None] = {}
        self.overcome: set[str] = set()
        self.gains: dict[float, float] = {}
        self.fading_at = self.promotion_at = NEVER
        self.promotion_after = -NEVER
        self._take(line, time, at)
        self.importance = initial(self.score, self.category)
        self._settle()

    def apply(self, step: "_Step") -> None:
        """Apply a line, a replacement or an event."""
        if not step.kind:
            self._stored(step.record, step.time, step.at)
        elif step.kind == SUPERSEDED:
            self._superseded(step.record.by, step.time, purged=step.record.purged)
        else:
            self._happened(step.record, step.time)

    def _stored(self, line: Entry, time: float, at: str) -> None:
        """Apply another line with the same id. If the memory has ended, restore it; otherwise merge the two lines."""
        self.first_at = min(self.first_at, time)
        self.tags.update(dict.fromkeys(line.tags))
        self.verified = self.verified or line.verified
        self.fresh_at = max(self.fresh_at, time)
        wins = _rank(line, time) > _rank(self.entry, self.taken_at)
        if self._ended(time):
            if wins:
                self.entry, self.taken_at = line, time
            self.category, self.promoted = line.category, False
            self._revive(time, at, line.score, line.duration)
            return
        open_since = self._fade(time)
        if wins:
            remainder = self.importance
            self._take(line, time, at)
            own = initial(self.score, self.category)
            self.importance = max(remainder, own) if self.touched else own
        self._settle(open_since)

    def _superseded(self, by: str, time: float, *, purged: bool) -> None:
        """Record that the memory `by` has replaced this memory, which ends.

        `purged`: the text of `by` was destroyed. If this memory was restored before the purge, ignore the replacement.
        """
        if purged and by in self.overcome:
            return
        self.superseders[by] = None
        if not self._ended(time):
            self._close("superseded", time)

    def _happened(self, event: Event, time: float) -> None:
        """Apply an event. An ended memory is changed only by `restored` and `purged`.

        An exception is an expired episode: it can still be found, so it can also be forgotten or deleted.
        """
        if event.kind == "restored":
            self._restored(event, time)
        elif event.kind in ENDING_KINDS:
            lapsed = self.category == "episode" and self.decided is None
            if event.kind == "purged" or lapsed or not self._ended(time):
                self._close(event.kind, time)
        elif not self._ended(time):
            open_since = self._fade(time)
            self.touched = True
            self._change(event, time)
            self._settle(open_since)

    def state(self) -> State:
        return State(
            self._bound(), self.first_at, tuple(self.tags), self.score, self.duration, self.category,
            self.verified, self.importance, self.accessed, self.fresh_at, self.ends_at,
            self.decided or self.why, tuple(self.superseders), self.fading_at, self.promotion_at,
            self.origin,
        )  # fmt: skip

    def _bound(self) -> Entry:
        """Return the line with the topic paths that events added. If the line has no topic, it gets the first path."""
        if not (self.topics or self.related):
            return self.entry
        own = (self.entry.topic,) if self.entry.topic else ()
        paths = list(dict.fromkeys((*own, *self.entry.topics, *self.topics)))
        topic = paths[0] if paths else None
        related = tuple(path for path in dict.fromkeys((*self.entry.related, *self.related)) if path != topic)
        return self.entry._replace(topic=topic, topics=tuple(paths[1:]), related=related)

    def _bind(self, event: Event) -> None:
        self.topics.update(dict.fromkeys(filter(None, (event.topic,))))
        self.related.update(dict.fromkeys(event.related))

    def _change(self, event: Event, time: float) -> None:
        """Apply the changes of an event, by its kind. A recall changes only the last access, which `_fade` has set."""
        match event.kind:
            case "boosted":
                self._boosted(event, time)
            case "repeated":
                self._repeated(event, time)
            case "kept" | "promoted":
                self._answer_review(time, is_promoted=event.kind == "promoted")
            case "verified":
                self.verified = event.verified is not False
                self.fresh_at = max(self.fresh_at, time)

    def _take(self, line: Entry, time: float, at: str) -> None:
        self.entry, self.taken_at = line, time
        self.score, self.duration = line.score, line.duration
        self.category = "core" if self.promoted else line.category
        self.due = end_of(line.duration, parse_at(at))

    def _ended(self, time: float) -> bool:
        return self.decided is not None or time >= self.ends_at

    def _close(self, reason: str, time: float) -> None:
        self.ends_at = min(self.ends_at, time)
        self.decided = reason

    def _fade(self, time: float) -> float | None:
        """Let the importance fade until `time`, and set the last access.

        Return the time since which a review for fading is pending, or None.
        """
        if self.entry.behind and not self.touched:
            self.accessed = max(self.accessed, time)
            if (seconds := amount_seconds(self.duration)) is not None:
                self.due = self.accessed + seconds
        self.importance = rounded(faded(self.importance, self.category, self.duration, time - self.accessed))
        self.accessed = max(self.accessed, time)
        return self.fading_at if self.fading_at <= time else None

    def _settle(self, open_since: float | None = None) -> None:
        """Compute the end and the reviews that apply if no further event follows.

        A review for fading that is pending (since `open_since`) stays pending while the importance is below 0.5.
        """
        if not has_reviews(self.category):  # another line can change the category while a review is pending
            self.promotion_at = NEVER
        if self.origin != OWN:
            self.importance = min(self.importance, MOST_FOREIGN)
        kind = (self.importance, self.category, self.duration)
        self.ends_at, self.why = ending(*kind, accessed=self.accessed, since=self.since, due=self.due)
        if self.entry.behind and not self.touched:  # age unknown: it cannot end before its first use
            self.ends_at, self.why, self.fading_at = NEVER, None, NEVER
            return
        self.fading_at = self.accessed + review_after(*kind)
        if open_since is not None and self.importance < FADING_BELOW and self.fading_at != NEVER:
            self.fading_at = open_since

    def _revive(self, time: float, at: str, score: float | None, duration: str | None) -> None:
        ended = self._ended(time)
        remainder = 0.0 if ended else faded(self.importance, self.category, self.duration, time - self.accessed)
        if score is not None:
            self.score = score
        self.duration = duration or self.duration
        self.due = end_of(self.duration, parse_at(at))
        if duration is None and self.due is not None and self.due <= time:
            # Its end date is in the past: with this date, the restored memory would end again at once.
            self.duration, self.due = (LONG if self.score >= _LONG_FROM else SHORT), None
        self.importance = max(initial(self.score, self.category), FADING_BELOW, rounded(remainder))
        self.accessed, self.since = max(self.accessed, time), time
        self.decided, self.touched = None, True
        self.overcome.update(self.superseders)
        self.superseders.clear()
        if ended:
            self.promotion_at = NEVER
        self._settle()

    def _restored(self, event: Event, time: float) -> None:
        self._bind(event)
        if event.line and event.tags:
            self.tags.clear()
        self.tags.update(dict.fromkeys(event.tags))
        if event.score is not None:
            self.fresh_at = max(self.fresh_at, time)
        self.overcome.update(event.supersedes)
        self._revive(time, event.at, event.score, event.duration)

    def _repeated(self, event: Event, time: float) -> None:
        self._bind(event)
        self.tags.update(dict.fromkeys(event.tags))
        if event.score is not None:
            self.score = max(self.score, event.score)
            self.fresh_at = max(self.fresh_at, time)
        if event.duration:
            moment = parse_at(event.at)
            remainder = length(self.duration, moment) if self.due is None else self.due - time
            if length(event.duration, moment) > remainder:
                self.duration, self.due = event.duration, end_of(event.duration, moment)
        self._boosted(event, time)

    def _boosted(self, event: Event, time: float) -> None:
        before = self.importance
        if gain := _gain(self.gains, time, USUAL_GAIN if event.gain is None else event.gain):
            self.gains[time] = gain
        self.importance = max(before, min(rounded(before + gain), GREATEST))
        was_kept = self.promotion_after != -NEVER  # then one boost after the 30 days is enough
        reached = self.importance >= PROMOTION_FROM and (before < PROMOTION_FROM or was_kept)
        if reached and has_reviews(self.category) and self.promotion_at == NEVER and time >= self.promotion_after:
            self.promotion_at = time

    def _answer_review(self, time: float, *, is_promoted: bool) -> None:
        """Answer the pending review, which is for fading if importance is below 0.5, else for promotion.

        Afterwards the importance is at least 0.5, so that no review for fading is due within 7 days.
        """
        if self.importance < FADING_BELOW:
            self.importance, self.promotion_at = FADING_BELOW, NEVER
        elif not is_promoted:
            self.promotion_after, self.promotion_at = time + _KEPT_PROMOTION, NEVER
        elif self.category != "system":
            self.promoted, self.category, self.promotion_at = True, "core", NEVER
            self.importance = max(self.importance, CORE_MINIMUM)


def _rank(line: Entry, time: float) -> tuple[bool, float, str]:
    """Return the sort key of a line among lines with the same id: edited lines last, then by time, then by hash."""
    return is_edited(line), time, value_hash(line)


SUPERSEDED = "superseded"


class _Step(NamedTuple):
    """A line, an event or a replacement of one memory, with its position in the order of events and its time.

    `kind` is the kind of an event, SUPERSEDED for a replacement, and empty for a line.
    """

    k: int
    time: float
    at: str
    record: Any
    kind: str = ""


def fold(lines: Sequence[Entry], events: Iterable[Event], superseders: Iterable[Superseded] = ()) -> State:
    """Return the State after lines and events of an id. Raises ValueError if there is no line or one has no time."""
    steps: list[_Step] = [*_steps(set(events)), *_steps(set(superseders))]
    newest = {kind: max((step.k for step in steps if step.kind == kind), default=0) for kind in _LATEST}
    first, *repeats = _ordered(
        [_Step(line_key(line), *stored_at(line), line) for line in _since(newest["purged"], lines)]
    )
    adopted = [step for step in steps if step.kind == "adopted"]
    if adopted and first.record.k is None:  # a line with a `k` was not written by hand: its text was stored again later
        earliest = min(adopted, key=lambda step: (step.time, step.at))
        if earliest.time < first.time:
            k = min(first.k, micros(earliest.at))
            first = _Step(k, earliest.time, earliest.at, first.record._replace(at=earliest.at))
    origin = _origin([first, *repeats], steps)
    present = [step.record for step in (first, *repeats)]
    rest = _ordered([*repeats, *(_edited_since(step, present) for step in steps if step.kind not in _NOT_APPLIED)])
    # An agent wrote the memory into the file, or all lines are marked as unconfirmed. Nobody has confirmed it since.
    asked = newest["unscored"]
    if all(line.unconfirmed is not None for line in lines):
        asked = max(asked, *map(line_key, lines))
    unscored = asked > 0 and asked >= newest["confirmed"]
    if unscored:
        first, rest = _without_trust(first), [_without_trust(step) for step in rest if step.kind not in _RAISING]
    life = Life(first.record, first.time, first.at, origin)
    for step in _since_last_end(first, rest):
        life.apply(step)
    state = life.state()
    # An event with a reason only asks for aliases.
    aliased = [s for s in steps if s.kind == ALIASED and s.record.reason is None and s.k > newest["purged"]]
    if aliased:
        state = state._replace(entry=state.entry._replace(aka=_ordered(aliased)[-1].record.aka))
    if not unscored:
        return state
    times = [life.taken_at, *(step.time for step in steps if step.kind == "unscored")]
    return state._replace(unscored_until=max(times) + UNSCORED_SECONDS)


def _edited_since(step: _Step, lines: Sequence[Entry]) -> _Step:
    """Return an event with those tags, score and duration of the last line that a person changed after the event.

    The event's `line` contains the values before the event.
    """
    event = step.record
    if step.kind == SUPERSEDED or event.line is None:
        return step
    before = parse_argument(f"x {event.line}")
    changed = {
        name: getattr(lines[-1], name)
        for name in ("tags", "score", "duration")
        if getattr(event, name) and all(getattr(line, name) != getattr(before, name) for line in lines)
    }
    return step._replace(record=event._replace(**changed))


def _without_trust(step: _Step) -> _Step:
    """Return the step with a changed line: score at most 5, neither core nor system, not verified. An event stays."""
    line = step.record
    if step.kind:
        return step
    category = FACT if line.category in UNFADING else line.category
    line = line._replace(score=min(line.score, UNSCORED_SCORE), category=category, verified=False)
    return step._replace(record=line)


def _since(purged: int, lines: Sequence[Entry]) -> set[Entry]:
    """Return the lines newer than the last purge; if none is newer, all lines. A merge can bring older lines back."""
    newer = {line for line in lines if line_key(line) > purged} if len(lines) > 1 else ()
    return set(newer or lines)


def _origin(lines: Sequence[_Step], rest: Sequence[_Step]) -> str:
    """Return "import" if a memory was imported, and then neither stored again nor marked as own; else "own".

    The `imported` event comes after the imported lines. An event with a score records that the same text, not only a
    near duplicate, was stored again.
    """
    if all(step.kind != "imported" for step in rest):
        return OWN
    stored = [step for step in rest if step.kind in ("repeated", "restored") and step.record.score is not None]
    last = _ordered([*lines, *stored, *(step for step in rest if step.kind in _ORIGIN_KINDS)])[-1]
    return IMPORT if last.kind == "imported" else OWN


def _steps(records: Iterable[Event | Superseded]) -> Iterator[_Step]:
    """Yield the records as steps. Skip one of an unknown kind or with an invalid time."""
    for record in records:
        kind = record.kind if isinstance(record, Event) else SUPERSEDED
        try:
            if kind in KINDS or isinstance(record, Superseded):
                yield _Step(record.k, epoch(record.at), record.at, record, kind)
        except ValueError:
            continue


def _ordered(steps: list[_Step]) -> list[_Step]:
    """Sort steps by `k`, then by hash. Hashes are computed only if two steps have the same `k`."""
    if len(steps) < 2 or len({step.k for step in steps}) == len(steps):
        return sorted(steps, key=lambda step: step.k)
    return sorted(steps, key=lambda step: (step.k, (event_hash if step.kind in KINDS else value_hash)(step.record)))


def _since_last_end(first: _Step, rest: list[_Step]) -> list[_Step]:
    """Leave out the steps of an earlier memory that had the same text and ended before the first line.

    Leave out all steps up to the last end with a `k` below the line's. If the line has no `k`, ignore an end with a
    later time than the line's. If a clock was set back, steps after this end can also have a `k` below the line's. Of
    these, leave out only `restored`.
    """
    placed = first.record.k is not None
    start = 0
    for number, step in enumerate(rest):
        if step.k >= first.k:
            break
        if step.kind in (SUPERSEDED, *ENDING_KINDS) and (placed or step.time <= first.time):
            start = number + 1
    return [step for step in rest[start:] if step.k >= first.k or step.kind != "restored"]


class PendingReview(NamedTuple):
    """A question about a memory, pending since `opened`.

    `kind`: is the memory core ("promotion"), is it still useful ("fading"), or does the newer memory `other` contradict
    it ("contradiction")?
    """

    kind: str
    opened: float
    other: State | None = None


def is_expired_episode(state: State) -> bool:
    """Return whether a memory is an episode that no decision ended. Even if expired, it can be found and forgotten."""
    return state.category == "episode" and state.end not in DECIDED


def pending_review(state: State, now: float) -> PendingReview | None:
    """Return the review that is pending at `now`, or None. Fading comes first, since the memory will end soon."""
    if not lives(state, now) or is_unscored(state, now):
        return None
    if state.fading_at <= now:
        return PendingReview("fading", state.fading_at)
    if state.promotion_at <= now:
        return PendingReview("promotion", state.promotion_at)
    return None
