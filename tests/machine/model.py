"""A simple model of a store: it applies the rules to all changes of each memory, in their order.

It shares no code with the program's fold, and has no cache. The life of a memory is computed from its beginning on
every query. Times are epoch seconds.
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
"""A slice ends after a pause, or when more messages wait than WAITING; then ROLLED of them form it."""


class Change(NamedTuple):
    """A change of a memory. Changes are ordered by `key`: that of a recall is the time of its clock.

    The key of any other change is above all keys in the files.
    """

    key: float
    time: float
    kind: str
    values: dict[str, Any]


@dataclass
class Life:
    """The importance of a memory, while its changes are applied."""

    score: float
    duration: str
    category: str
    since: float
    importance: float = 0.0
    accessed: float = 0.0
    begun: float = 0.0
    """When an amount begins to count."""
    ended: str = ""
    pending: bool = False
    not_before: float = 0.0
    counted: list[tuple[float, float]] = field(default_factory=list)
    unsure: bool = False
    """Stored while the clock was behind, and not used since: its age is unknown."""

    def begin(self, time: float) -> None:
        self.importance = self.first()
        self.accessed = self.begun = time

    def first(self) -> float:
        first = self.score / 5
        return max(first, 3.0) if self.category == "core" else first

    def importance_at(self, time: float) -> float:
        """Return the importance at a time: it falls in whole steps, from 7 days after the last access."""
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
        return self.importance_at(time) >= 0.3

    def boost(self, time: float) -> None:
        """Boost at most once in 2 hours, and by at most 1.0 in any 24 hours."""
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
                self.pending = True

    def restore(self, time: float, score: float | None, duration: str | None) -> None:
        left = self.importance_at(time) if self.lives(time) else 0.0
        self.pending = self.pending and self.lives(time)
        self.score = self.score if score is None else score
        if duration is None and self.duration in AMOUNTS:
            duration = self.duration  # an amount begins again
        self.duration = duration or self.duration
        self.ended, self.since, self.begun, self.unsure = "", time, time, False
        self.accessed = max(self.accessed, time)
        self.importance = max(self.first(), 0.5, left)

    def change(self, time: float, kind: str, values: dict[str, Any]) -> None:
        if kind == "restored":
            self.restore(time, values.get("score"), values.get("duration"))
        if kind == "restored" or not self.lives(time):
            return
        if kind in ("forgotten", "superseded", "deleted"):
            self.ended = kind
            return
        if self.unsure:
            self.unsure = False
            self.accessed = self.begun = max(self.accessed, time)
        self.importance = self.importance_at(time)
        self.accessed = max(self.accessed, time)
        if kind in ("boosted", "repeated", "near"):
            if kind == "repeated":
                self.score = max(self.score, values["score"])
                self.duration = str(values.get("duration") or self.duration)
            self.boost(time)
        elif kind == "promote" and self.importance >= 0.5:
            self.category, self.pending = "core", False
            self.importance = max(self.importance, 3.0)
        elif kind in ("keep", "promote") and self.importance < 0.5:
            self.importance = 0.5
        elif kind == "keep":
            self.pending, self.not_before = False, time + 30 * DAY


@dataclass
class Expected:
    """One memory: its current line, and its changes."""

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
    """The key of the purge of an earlier memory with this text: changes before it are ignored."""
    tagged: list[tuple[str, set[str], bool]] = field(default_factory=list)
    """Tags of commands: the tag, the tags of the line at that time, and whether the tag replaces them."""

    changes: list[Change] = field(default_factory=list)
    superseders: set[str] = field(default_factory=set)

    def life(self, seen: float) -> Life:
        """Return its life; `seen` is the time of a hand-written line that is not adopted yet."""
        at = seen if self.at is None else self.at
        life = Life(self.score, self.duration, self.category, at, unsure=self.behind)
        life.begin(at)
        for key, time, kind, values in sorted(self.changes, key=lambda change: change.key):
            if key >= self.after:
                life.change(time, kind, values)
        return life

    def all_tags(self) -> set[str]:
        """Return the tags. If a person has changed the line's tags since a command, they count instead of its tag."""
        out = self.tags
        for tag, before, replaces in self.tagged:
            given = {tag} if before == self.tags else self.tags
            out = given if replaces else out | given
        return out


