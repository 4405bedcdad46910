"""What people and agents do through the program: each rule runs one command and tells the model."""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.api import Options, Refused, Request, make_id
from tests.machine import checks
from tests.machine.crashes import Crashes
from tests.machine.model import AMOUNTS, HOUR, Model, Told

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
    """Each rule does one thing and tells the model; after each, everything that can be asked is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.steps = Crashes()
        self.purged: list[str] = []
        self.edited: list[str] = []
        self.copy: dict[str, list[str]] = {}
        self.unasked = False

    def teardown(self) -> None:
        self.steps.close()

    @property
    def model(self) -> Model:
        return self.steps.model

    def one(self, pick: float, *, alive: bool | None = None) -> Told | None:
        """Some memory that lives, or one that has ended."""
        living = self.steps.living()
        found = [told for ident, told in self.model.memories.items() if alive is None or (ident in living) == alive]
        return found[int(pick * len(found))] if found else None

    @initialize()
    def begin(self) -> None:
        self.remember("", "a", 9.0, "长期")

    @invariant()
    def everything_agrees(self) -> None:
        self.steps.look()
        self.steps.behind = self.unasked
        if not self.unasked:
            checks.check(self.steps)
        self.unasked = False

    @rule(ending=_endings, tag=tags, score=_scores, duration=_durations)
    def remember(self, ending: str, tag: str, score: float, duration: str) -> None:
        self.steps.remember(self.steps.new_text(ending), tag, score, duration)

    @rule(pick=picks, tag=tags, score=_scores, duration=st.sampled_from([None, "永久"]))
    def remember_again(self, pick: float, tag: str, score: float, duration: str | None) -> None:
        if told := self.one(pick):
            self.steps.remember(told.text, tag, score, duration)

    @rule(pick=picks, tag=tags)
    def remember_near(self, pick: float, tag: str) -> None:
        told = self.one(pick, alive=True)
        if told and f"{told.text}？" not in {gone.text for gone in self.model.gone.values()}:
            self.steps.remember(f"{told.text}？", tag, 8.0, "长期")

    @rule(tag=tags)
    def remember_what_was_purged_or_edited(self, tag: str) -> None:
        self.copy = {}
        texts = self.purged + self.edited
        # What happened to a line that vanished is still in the journal, and acts on a new line of its id.
        gone = {told.text for told in self.model.gone.values()}
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
        if target := self.one(pick, alive=True):
            self.steps.remember(self.steps.new_text(ending), tag, score, duration, target, editor=editor)

    @rule(pick=picks, other=picks, tag=tags, score=_scores)
    def update_to_a_known_text(self, pick: float, other: float, tag: str, score: float) -> None:
        target, known = self.one(pick, alive=True), self.one(other)
        if target and known:
            self.steps.remember(known.text, tag, score, None, target)

    @rule(number=st.integers(0, 10_000))
    def refused(self, number: int) -> None:
        with pytest.raises(Refused):
            self.steps.memory(f"r{number}").remember(Request(f"refused {number}", ("t",), "3"))
        self.steps.torn = False

    @rule(pick=picks, what=st.sampled_from(["boosted", "boosted", "verified", "forgotten"]))
    def change(self, pick: float, what: str) -> None:
        if told := self.one(pick, alive=True):
            self._do(what, told)

    @rule(pick=picks)
    def restore(self, pick: float) -> None:
        if told := self.one(pick, alive=False):
            self._do("restored", told)

    def _do(self, what: str, told: Told) -> None:
        planned = self.steps.plan(what, told)
        planned.run()
        self.steps.done()
        planned.told()

    @rule(pick=picks)
    def boost_for_days(self, pick: float) -> None:
        """Until something is asked about it, or it cannot fade any more."""
        told = self.one(pick, alive=True)
        for _ in range(9):
            if told is None or told.id not in self.steps.living():
                break
            self._do("boosted", told)
            self.steps.time += 8 * HOUR

    @rule(pick=picks, what=st.sampled_from(["keep", "promote", "delete"]))
    def review(self, pick: float, what: str) -> None:
        waiting = self.steps.memory().reviews().data["reviews"]
        open_ = [one["id"] for one in waiting if one["review"] != "summary"]
        if open_:
            ident = open_[int(pick * len(open_))]
            self.steps.memory().review(ident, what)
            self.steps.done()
            self.model.happen(ident, self.steps.time, "deleted" if what == "delete" else what)

    @rule(pick=picks)
    def purge(self, pick: float) -> None:
        told = self.one(pick)
        if told and told.category != "episode":
            self.steps.memory().forget(told.id, purge=True)
            self.steps.done()
            self.purged.append(told.text)
            self.model.purge(told.id, self.steps.time)

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
        self.model.memories[make_id(text)] = Told(make_id(text), text, {"c"}, 8.0, "中期", self.steps.time)
