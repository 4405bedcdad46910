"""Life: one memory while its lines and events are applied in order; the inside of the fold (events.fold)."""

import json
from typing import Any

from promptx_mem.core.caps import Gains
from promptx_mem.core.decay import (
    CORE_MINIMUM,
    FADING_BELOW,
    GREATEST,
    NEVER,
    PROMOTION_FROM,
    asked_after,
    ending,
    faded,
    initial,
    is_asked,
    tidy,
)
from promptx_mem.core.durations import amount_seconds, canonical, end_of, length
from promptx_mem.core.entry import LONG, SHORT, Entry
from promptx_mem.core.ids import digest
from promptx_mem.core.journal import Event
from promptx_mem.core.line import is_edited
from promptx_mem.core.origin import MOST, OWN
from promptx_mem.core.state import State
from promptx_mem.core.times import DAY, parse_at

ENDING_KINDS = ("forgotten", "deleted", "purged")

_LONG_FROM = 7.0
_KEPT_PROMOTION = 30 * DAY


def value_hash(value: Any) -> str:
    """Return a hash of a named tuple's fields, the same on every host and under every Python.

    Fields that have their default do not count, nor does `was`: of two lines the same one wins in a version that
    knows more fields.
    """
    default = value._field_defaults
    fields = zip(value._fields, value, strict=True)
    named = {name: field for name, field in fields if name != "was" and (name not in default or field != default[name])}
    return digest(json.dumps(named).encode())


class Life:
    """The one mutable value of core; it lives as long as one call of the fold.

    Between two calls of its methods `ends_at`, `why` and `fading_at` are what holds if nothing more happens.
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
        self.gains = Gains()
        self.fading_at = self.promotion_at = NEVER
        self.promotion_after = -NEVER
        self._take(line, time, at)
        self.importance = initial(self.score, self.category)
        self._settle()

    def stored(self, line: Entry, time: float, at: str) -> None:
        """Apply a further line of the id: it revives what had ended, else the two lines are one memory."""
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

    def superseded(self, by: str, time: float, *, purged: bool) -> None:
        """Apply that another memory took this one's place, unless this one has come back over it since."""
        if purged and by in self.overcome:
            return
        self.superseders[by] = None
        if not self._ended(time):
            self._close("superseded", time)

    def happened(self, event: Event, time: float) -> None:
        """Apply an event; on what had ended before only `restored` has an effect, on an episode also an end.

        An episode that ended by time can still be found.
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
        """The line with the paths that came to it later: the first is its topic where it had none."""
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
        """Apply what is an event's own; a recall has nothing beyond the last access."""
        match event.kind:
            case "boosted":
                self._boosted(event, time)
            case "repeated":
                self._repeated(event, time)
            case "kept":
                self._answer_review(time)
            case "promoted":
                self._promoted(time)
            case "verified":
                self.verified = event.verified is not False
                self.fresh_at = max(self.fresh_at, time)

    def _take(self, line: Entry, time: float, at: str) -> None:
        """Let a line decide all that a line gives."""
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
        """Bring the importance to `time`, set the last access; return since when a fading review is open."""
        if self.entry.behind and not self.touched:
            self.accessed = max(self.accessed, time)
            if (seconds := amount_seconds(self.duration)) is not None:
                self.due = self.accessed + seconds
        self.importance = tidy(faded(self.importance, self.category, self.duration, time - self.accessed))
        self.accessed = max(self.accessed, time)
        return self.fading_at if self.fading_at <= time else None

    def _settle(self, open_since: float | None = None) -> None:
        """Compute what comes if nothing more happens; an open fading review stays open below 0.5."""
        if not is_asked(self.category):  # a further line may say so while the question was open
            self.promotion_at = NEVER
        if self.origin != OWN:
            self.importance = min(self.importance, MOST)
        self.ends_at, self.why = ending(
            self.importance,
            self.category,
            self.duration,
            accessed=self.accessed,
            since=self.since,
            due=self.due,
        )
        if self.entry.behind and not self.touched:  # nobody knows how long ago it came: it ends no earlier than used
            self.ends_at, self.why, self.fading_at = NEVER, None, NEVER
            return
        below = self.accessed + asked_after(self.importance, self.category, self.duration)
        if open_since is not None and self.importance < FADING_BELOW and below != NEVER:
            self.fading_at = open_since
        else:
            self.fading_at = below

    def _revive(self, time: float, at: str, score: float | None, duration: str | None) -> None:
        ended = self._ended(time)
        remainder = 0.0 if ended else faded(self.importance, self.category, self.duration, time - self.accessed)
        if score is not None:
            self.score = score
        self.duration = duration or self.duration
        self.due = end_of(self.duration, parse_at(at))
        if duration is None and self.due is not None and self.due <= time:
            # Its date is over: coming back to end at once would be no coming back.
            self.duration, self.due = (LONG if self.score >= _LONG_FROM else SHORT), None
        self.importance = max(initial(self.score, self.category), FADING_BELOW, tidy(remainder))
        self.accessed, self.since = max(self.accessed, time), time
        self.decided, self.touched = None, True
        self.overcome.update(self.superseders)
        self.superseders.clear()
        if ended:
            self.promotion_at = NEVER
        self._settle()

    def _restored(self, event: Event, time: float) -> None:
        self._bind(event)
        self.tags.update(dict.fromkeys(event.tags))
        if event.score is not None:
            self.fresh_at = max(self.fresh_at, time)
        self.overcome.update(event.supersedes)
        self._revive(time, event.at, event.score, canonical(event.duration) if event.duration else None)

    def _repeated(self, event: Event, time: float) -> None:
        self._bind(event)
        self.tags.update(dict.fromkeys(event.tags))
        if event.score is not None:
            self.score = max(self.score, event.score)
            self.fresh_at = max(self.fresh_at, time)
        duration = canonical(event.duration) if event.duration else None
        if duration:
            moment = parse_at(event.at)
            remainder = length(self.duration, moment) if self.due is None else self.due - time
            if length(duration, moment) > remainder:
                self.duration, self.due = duration, end_of(duration, moment)
        self._boosted(event, time)

    def _boosted(self, event: Event, time: float) -> None:
        before = self.importance
        self.importance = max(before, min(tidy(before + self.gains.take(time, event.gain)), GREATEST))
        was_kept = self.promotion_after != -NEVER  # then one boost after the 30 days is enough
        reached = self.importance >= PROMOTION_FROM and (before < PROMOTION_FROM or was_kept)
        if reached and is_asked(self.category) and self.promotion_at == NEVER and time >= self.promotion_after:
            self.promotion_at = time

    def _answer_review(self, time: float) -> None:
        """Answer a review: below 0.5 the fading one, else the promotion.

        That no fading review opens within 24 hours follows: from 0.5 it takes more than 7 days to fall.
        """
        self.promotion_at = NEVER
        if self.importance < FADING_BELOW:
            self.importance = FADING_BELOW
        else:
            self.promotion_after = time + _KEPT_PROMOTION

    def _promoted(self, time: float) -> None:
        if self.importance < FADING_BELOW:
            self._answer_review(time)
        elif self.category != "system":
            self.promoted, self.category, self.promotion_at = True, "core", NEVER
            self.importance = max(self.importance, CORE_MINIMUM)


def _rank(line: Entry, time: float) -> tuple[bool, float, str]:
    """Rank lines of one id: one edited by hand first, then the later, then by hash."""
    return is_edited(line), time, value_hash(line)
