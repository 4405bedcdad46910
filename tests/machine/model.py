"""What must be recallable, said in the simplest terms: the rules over what was done, in the order in which it was done.

It shares nothing with the program's fold, and has no cache. A memory's life is told again from its beginning whenever
it is asked for. Times are epoch seconds.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

HOUR, DAY = 3600, 86_400
STEPS = {"短期": DAY, "中期": 7 * DAY, "长期": 30 * DAY}
AMOUNTS = {"36h": 36 * HOUR, "9d": 9 * DAY}
FOREVER = ("core", "system")
GREATEST = 5.0
PAUSE, WAITING, ROLLED = 4 * HOUR, 30, 21
"""What ends a slice of a conversation: so long without a message, or one more than may wait; then so many go."""


class Change(NamedTuple):
    """What happened to a memory. They count by `key`: a recall's is the time that its clock said, whatever came before.

    All else comes after everything that the files name.
    """

    key: float
    time: float
    what: str
    given: dict[str, Any]


@dataclass
class Life:
    """What a memory is worth, while its story is told."""

    score: float
    duration: str
    category: str
    since: float
    importance: float = 0.0
    accessed: float = 0.0
    begun: float = 0.0
    """From when an amount counts."""
    ended: str = ""
    asked: bool = False
    not_before: float = 0.0
    counted: list[tuple[float, float]] = field(default_factory=list)
    unsure: bool = False
    """Stored while the clock was behind, and not used since: nobody knows how long ago that was."""

    def begin(self, time: float) -> None:
        self.importance = self.first()
        self.accessed = self.begun = time

    def first(self) -> float:
        worth = self.score / 5
        return max(worth, 3.0) if self.category == "core" else worth

    def worth(self, time: float) -> float:
        """Importance at a moment: whole steps past 7 days since the last access."""
        idle = time - self.accessed - 7 * DAY
        step = DAY if self.category == "episode" else STEPS.get(self.duration)
        left = self.importance
        if self.category in FOREVER or self.duration == "永久" or step is None or left >= 3 or idle < 0:
            return left
        for _ in range(int(idle // step)):
            left *= 0.8 if self.category == "episode" else 0.95
        return left

    def lives(self, time: float) -> bool:
        if self.ended:
            return False
        if self.unsure:
            return True
        if self.category == "episode":
            return time < self.since + 14 * DAY
        if self.category in FOREVER or self.duration == "永久" or self.importance >= 3:
            return True
        if self.duration in AMOUNTS:
            return time < self.begun + AMOUNTS[self.duration]
        return self.worth(time) >= 0.3

    def boost(self, time: float) -> None:
        """Once in 2 hours, 1.0 in any 24 hours; the one that would pass it adds what is left."""
        if any(abs(time - other) < 2 * HOUR for other, _ in self.counted):
            return
        starts = [time, *(other for other, _ in self.counted if time - DAY < other <= time)]
        spent = max(sum(gain for at, gain in self.counted if start <= at < start + DAY) for start in starts)
        gain = min(0.3, 1.0 - spent)
        if gain > 1e-6:
            before = self.importance
            self.counted.append((time, gain))
            self.importance = max(before, min(round(before + gain, 9), GREATEST))
            crossed = before < 2.5 <= self.importance
            if crossed and self.category not in FOREVER and time >= self.not_before:
                self.asked = True

    def restore(self, time: float, score: float | None, duration: str | None) -> None:
        left = self.worth(time) if self.lives(time) else 0.0
        self.asked = self.asked and self.lives(time)
        self.score = self.score if score is None else score
        if duration is None and self.duration in AMOUNTS:
            duration = self.duration  # an amount begins anew
        self.duration = duration or self.duration
        self.ended, self.since, self.begun, self.unsure = "", time, time, False
        self.accessed = max(self.accessed, time)
        self.importance = max(self.first(), 0.5, left)

    def change(self, time: float, what: str, given: dict[str, Any]) -> None:
        if what == "restored":
            self.restore(time, given.get("score"), given.get("duration"))
        if what == "restored" or not self.lives(time):
            return
        if what in ("forgotten", "superseded", "deleted"):
            self.ended = what
            return
        if self.unsure:
            self.unsure = False
            self.accessed = self.begun = max(self.accessed, time)
        self.importance = self.worth(time)
        self.accessed = max(self.accessed, time)
        if what in ("boosted", "repeated", "near"):
            if what == "repeated":
                self.score = max(self.score, given["score"])
                self.duration = str(given.get("duration") or self.duration)
            self.boost(time)
        elif what == "promote" and self.importance >= 0.5:
            self.category, self.asked = "core", False
            self.importance = max(self.importance, 3.0)
        elif what in ("keep", "promote") and self.importance < 0.5:
            self.importance = 0.5
        elif what == "keep":
            self.asked, self.not_before = False, time + 30 * DAY


@dataclass
class Told:
    """One memory: its line as it stands, and what happened to it."""

    id: str
    text: str
    tags: set[str]
    score: float
    duration: str
    at: float | None
    category: str = "fact"
    by_hand: bool = False
    behind: bool = False
    supersedes: bool = False
    archived: bool = False
    after: float = 0.0
    """The key of the purge that ended an earlier life of the text: recalls that a clock behind puts before it are lost."""
    more_tags: set[str] = field(default_factory=set)
    changes: list[Change] = field(default_factory=list)
    superseders: set[str] = field(default_factory=set)

    def life(self, seen: float) -> Life:
        """Its life; `seen` is the time of a line by hand that nothing has fixed yet."""
        at = seen if self.at is None else self.at
        life = Life(self.score, self.duration, self.category, at, unsure=self.behind)
        life.begin(at)
        for key, time, what, given in sorted(self.changes, key=lambda change: change.key):
            if key >= self.after:
                life.change(time, what, given)
        return life

    def all_tags(self) -> set[str]:
        return self.tags | self.more_tags


@dataclass
class Model:
    """A store as it must be. `recalls`: when which ids were noted as shown, until they are carried into the journal.

    `key`: the latest that the other files name. `purged`: the keys of what destroyed a memory.
    """

    memories: dict[str, Told] = field(default_factory=dict)
    gone: dict[str, Told] = field(default_factory=dict)
    recalls: list[tuple[float, set[str]]] = field(default_factory=list)
    key: float = 0.0
    purged: dict[str, float] = field(default_factory=dict)
    said: list[float] = field(default_factory=list)
    messages: int = 0

    def living(self, now: float, seen: float) -> dict[str, tuple[Told, Life]]:
        """What a recall shows at a moment, by id."""
        lives = {ident: (told, told.life(seen)) for ident, told in self.memories.items()}
        return {ident: both for ident, both in lives.items() if both[1].lives(now)}

    def over(self, now: float, seen: float) -> set[str]:
        """The episodes whose time is over, and that nobody has ended: words find what was said."""
        lives = {ident: told.life(seen) for ident, told in self.memories.items()}
        return {
            one for one, life in lives.items() if life.category == "episode" and not (life.ended or life.lives(now))
        }

    def with_text(self, text: str) -> Told | None:
        return next((told for told in self.memories.values() if told.text == text), None)

    def chain(self, ident: str) -> set[str]:
        """All that took a memory's place, and what took the place of those."""
        seen: set[str] = set()
        waiting = set(self.memories[ident].superseders)
        while waiting:
            one = waiting.pop()
            if one != ident and one not in seen:
                seen.add(one)
                waiting |= self.memories[one].superseders if one in self.memories else set()
        return seen

    def happen(self, ident: str, time: float, what: str, **given: Any) -> None:
        self._change(self.memories[ident], time, what, given)

    def _change(self, told: Told, time: float, what: str, given: dict[str, Any]) -> None:
        self.key = max(self.key, time, *(noted for noted, _ in self.recalls))
        told.changes.append(Change(self.key, time, what, given))

    def supersede(self, ident: str, by: str, time: float, *, line: bool = False) -> None:
        """`line`: only the line of `by` says so."""
        if told := self.memories.get(ident) or self.gone.get(ident):
            told.superseders.add(by)
            self._change(told, time, "superseded", {"by": by if line else ""})

    def purge(self, ident: str, time: float) -> None:
        """What its line had superseded stays so, from now on; what had come back over it has never been superseded."""
        del self.memories[ident]
        self.purged[ident] = self.key = max(self.key, time, *(noted for noted, _ in self.recalls))
        for told in (*self.memories.values(), *self.gone.values()):
            told.changes = [change for change in told.changes if change.given.get("by") != ident]
            if ident in told.superseders and told.id in self.memories:
                self.happen(told.id, time, "superseded")

    def come_back(self, ident: str, time: float, *over: str, **given: Any) -> None:
        """Restore a memory in the place of all that had taken its own, and of `over`."""
        others = self.chain(ident) | set(over)
        self.happen(ident, time, "restored", **given)
        self.memories[ident].superseders.clear()
        for other in others:
            self.supersede(other, ident, time)

    def recall(self, idents: set[str], time: float) -> None:
        """Use what was shown, from now on, once a day."""
        known = {ident for noted, ids in self.recalls if noted // DAY == time // DAY for ident in ids}
        if fresh := idents - known:
            self.recalls.append((time, fresh))
            for ident in fresh:
                self.memories[ident].changes.append(Change(time, time, "recalled", {}))

    def carry_over(self, now: float) -> None:
        """The recalls of days that are over go into the journal, up to the first of a later one."""
        while self.recalls and self.recalls[0][0] // DAY < now // DAY:
            self.key = max(self.key, self.recalls.pop(0)[0])

    def lose_recalls(self) -> None:
        """What stood in no other file never was."""
        for time, idents in self.recalls:
            for told in (self.memories.get(ident) or self.gone.get(ident) for ident in idents):
                lost = Change(time, time, "recalled", {})
                if told is not None and lost in told.changes:
                    told.changes.remove(lost)
        self.recalls.clear()


def cut(said: Sequence[float], *, is_over: bool) -> int:
    """How many of the messages that wait, said at these times, make the next slice."""
    for count in range(1, len(said)):
        if said[count] - said[count - 1] >= PAUSE:
            return count
        if count == WAITING:
            return ROLLED
    return len(said) if is_over else 0