@dataclass
class Model:
    """The expected store. `recalls`: times and ids of recalls, until they are moved into the journal.

    `key`: the latest in the other files. `purged`: the keys of the purges, by memory.
    """

    memories: dict[str, Expected] = field(default_factory=dict)
    gone: dict[str, Expected] = field(default_factory=dict)
    recalls: list[tuple[float, set[str]]] = field(default_factory=list)
    key: float = 0.0
    purged: dict[str, float] = field(default_factory=dict)
    open_messages: list[float] = field(default_factory=list)
    messages: int = 0

    def active(self, now: float, seen: float) -> dict[str, tuple[Expected, Life]]:
        """Return the memories that a recall shows at a time, by id."""
        lives = {ident: (memory, memory.life(seen)) for ident, memory in self.memories.items()}
        return {ident: both for ident, both in lives.items() if both[1].lives(now)}

    def expired(self, now: float, seen: float) -> set[str]:
        """Return the episodes that expired and were not ended otherwise: words still find them."""
        lives = {ident: memory.life(seen) for ident, memory in self.memories.items()}
        return {
            one for one, life in lives.items() if life.category == "episode" and not (life.ended or life.lives(now))
        }

    def with_text(self, text: str) -> Expected | None:
        return next((memory for memory in self.memories.values() if memory.text == text), None)

    def chain(self, ident: str) -> set[str]:
        """Return all direct and indirect successors of a memory."""
        seen: set[str] = set()
        waiting = set(self.memories[ident].superseders)
        while waiting:
            one = waiting.pop()
            if one != ident and one not in seen:
                seen.add(one)
                waiting |= self.memories[one].superseders if one in self.memories else set()
        return seen

    def happen(self, ident: str, time: float, kind: str, **values: Any) -> None:
        self._change(self.memories[ident], time, kind, values)

    def _change(self, memory: Expected, time: float, kind: str, values: dict[str, Any]) -> None:
        self.key = max(self.key, time, *(noted for noted, _ in self.recalls))
        memory.changes.append(Change(self.key, time, kind, values))

    def supersede(self, ident: str, by: str, time: float, *, line: bool = False) -> None:
        """Supersede a memory. `line`: only the line of `by` records it."""
        if memory := self.memories.get(ident) or self.gone.get(ident):
            memory.superseders.add(by)
            self._change(memory, time, "superseded", {"by": by if line else ""})

    def purge(self, ident: str, time: float) -> None:
        """Purge a memory. Memories that it superseded stay ended; those restored since do not."""
        del self.memories[ident]
        self.purged[ident] = self.key = max(self.key, time, *(noted for noted, _ in self.recalls))
        for memory in (*self.memories.values(), *self.gone.values()):
            memory.changes = [change for change in memory.changes if change.values.get("by") != ident]
            if ident in memory.superseders and memory.id in self.memories:
                self.happen(memory.id, time, "superseded")

    def come_back(self, ident: str, time: float, *over: str, **values: Any) -> None:
        """Restore a memory; it supersedes all its successors and `over`."""
        others = self.chain(ident) | set(over)
        self.happen(ident, time, "restored", **values)
        self.memories[ident].superseders.clear()
        for other in others:
            self.supersede(other, ident, time)

    def recall(self, idents: set[str], time: float) -> None:
        """Record a use of the memories that were shown, once a day."""
        known = {ident for noted, ids in self.recalls if noted // DAY == time // DAY for ident in ids}
        if fresh := idents - known:
            self.recalls.append((time, fresh))
            for ident in fresh:
                self.memories[ident].changes.append(Change(time, time, "recalled", {}))

    def carry_over(self, now: float) -> None:
        """Move the recalls of past days into the journal."""
        while self.recalls and self.recalls[0][0] // DAY < now // DAY:
            self.key = max(self.key, self.recalls.pop(0)[0])

    def lose_recalls(self) -> None:
        """Remove recalls that are in no other file."""
        for time, idents in self.recalls:
            for memory in (self.memories.get(ident) or self.gone.get(ident) for ident in idents):
                lost = Change(time, time, "recalled", {})
                if memory is not None and lost in memory.changes:
                    memory.changes.remove(lost)
        self.recalls.clear()


def cut(times: Sequence[float], *, is_over: bool) -> int:
    """Return how many of the messages with these times form the next slice."""
    for count in range(1, len(times)):
        if times[count] - times[count - 1] >= PAUSE:
            return count
        if count == WAITING:
            return ROLLED
    return len(times) if is_over else 0
