"""What may happen to a store, each with what the model then says: commands, faults, and the clock of both."""

import datetime
import json
import os
import random
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from promptx_mem.core.ids import make_id
from promptx_mem.memory import Memory
from promptx_mem.result import Result
from promptx_mem.store import layout, sources
from promptx_mem.usecases.attempt import Remember
from promptx_mem.usecases.compact import compact
from promptx_mem.usecases.converse import read_messages
from promptx_mem.usecases.decay import Plan
from promptx_mem.usecases.recall import Cues
from promptx_mem.usecases.request import Request
from tests.faults import faulty_os, power
from tests.faults.faulty_os import FaultyOs
from tests.machine import hands
from tests.machine.model import DAY, HOUR, Model, Told

START = 1_772_366_400.0  # 2026-03-01 12:00 UTC


class Planned(NamedTuple):
    """A command, what the model says of it, and what stands in a whole line of a file when it is done."""

    run: Callable[[], object]
    told: Callable[[], None]
    mark: str


class Steps:
    """One store in a world of its own, with the clock of its commands and of its files, and the model beside it."""

    def __init__(self) -> None:
        shm = "/dev/shm"
        self.top = Path(tempfile.mkdtemp(dir=shm if os.access(shm, os.W_OK) else None))
        self.root = self.top / ".memory"
        self.time = self.seen = START
        self.went_back = self.torn = self.behind = self.merged = False
        self.index_from: float | None = None
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
        """The kernel's clock is ours: a file is as old as the last change that was seen of it."""
        if path != str(self.root / "declarative.md"):
            return iso(self.time)
        self.look()
        return iso(self.seen)

    def look(self) -> None:
        status = os.stat(self.root / "declarative.md")
        stamp = status.st_ino, status.st_size, status.st_mtime_ns
        if stamp != self._stamp:
            self._stamp, self.seen = stamp, self.time

    def memory(self, session: str = "test") -> Memory:
        moment = datetime.datetime.fromtimestamp(self.time, datetime.UTC)
        return Memory(layout.at(str(self.root)), session, clock=lambda: moment)

    def file(self, name: str = "declarative.md") -> hands.File:
        return hands.File(self.root / name)

    def living(self) -> dict[str, Any]:
        return self.model.living(self.time, self.seen)

    def new_text(self, ending: str = "") -> str:
        self.count += 1
        return f"{word(self.count)} {word(-self.count)}{ending}".strip()

    def adopted(self) -> None:
        """Learn from the journal when lines by hand were first seen: that is fixed from then on."""
        if not (self.root / "journal.jsonl").exists():
            return
        for line in self.file("journal.jsonl").lines:
            if '"adopted"' in line and line.endswith("}"):
                event = json.loads(line)
                at = datetime.datetime.fromisoformat(event["at"]).timestamp()
                for ident in [event["id"]] if "id" in event else event["ids"]:
                    told = self.model.memories.get(ident)
                    if told is not None and told.by_hand:
                        told.at = at if told.at is None else min(at, told.at)

    def done(self) -> None:
        """A command has been acknowledged, which has settled the files and refreshed the index."""
        self.torn = False
        self.index_from = None if self.behind else self.time
        self.adopted()

    # commands

    def remember(
        self,
        text: str,
        tag: str,
        score: float,
        duration: str | None,
        target: Told | None = None,
        *,
        editor: bool = False,
    ) -> None:
        """Remember a text, known or new, perhaps in the place of another."""
        known = self.model.with_text(text)
        if self.behind and any(told is not None and told.archived for told in (known, target)):
            self.memory().recall(Cues(touch=False))  # a writer with a stale cache does not search the archive
        alive = known is not None and known.id in self.living()
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
            self._new(result, text, tag, score, given, target)
            return
        assert result.data["id"] == known.id
        known.more_tags.add(tag)
        if alive and target is None:
            assert result.data["verdict"] == "repeated"
            self.model.happen(known.id, self.time, "repeated", score=score, duration=duration)
            return
        assert result.data["verdict"] in ("changed", "restored")
        over = [target.id] if target is not None and target is not known else []
        self.model.come_back(known.id, self.time, *over, score=score, duration=given)

    def _new(
        self, result: Result[Remember], text: str, tag: str, score: float, given: str, target: Told | None
    ) -> None:
        data = result.data
        assert data["verdict"] == "stored"
        assert data["id"] not in self.model.memories
        category = target.life(self.seen).category if target else "fact"
        told = Told(data["id"], text, {tag}, score, given, self.time, category, supersedes=target is not None)
        self.model.memories[told.id] = told
        self.model.gone.pop(told.id, None)
        if target is not None:
            self.model.supersede(target.id, told.id, self.time, line=True)
        for near in data["similar"][:1]:
            self.model.happen(near["id"], self.time, "near")

    def plan(self, what: str, told: Told) -> Planned:
        """A command whose effect follows from the model alone."""
        happen, now, ident = self.model.happen, self.time, told.id
        mark = f'"e":"{what}","id":"{ident}"'
        if what == "boosted":
            return Planned(lambda: self.memory().boost(ident), lambda: happen(ident, now, what), mark)
        if what == "verified":
            return Planned(lambda: self.memory().verify(ident), lambda: happen(ident, now, what), mark)
        if what == "forgotten":
            return Planned(lambda: self.memory().forget(ident), lambda: happen(ident, now, what), mark)
        if what == "restored":
            return Planned(lambda: self.memory().restore(ident), lambda: self.model.come_back(ident, now), mark)
        if what == "compacted":
            return Planned(
                lambda: self.memory().context.store.write(lambda writer: compact(self.memory().context, writer)),
                self.compacted,
                "",
            )
        text = self.new_text()
        new = Told(make_id(text), text, {"a"}, 9.0, "长期", now)
        request = Request(text, ("a",), "9", "长期")
        return Planned(
            lambda: self.memory().remember(request),
            lambda: self.model.memories.update({new.id: new}),
            f'"id":"{new.id}"',
        )

    def compacted(self) -> None:
        living = self.living()
        for ident, told in self.model.memories.items():
            told.archived = told.archived or ident not in living

    def recall_and_note(self) -> None:
        shown = self.memory().recall(Cues(count=1000)).data["memories"]
        self.model.recalls.setdefault(self.time // DAY * DAY, set()).update(one["id"] for one in shown)

    def converse(self, number: int) -> None:
        first = 10_000 + self.model.messages
        said = [{"role": "user", "content": f"{word(first + n)} said"} for n in range(number)]
        self.memory().converse(read_messages("\n".join(map(json.dumps, said))))
        self.adopted()
        self.model.messages += number
        self.model.said += [self.time] * number
        while len(self.model.said) > 30:
            self._episode(21)

    def _episode(self, number: int) -> None:
        """So many messages have become a memory; its words are the program's."""
        spoken = min(max(self.model.said[:number]), self.time)
        del self.model.said[:number]
        new = [line for line in self.file().lines if '"category":"episode"' in line]
        line = next(line for line in new if hands.ident(line) not in {*self.model.memories, *self.model.gone})
        entry = sources.read_lines(line.encode(), "").lines[0].entry
        at = spoken if self.time - spoken < 7 * DAY else self.time
        self.model.memories[entry.id] = Told(entry.id, entry.text, {"对话"}, 7.5, "长期", at, "episode")

    def decay(self, *, compact: bool) -> None:
        self.memory().decay(Plan(compact=compact))
        self.merged = False
        self.done()
        self.model.note_recalls(self.time // DAY * DAY)
        if compact:
            self.compacted()
        if self.model.said and max(self.model.said) + 4 * HOUR <= self.time:
            self._episode(len(self.model.said))

    # faults

    def marks(self, mark: str) -> int:
        """How often something stands in a whole line of a file."""
        files = (self.root / "declarative.md", self.root / "journal.jsonl")
        lines = [line for path in files if path.exists() for line in path.read_bytes().split(b"\n")[:-1]]
        return sum(mark.encode() in line and b"\0" not in line for line in lines)

    def crash(self, planned: Planned, call: int, when: str) -> None:
        """Kill a command at one of its calls: the state before, or the one after."""
        self.catch_up()
        before = self.marks(planned.mark)

        def work() -> None:
            with pytest.MonkeyPatch.context() as patch:
                FaultyOs(faulty_os.kill(call, when)).install(patch)
                planned.run()

        status = faulty_os.forked(work)
        assert status in (0, faulty_os.KILLED)
        self._settle(planned, before, acknowledged=status == 0)

    def power_cut(self, planned: Planned, cut: float, choice: float) -> None:
        """Cut the power at some call, or after the command is done; what was not synced may be lost or torn."""
        self.catch_up()
        before = self.marks(planned.mark)
        disk = power.Disk(self.top)
        with pytest.MonkeyPatch.context() as patch:
            FaultyOs(disk.fault).install(patch)
            planned.run()
        number = int(cut * (len(disk.cuts) + 1))
        states = list(disk.possible()) if number == len(disk.cuts) else disk.cuts[number][1]
        left = states[int(choice * len(states))]
        shutil.rmtree(self.top)
        self.top.mkdir()
        power.put_back(left, self.top, self.top)
        self._settle(planned, before, acknowledged=number == len(disk.cuts))

    def _settle(self, planned: Planned, before: int, *, acknowledged: bool) -> None:
        """Take over which of the two allowed states is there; an acknowledged one is the one after."""
        self.torn, self.index_from = True, None
        self.look()
        self.adopted()
        if not planned.mark or self.marks(planned.mark) > before:
            planned.told()
        else:
            assert not acknowledged, "what was acknowledged is not in the files"

    def catch_up(self) -> None:
        """Let the cache see the files: what vanishes from them before it has is not saved."""
        if self.behind:
            self.memory().recall(Cues(touch=False))

    def calm(self) -> None:
        """What a person waits for before opening a file: no half line in it."""
        if self.torn:
            self.memory().index()
            self.torn = False


def word(number: int) -> str:
    """A word that is like no other."""
    return "w" + random.Random(str(number)).randbytes(5).hex()


def iso(time: float) -> str:
    return datetime.datetime.fromtimestamp(time, datetime.UTC).isoformat(timespec="seconds")
