"""Actions of people and agents through the program: each rule runs one command and updates the model."""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.api import Options, Refused, Request, make_id
from tests.machine import checks
from tests.machine.crashes import Crashes
from tests.machine.model import AMOUNTS, HOUR, Expected, Model

picks = st.floats(0, 1, exclude_max=True)
tags = st.sampled_from("abcd")
flags = st.booleans()
_scores = st.sampled_from([5.0, 7.0, 8.5, 9.0, 10.0])
_durations = st.sampled_from(["短期", "中期", "长期", "永久", *AMOUNTS])
_endings = st.sampled_from(
    [
        "",
        "",
        " 偏好",
        " \\#x",
        " #5 later",
        " score:",
        "\nsecond line",
        " <!-- x -->",
        " <br> a",
        " https://a/#b",
        " \\",
    ]
)


class Commands(RuleBasedStateMachine):
    """Each rule does one thing and updates the model; then all output is checked."""

    def __init__(self) -> None:
        super().__init__()
        self.steps = Crashes()
        self.purged: list[str] = []
        self.edited: list[str] = []
        self.copy: dict[str, list[str]] = {}
        self.unchecked = False

    def teardown(self) -> None:
        self.steps.close()

    @property
    def model(self) -> Model:
        return self.steps.model

    def one(self, pick: float, *, alive: bool | None = None) -> Expected | None:
        """Return some memory, only an active or an ended one if `alive` is given."""
        active = self.steps.active()
        found = [memory for ident, memory in self.model.memories.items() if alive is None or (ident in active) == alive]
        return found[int(pick * len(found))] if found else None

    @initialize()
    def begin(self) -> None:
        self.remember("", "a", 9.0, "长期")

    @invariant()
    def everything_agrees(self) -> None:
        self.steps.look()
        self.steps.behind = self.unchecked
        if not self.unchecked:
            checks.check(self.steps)
        self.unchecked = False

    @rule(ending=_endings, tag=tags, score=_scores, duration=_durations)
    def remember(self, ending: str, tag: str, score: float, duration: str) -> None:
        self.steps.remember(self.steps.new_text(ending), tag, score, duration)

    @rule(pick=picks, tag=tags, score=_scores, duration=st.sampled_from([None, "永久"]))
    def remember_again(self, pick: float, tag: str, score: float, duration: str | None) -> None:
        if memory := self.one(pick):
            self.steps.remember(memory.text, tag, score, duration)

    @rule(pick=picks, tag=tags)
    def remember_near(self, pick: float, tag: str) -> None:
        memory = self.one(pick, alive=True)
        if memory and f"{memory.text}？" not in {gone.text for gone in self.model.gone.values()}:
            self.steps.remember(f"{memory.text}？", tag, 8.0, "长期")

    @rule(tag=tags)
    def remember_purged_or_edited_text(self, tag: str) -> None:
        self.copy = {}
        texts = self.purged + self.edited
        # Events of a lost line are still in the journal, and apply to a new line with its id.
        gone = {memory.text for memory in self.model.gone.values()}
        if texts and texts[-1] not in gone and make_id(texts[-1]) not in self.model.gone:
            self.steps.remember(texts[-1], tag, 9.0, "中期")

    @rule(
        pick=picks,
        ending=_endings,
        tag=tags,
        score=_scores,
        duration=st.sampled_from([None, "短期", "9d"]),
        editor=flags,
    )
    def update(self, pick: float, ending: str, tag: str, score: float, duration: str | None, editor: bool) -> None:
        target = self.one(pick, alive=True)
        if target and target.category != "episode":  # the summary of a conversation keeps its id
            self.steps.remember(self.steps.new_text(ending), tag, score, duration, target, editor=editor)

    @rule(pick=picks, other=picks, tag=tags, score=_scores)
    def update_to_a_known_text(self, pick: float, other: float, tag: str, score: float) -> None:
        target, known = self.one(pick, alive=True), self.one(other)
        if target and known and "episode" not in (target.category, known.category):
            self.steps.remember(known.text, tag, score, None, target)

    @rule(number=st.integers(0, 10_000))
    def refused(self, number: int) -> None:
        with pytest.raises(Refused):
            self.steps.memory(f"r{number}").remember(Request(f"refused {number}", ("t",), "3"))
        self.steps.torn = False

    @rule(pick=picks, kind=st.sampled_from(["boosted", "boosted", "verified", "forgotten"]))
    def change(self, pick: float, kind: str) -> None:
        if memory := self.one(pick, alive=True):
            self._do(kind, memory)

    @rule(pick=picks)
    def restore(self, pick: float) -> None:
        if memory := self.one(pick, alive=False):
            self._do("restored", memory)

    def _do(self, kind: str, memory: Expected) -> None:
        planned = self.steps.plan(kind, memory)
        planned.run()
        self.steps.done()
        planned.apply()

    @rule(pick=picks)
    def boost_for_days(self, pick: float) -> None:
        """Boost a memory until a review is pending or it cannot fade any more."""
        memory = self.one(pick, alive=True)
        for _ in range(9):
            if memory is None or memory.id not in self.steps.active():
                break
            self._do("boosted", memory)
            self.steps.time += 8 * HOUR

    @rule(pick=picks, kind=st.sampled_from(["keep", "promote", "delete"]))
    def review(self, pick: float, kind: str) -> None:
        waiting = self.steps.memory().reviews().data["reviews"]
        open_ = [one["id"] for one in waiting if one["review"] != "summary"]
        if open_:
            ident = open_[int(pick * len(open_))]
            self.steps.memory().review(ident, kind)
            self.steps.done()
            self.model.happen(ident, self.steps.time, "deleted" if kind == "delete" else kind)

    @rule(pick=picks)
    def purge(self, pick: float) -> None:
        memory = self.one(pick)
        if memory and memory.category != "episode":
            self.steps.memory().forget(memory.id, purge=True)
            self.steps.done()
            self.purged.append(memory.text)
            self.model.purge(memory.id, self.steps.time)

    @rule(compact=flags)
    def decay(self, compact: bool) -> None:
        self.steps.decay(compact=compact)

    @rule()
    def recall(self) -> None:
        self.steps.recall_and_note()

    @rule()
    def index(self) -> None:
        self.steps.memory().index()
        self.steps.index_from, self.steps.torn = self.steps.time, False

    @rule(number=st.sampled_from([3, 12, 40]))
    def converse(self, number: int) -> None:
        self.steps.converse(number)

    @rule()
    def import_a_file(self) -> None:
        path = self.steps.top / "others.md"
        text = self.steps.new_text()
        path.write_text(f"# others\n\n- {text} #c #评分:8 #有效期:中期\n")
        self.steps.memory().import_files(Options((str(path),), mine=True, yes=True))
        self.steps.torn = False
        self.model.memories[make_id(text)] = Expected(make_id(text), text, {"c"}, 8.0, "中期", self.steps.time)
