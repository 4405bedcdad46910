"""What a person does to the files, what a machine does to the program, and what clocks do."""

import random
import re
import shutil

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.api import make_id
from tests.inside import audit, sources
from tests.machine import checks, hands
from tests.machine.commands import Commands, flags, picks, tags
from tests.machine.model import DAY, HOUR, Told
from tests.machine.steps import word

chances = st.integers(0, 1 << 16).map(random.Random)
forms = st.sampled_from(sorted(hands.FORMS))


class World(Commands):
    """The rest of what happens to a store."""

    def _open(self, name: str = "declarative.md") -> hands.File:
        self.steps.calm()
        return self.steps.file(name)

    def _save(self, file: hands.File, how: random.Random, *, unasked: bool = False) -> None:
        rename = how.random() < 0.5
        file.save(self.steps.time, rename=rename, keep_time=how.random() < 0.5)
        self.steps.index_from = None
        self.unasked = unasked

    @rule(form=forms, chance=chances, unasked=flags)
    def write_by_hand(self, form: str, chance: random.Random, unasked: bool) -> None:
        file = self._open()
        text = self.steps.new_text()
        file.lines.insert(chance.randrange(len(file.lines) + 1), f"- {text}{form}")
        score, duration = hands.FORMS[form]
        own = set(re.findall(" #([abc])(?= |$)", form))
        self.model.memories[make_id(text)] = Told(make_id(text), text, own, score, duration, None, by_hand=True)
        self._save(file, chance, unasked=unasked)

    def _line(self, file: hands.File, pick: float) -> tuple[int, Told] | None:
        """A line that is the only one of its memory, and whose text is the visible part."""
        idents = [hands.ident(line) for line in file.lines]
        found = [
            (number, self.model.memories[ident])
            for number, ident in enumerate(idents)
            if idents.count(ident) == 1 and ident in self.model.memories and '"vis":' not in file.lines[number]
        ]
        found = [(number, told) for number, told in found if not told.archived]
        return found[int(pick * len(found))] if found else None

    @rule(pick=picks, chance=chances, unasked=flags)
    def edit_the_text(self, pick: float, chance: random.Random, unasked: bool) -> None:
        file = self._open()
        if (found := self._line(file, pick)) and found[1].category != "episode":
            number, told = found
            old, new = told.text.split()[0], word(chance.randrange(1 << 30))
            file.lines[number] = file.lines[number].replace(old, new, 1)
            self.edited.append(told.text)
            told.text = told.text.replace(old, new, 1)
            self.copy = {}
            self._save(file, chance, unasked=unasked)

    @rule(pick=picks, tag=tags, chance=chances, unasked=flags)
    def edit_the_tags(self, pick: float, tag: str, chance: random.Random, unasked: bool) -> None:
        file = self._open()
        if (found := self._line(file, pick)) and found[1].category != "episode":
            number, told = found
            file.lines[number] = re.sub(
                "( #[abcd])* score:(?=[0-9.]+ dur)", f" #{tag} score:", file.lines[number], count=1
            )
            told.tags = {tag}
            self.copy = {}
            self._save(file, chance, unasked=unasked)

    @rule(pick=picks, chance=chances, unasked=flags)
    def delete_a_line(self, pick: float, chance: random.Random, unasked: bool) -> None:
        file = self._open()
        if (found := self._line(file, pick)) and not found[1].supersedes:
            number, told = found
            del file.lines[number]
            self.model.gone[told.id] = self.model.memories.pop(told.id)
            self.copy = {}
            self._save(file, chance, unasked=unasked)

    @rule(pick=picks)
    def restore_what_vanished(self, pick: float) -> None:
        if not self.model.gone:
            return
        told = list(self.model.gone.values())[int(pick * len(self.model.gone))]
        checks.check(self.steps)
        self.steps.memory().restore(told.id)
        self.steps.done()
        line = next(line for line in self.steps.file().lines if hands.ident(line) == told.id)
        entry = sources.read_lines(line.encode(), "").lines[0].entry
        # What is put back is the memory as it was when it was last seen.
        told.text, told.tags, told.score = entry.text, set(entry.tags), entry.score
        told.duration, told.category = entry.duration, entry.category
        self.model.memories[told.id] = self.model.gone.pop(told.id)
        if told.id not in self.steps.living():
            self.model.come_back(told.id, self.steps.time)

    @rule(what=st.sampled_from(hands.HARMLESS), journal=flags, chance=chances, unasked=flags)
    def change_nothing(self, what: str, journal: bool, chance: random.Random, unasked: bool) -> None:
        name = "journal.jsonl" if journal and (self.steps.root / "journal.jsonl").exists() else "declarative.md"
        file = self._open(name)
        hands.change_nothing(file, what, chance)
        self._save(file, chance, unasked=unasked)

    @rule(what=st.sampled_from([".cache", ".lock", "MEMORY.md", ".recalled", ".intent", "audit.jsonl"]))
    def remove(self, what: str) -> None:
        self.steps.calm()
        path = self.steps.root / what
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        if what == ".recalled":
            self.model.lose_recalls()

    @rule()
    def rotate_the_audit_log(self) -> None:
        audit.rotate(self.steps.memory().context.layout, self.steps.memory().context.now())

    @rule()
    def keep_a_copy(self) -> None:
        """Another host's clone, as far as it goes: conversations and recalls are this host's alone."""
        self.steps.calm()
        names = ("declarative.md", "journal.jsonl")
        self.copy = {name: self.steps.file(name).lines for name in names if (self.steps.root / name).exists()}

    @rule(chance=chances)
    def merge_the_copy(self, chance: random.Random) -> None:
        """Git's union merge with a clone that knows less: it brings compacted lines back, and changes nothing."""
        self.steps.merged = True
        for name, lines in self.copy.items():
            file = self._open(name)
            more = [line for line in lines if line not in file.lines]
            file.lines = [*more, *file.lines] if chance.random() < 0.5 else [*file.lines, *more]
            self._save(file, chance)

    @rule(
        pick=picks,
        what=st.sampled_from(["stored", "stored", "boosted", "forgotten", "restored", "compacted"]),
        call=st.integers(1, 150),
        when=st.sampled_from(["after", "half"]),
    )
    def crash(self, pick: float, what: str, call: int, when: str) -> None:
        if told := self._fit(pick, what):
            self.steps.crash(self.steps.plan(what, told), call, when)

    @rule(pick=picks, what=st.sampled_from(["stored", "boosted", "restored", "compacted"]), cut=picks, choice=picks)
    def power_cut(self, pick: float, what: str, cut: float, choice: float) -> None:
        if told := self._fit(pick, what):
            self.steps.power_cut(self.steps.plan(what, told), cut, choice)

    def _fit(self, pick: float, what: str) -> Told | None:
        alive = {"boosted": True, "forgotten": True, "restored": False}.get(what)
        return self.one(pick, alive=alive)

    @rule(hours=st.sampled_from([1, 1, 3, 25, 8 * 24, 31 * 24, 100 * 24]))
    def later(self, hours: int) -> None:
        self.steps.time += hours * HOUR

    @rule(days=st.integers(1, 9))
    def the_clock_is_set_back(self, days: int) -> None:
        self.steps.time -= days * DAY
        self.steps.went_back = True
