"""Edits of a person, crashes of the machine, and changes of the clock."""

import random
import re
import shutil

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.api import make_id
from tests.inside import parsing, rewrite
from tests.machine import checks, hands
from tests.machine.commands import Commands, flags, picks, tags
from tests.machine.model import DAY, HOUR, Expected
from tests.machine.steps import word

chances = st.integers(0, 1 << 16).map(random.Random)
endings = st.sampled_from(sorted(hands.ENDINGS))


class World(Commands):
    """All other actions on a store."""

    def _open(self, name: str = "declarative.md") -> hands.File:
        self.steps.repair()
        return self.steps.file(name)

    def _save(self, file: hands.File, how: random.Random, *, unchecked: bool = False) -> None:
        rename = how.random() < 0.5
        file.save(self.steps.time, rename=rename, keep_time=how.random() < 0.5)
        self.steps.index_from = None
        self.unchecked = unchecked

    @rule(ending=endings, chance=chances, unchecked=flags)
    def write_by_hand(self, ending: str, chance: random.Random, unchecked: bool) -> None:
        file = self._open()
        text = self.steps.new_text()
        file.lines.insert(chance.randrange(len(file.lines) + 1), f"- {text}{ending}")
        score, duration = hands.ENDINGS[ending]
        own = set(re.findall(" #([abc])(?= |$)", ending))
        self.model.memories[make_id(text)] = Expected(make_id(text), text, own, score, duration, None, by_hand=True)
        self._save(file, chance, unchecked=unchecked)

    def _line(self, file: hands.File, pick: float) -> tuple[int, Expected] | None:
        """Return a line that is the only one of its memory and shows its whole text."""
        idents = [hands.ident(line) for line in file.lines]
        found = [
            (number, self.model.memories[ident])
            for number, ident in enumerate(idents)
            if idents.count(ident) == 1 and ident in self.model.memories and '"vis":' not in file.lines[number]
        ]
        found = [(number, memory) for number, memory in found if not memory.archived]
        return found[int(pick * len(found))] if found else None

    @rule(pick=picks, chance=chances, unchecked=flags)
    def edit_the_text(self, pick: float, chance: random.Random, unchecked: bool) -> None:
        file = self._open()
        if (found := self._line(file, pick)) and found[1].category != "episode":
            number, memory = found
            old, new = memory.text.split()[0], word(chance.randrange(1 << 30))
            file.lines[number] = file.lines[number].replace(old, new, 1)
            self.edited.append(memory.text)
            memory.text = memory.text.replace(old, new, 1)
            self.copy = {}
            self._save(file, chance, unchecked=unchecked)

    @rule(pick=picks, tag=tags, chance=chances, unchecked=flags)
    def edit_the_tags(self, pick: float, tag: str, chance: random.Random, unchecked: bool) -> None:
        file = self._open()
        if (found := self._line(file, pick)) and found[1].category != "episode":
            number, memory = found
            file.lines[number] = re.sub(
                "( #[abcd])* score:(?=[0-9.]+ dur)", f" #{tag} score:", file.lines[number], count=1
            )
            memory.tags = {tag}
            self.copy = {}
            self._save(file, chance, unchecked=unchecked)

    @rule(pick=picks, chance=chances, unchecked=flags)
    def delete_a_line(self, pick: float, chance: random.Random, unchecked: bool) -> None:
        file = self._open()
        if (found := self._line(file, pick)) and not found[1].supersedes:
            number, memory = found
            del file.lines[number]
            self.model.gone[memory.id] = self.model.memories.pop(memory.id)
            self.copy = {}
            self._save(file, chance, unchecked=unchecked)

    @rule(pick=picks)
    def restore_vanished_line(self, pick: float) -> None:
        if not self.model.gone:
            return
        memory = list(self.model.gone.values())[int(pick * len(self.model.gone))]
        checks.check(self.steps)
        self.steps.memory().restore(memory.id)
        self.steps.done()
        line = next(line for line in self.steps.file().lines if hands.ident(line) == memory.id)
        entry = parsing.read_lines(line.encode(), "").lines[0].entry
        # The restored memory is as the program last read it.
        memory.text, memory.tags, memory.score = entry.text, set(entry.tags), entry.score
        memory.duration, memory.category = entry.duration, entry.category
        self.model.memories[memory.id] = self.model.gone.pop(memory.id)
        if memory.id not in self.steps.active():
            self.steps.memory().restore(memory.id)  # the first one brought back only the line
            self.steps.done()
            self.model.come_back(memory.id, self.steps.time)

    @rule(kind=st.sampled_from(hands.HARMLESS), journal=flags, chance=chances, unchecked=flags)
    def change_nothing(self, kind: str, journal: bool, chance: random.Random, unchecked: bool) -> None:
        name = "journal.jsonl" if journal and (self.steps.root / "journal.jsonl").exists() else "declarative.md"
        file = self._open(name)
        hands.change_nothing(file, kind, chance)
        self._save(file, chance, unchecked=unchecked)

    @rule(name=st.sampled_from([".cache", ".lock", "MEMORY.md", ".recalled", ".intent", "audit.jsonl"]))
    def remove(self, name: str) -> None:
        self.steps.repair()
        path = self.steps.root / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        if name == ".recalled":
            self.model.lose_recalls()

    @rule()
    def rotate_the_audit_log(self) -> None:
        rewrite.rotate_audit(self.steps.memory().context.layout, self.steps.memory().context.now())

    @rule()
    def keep_a_copy(self) -> None:
        """Keep a copy of the shared files, like a clone on another host."""
        self.steps.repair()
        names = ("declarative.md", "journal.jsonl")
        self.copy = {name: self.steps.file(name).lines for name in names if (self.steps.root / name).exists()}

    @rule(chance=chances)
    def merge_the_copy(self, chance: random.Random) -> None:
        """Merge an older clone as git does: this restores compacted lines and changes no memory."""
        self.steps.merged = True
        for name, lines in self.copy.items():
            file = self._open(name)
            more = [line for line in lines if line not in file.lines]
            file.lines = [*more, *file.lines] if chance.random() < 0.5 else [*file.lines, *more]
            self._save(file, chance)

    @rule(
        pick=picks,
        kind=st.sampled_from(["stored", "stored", "boosted", "forgotten", "restored", "compacted"]),
        call=st.integers(1, 150),
        when=st.sampled_from(["after", "half"]),
    )
    def crash(self, pick: float, kind: str, call: int, when: str) -> None:
        if memory := self._fit(pick, kind):
            self.steps.crash(self.steps.plan(kind, memory), call, when)

    @rule(pick=picks, kind=st.sampled_from(["stored", "boosted", "restored", "compacted"]), cut=picks, choice=picks)
    def power_cut(self, pick: float, kind: str, cut: float, choice: float) -> None:
        if memory := self._fit(pick, kind):
            self.steps.power_cut(self.steps.plan(kind, memory), cut, choice)

    def _fit(self, pick: float, kind: str) -> Expected | None:
        alive = {"boosted": True, "forgotten": True, "restored": False}.get(kind)
        return self.one(pick, alive=alive)

    @rule(hours=st.sampled_from([1, 1, 3, 25, 8 * 24, 31 * 24, 100 * 24]))
    def later(self, hours: int) -> None:
        self.steps.time += hours * HOUR

    @rule(days=st.integers(1, 9))
    def the_clock_is_set_back(self, days: int) -> None:
        self.steps.time -= days * DAY
        self.steps.went_back = True
