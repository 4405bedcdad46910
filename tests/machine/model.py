"""What must be recallable, said in the simplest terms: the rules over what was done, in the order in which it was done.

It shares nothing with the program's fold: no events, no keys, no cache. A memory's life is told again from its
beginning whenever it is asked for. Times are epoch seconds.
"""

from dataclasses import dataclass, field
from typing import Any

HOUR, DAY = 3600, 86_400
STEPS = {"短期": DAY, "中期": 7 * DAY, "长期": 30 * DAY}
AMOUNTS = {"36h": 36 * HOUR, "9d": 9 * DAY}
FOREVER = ("core", "system")

Change = tuple[float, str, dict[str, Any]]


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
            self.importance = round(before + gain, 9)
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
    more_tags: set[str] = field(default_factory=set)
    changes: list[Change] = field(default_factory=list)
    superseders: set[str] = field(default_factory=set)

    def life(self, seen: float) -> Life:
        """Its life; `seen` is the time of a line by hand that nothing has fixed yet."""
        at = seen if self.at is None else self.at
        life = Life(self.score, self.duration, self.category, at, unsure=self.behind)
        life.begin(at)
        for time, what, given in self.changes:
            life.change(time, what, given)
        return life

    def all_tags(self) -> set[str]:
        return self.tags | self.more_tags


@dataclass
class Model:
    """A store as it must be. `recalls`: the ids shown on a day, until decay notes them."""

    memories: dict[str, Told] = field(default_factory=dict)
    gone: dict[str, Told] = field(default_factory=dict)
    recalls: dict[float, set[str]] = field(default_factory=dict)
    said: list[float] = field(default_factory=list)
    messages: int = 0

    def living(self, now: float, seen: float) -> dict[str, tuple[Told, Life]]:
        """What a recall shows at a moment, by id."""
        lives = {ident: (told, told.life(seen)) for ident, told in self.memories.items()}
        return {ident: both for ident, both in lives.items() if both[1].lives(now)}

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
        self.memories[ident].changes.append((time, what, given))

    def supersede(self, ident: str, by: str, time: float, *, line: bool = False) -> None:
        """`line`: only the line of `by` says so."""
        if told := self.memories.get(ident) or self.gone.get(ident):
            told.superseders.add(by)
            told.changes.append((time, "superseded", {"by": by if line else ""}))

    def purge(self, ident: str, time: float) -> None:
        """What its line had superseded stays so, from now on; what had come back over it has never been superseded."""
        del self.memories[ident]
        for told in (*self.memories.values(), *self.gone.values()):
            told.changes = [change for change in told.changes if change[2].get("by") != ident]
            if ident in told.superseders and told.id in self.memories:
                self.happen(told.id, time, "superseded")

    def come_back(self, ident: str, time: float, *over: str, **given: Any) -> None:
        """Restore a memory in the place of all that had taken its own, and of `over`."""
        others = self.chain(ident) | set(over)
        self.happen(ident, time, "restored", **given)
        self.memories[ident].superseders.clear()
        for other in others:
            self.supersede(other, ident, time)

    def note_recalls(self, today: float) -> None:
        """What decay does with the recalls of days that are over: used at noon of that day."""
        for day in sorted(self.recalls):
            if day < today:
                for ident in self.recalls[day] & self.memories.keys():
                    self.happen(ident, day + 12 * HOUR, "recalled")
        self.recalls = {day: ids for day, ids in self.recalls.items() if day >= today}
