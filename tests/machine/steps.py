"""Steps on a store with their effect on the model: commands, faults, and the clock of both."""

import datetime
import json
import os
import random
import re
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.api import Cues, Memory, Plan, Remember, Request, Result, layout, make_id
from tests.inside import episodes, read_messages, rewrite, sources
from tests.machine import hands
from tests.machine.model import DAY, PAUSE, Expected, Model, cut

START = 1_772_366_400.0  # 2026-03-01 12:00 UTC
numbers = re.compile(r"\d+").findall
_K = re.compile(r'"k":(\d+)')


class Planned(NamedTuple):
    """A command, its effect on the model, and a mark in a complete line of a file when it is done."""

    run: Callable[[], object]
    apply: Callable[[], None]
    mark: str


class Steps:
    """One store with its model, and the clock of its commands and files."""

    def __init__(self) -> None:
        self.top = Path(tempfile.mkdtemp())
        self.root = self.top / ".memory"
        self.time = self.seen = START
        self.went_back = self.torn = self.behind = self.merged = False
        self.index_from: float | None = None
        self.latest = START
        self.model = Model()
        self.count = 0
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(sources, "modified", self._modified)
        self.patch.setenv("TZ", "UTC")
        time.tzset()
        self._stamp: object = None

    def close(self) -> None:
        self.patch.undo()
        time.tzset()
        shutil.rmtree(self.top)

    def _modified(self, path: str) -> str:
        """Return the time at which the last change of a file was noticed, in place of the kernel's."""
        if path != str(self.root / "declarative.md"):
            return iso(self.time)
        self.look()
        return iso(self.seen)

    def look(self) -> None:
        self.latest = max(self.latest, self.time)
        try:
            status = os.stat(self.root / "declarative.md")
        except FileNotFoundError:  # before the first memory
            return
        stamp = status.st_ino, status.st_size, status.st_mtime_ns
        if stamp != self._stamp:
            self._stamp, self.seen = stamp, self.time

    def memory(self, session: str = "test") -> Memory:
        moment = datetime.datetime.fromtimestamp(self.time, datetime.UTC)
        return Memory(layout.at(str(self.root)), session, clock=lambda: moment)

    def file(self, name: str = "declarative.md") -> hands.File:
        return hands.File(self.root / name)

    def active(self) -> dict[str, Any]:
        return self.model.active(self.time, self.seen)

    def new_text(self, ending: str = "") -> str:
        self.count += 1
        return f"{word(self.count)} {word(-self.count)}{ending}".strip()

    def seen_until(self, *names: str) -> float:
        """Return the latest time of an order key in the files."""
        files = [self.root / name for name in ("declarative.md", "journal.jsonl", *names)]
        text = "".join(file.read_text("utf-8", "replace") for file in files if file.exists())
        return max((int(k) / 1e6 for k in _K.findall(text)), default=0.0)

    def learn_behind(self, memory: Expected, seen_until: float) -> None:
        """Read from a new line whether the clock was behind; then its time is its order key."""
        (line,) = [line for line in self.file().lines if hands.ident(line) == memory.id]
        memory.behind = '"behind":true' in line
        if memory.behind:
            assert self.latest >= self.time + DAY
            memory.at = int(_K.findall(line)[-1]) / 1e6
        else:
            assert seen_until <= self.time + DAY

    def adopted(self) -> None:
        """Read the times of adopted hand-written lines and the latest key from the journal."""
        self.model.key = max(self.model.key, self.seen_until())
        if not (self.root / "journal.jsonl").exists():
            return
        for line in self.file("journal.jsonl").lines:
            if '"adopted"' in line and line.endswith("}"):
                event = json.loads(line)
                at = datetime.datetime.fromisoformat(event["at"]).timestamp()
                for ident in [event["id"]] if "id" in event else event["ids"]:
                    memory = self.model.memories.get(ident)
                    if memory is not None and memory.by_hand:
                        memory.at = at if memory.at is None else min(at, memory.at)

    def done(self) -> None:
        """Record that a command was acknowledged, so that files are complete and the index is current."""
        self.torn = False
        self.index_from = None if self.behind else self.time
        self.adopted()

    def remember(
        self,
        text: str,
        tag: str,
        score: float,
        duration: str | None,
        target: Expected | None = None,
        *,
        editor: bool = False,
    ) -> None:
        """Remember a text, known or new, perhaps as an update of another memory."""
        known = self.model.with_text(text)
        alive = known is not None and known.id in self.active()
        seen_until = self.seen_until(".recalled")
        if editor and target is not None:
            draft = self.top / "draft"
            draft.write_text(f"{text}\n\n#{tag} score:{score}" + (f" duration:{duration}" if duration else ""))
            self.patch.setenv("EDITOR", f"cp {draft}")
            result = self.memory().edit(target.id)
        else:
            request = Request(text, (tag,), str(score), duration, update=target.id if target else None)
            result = self.memory().remember(request)
        given = duration or (target.life(self.seen).duration if target else "长期" if score >= 7 else "短期")
        self.done()
        if known is None:
            self.learn_behind(self._new(result, text, tag, score, given, target), seen_until)
            return
        assert result.data["id"] == known.id
        known.tagged.append((tag, known.tags, target is known))  # an update with the same text replaces the tags
        if alive and (target is None or (target is known and result.data["verdict"] == "repeated")):
            assert result.data["verdict"] == "repeated"
            self.model.happen(known.id, self.time, "repeated", score=score, duration=duration)
            return
        assert result.data["verdict"] in ("changed", "restored")
        over = [target.id] if target is not None and target is not known else []
        self.model.come_back(known.id, self.time, *over, score=score, duration=given)

    def _new(
        self, result: Result[Remember], text: str, tag: str, score: float, given: str, target: Expected | None
    ) -> Expected:
        data = result.data
        assert data["verdict"] == "stored"
        assert data["id"] not in self.model.memories
        category = target.life(self.seen).category if target else "fact"
        memory = Expected(data["id"], text, {tag}, score, given, self.time, category, supersedes=target is not None)
        memory.after = self.model.purged.get(memory.id, 0.0)
        self.model.memories[memory.id] = memory
        self.model.gone.pop(memory.id, None)
        if target is not None:
            self.model.supersede(target.id, memory.id, self.time, line=True)
        similar = {near["id"]: self.model.memories[near["id"]].text for near in data["similar"]}
        for ident in [ident for ident, other in similar.items() if numbers(other) == numbers(text)][:1]:
            self.model.happen(ident, self.time, "near")
        return memory

    def plan(self, kind: str, memory: Expected) -> Planned:
        """Plan a command whose effect is known from the model."""
        happen, now, ident = self.model.happen, self.time, memory.id
        mark = f'"e":"{kind}","id":"{ident}"'
        if kind == "boosted":
            return Planned(lambda: self.memory().boost(ident), lambda: happen(ident, now, kind), mark)
        if kind == "verified":
            return Planned(lambda: self.memory().verify(ident), lambda: happen(ident, now, kind), mark)
        if kind == "forgotten":
            return Planned(lambda: self.memory().forget(ident), lambda: happen(ident, now, kind), mark)
        if kind == "restored":
            return Planned(lambda: self.memory().restore(ident), lambda: self.model.come_back(ident, now), mark)
        if kind == "compacted":
            return Planned(
                lambda: self.memory().context.store.write(
                    lambda writer: rewrite.compact(writer.layout, writer.take_out, self.memory().context.now())
                ),
                self.compacted,
                "",
            )
        text, seen_until = self.new_text(), self.seen_until(".recalled")
        new = Expected(make_id(text), text, {"a"}, 9.0, "长期", now)
        request = Request(text, ("a",), "9", "长期")

        def stored() -> None:
            self.model.memories[new.id] = new
            self.learn_behind(new, seen_until)

        return Planned(lambda: self.memory().remember(request), stored, f'"id":"{new.id}"')

    def compacted(self) -> None:
        active = self.active()
        for ident, memory in self.model.memories.items():
            memory.archived = memory.archived or ident not in active

    def recall_and_note(self) -> None:
        shown = self.memory().recall(Cues(count=1000)).data["memories"]
        self.model.recall({one["id"] for one in shown}, self.time)

    def converse(self, number: int) -> None:
        first = 10_000 + self.model.messages
        messages = [{"role": "user", "content": f"{word(first + n)} said"} for n in range(number)]
        self.memory().converse(read_messages("\n".join(map(json.dumps, messages))))
        self.adopted()
        self.model.messages += number
        self.model.open_messages += [self.time] * number
        self._roll(is_over=False)

    def _roll(self, *, is_over: bool) -> None:
        while number := cut(self.model.open_messages, is_over=is_over):
            self._episode(number)

    def _episode(self, number: int) -> None:
        """Add the episode of the oldest messages, with the time of the last and the program's words."""
        at = max(self.model.open_messages[:number])
        del self.model.open_messages[:number]
        there = [entry for entry, _, _ in episodes.parse(episodes.read(layout.at(str(self.root))))]
        entry = next(entry for entry in there if entry.id not in self.model.memories)
        self.model.memories[entry.id] = Expected(entry.id, entry.text, {"对话"}, 7.5, "长期", at, "episode")

    def decay(self, *, compact: bool) -> None:
        self.memory().decay(Plan(compact=compact))
        self.merged = False
        self.done()
        self.model.carry_over(self.time)
        if compact:
            self.compacted()
        if self.model.open_messages and self.model.open_messages[-1] + PAUSE <= self.time:
            self._roll(is_over=True)


def word(number: int) -> str:
    """A word that is like no other."""
    return "w" + random.Random(str(number)).randbytes(5).hex()


def iso(time: float) -> str:
    return datetime.datetime.fromtimestamp(time, datetime.UTC).isoformat(timespec="seconds")
