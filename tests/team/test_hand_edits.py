"""Hand-written lines: after an edit every copy has one memory instead of two."""

import os

import pytest

from tests.api import make_id
from tests.team.team import Make, settle

HAND = ["tea is green", "the report is due on Friday", "staging runs on PostgreSQL", "the office closes at six"]


class Pair:
    """Ada writes lines by hand, and bob syncs them."""

    def __init__(self, member: Make) -> None:
        self.ada, self.bob = member("ada"), member("bob")
        self.write(*HAND)

    def write(self, *texts: str) -> None:
        """Replace the hand-written lines and sync both copies."""
        path = self.ada.file("declarative.md")
        own = [line for line in path.read_text("utf-8").splitlines() if line.endswith("-->")]
        path.write_text("\n".join([*own, "", *(f"- {text}" for text in texts), ""]), "utf-8")
        self.send()

    def send(self) -> None:
        """Let an hour pass after an edit, then sync both copies."""
        time = self.ada.time.timestamp()
        os.utime(self.ada.file("declarative.md"), (time, time))
        self.ada.later(hours=1)
        self.bob.later(hours=1)
        settle(self.ada, self.bob)

    def texts(self) -> list[str]:
        """Return the hand-written texts, after a check that both copies and their caches agree."""
        first = ("the first of ada", "the first of bob")
        for copy in (self.ada, self.bob):
            states = {state.entry.text for state in copy.states().values()}
            assert set(copy.recall()) == states
            problems = copy.memory.audit_verify().data["problems"] or ()
            # the old line was saved, as after every edit
            assert [problem for problem in problems if problem["check"] != "vanished"] == [], copy.role
        assert self.ada.states() == self.bob.states()
        return sorted(text for text in self.bob.recall() if text not in first)


EDITS = {
    "a word": ["tea is black", *HAND[1:]],
    "several": ["tea is black", "the report is due on Monday", *HAND[2:]],
    "all of a text": [HAND[0], "something quite else", *HAND[2:]],
    "the last": [*HAND[:3], "the office closes at seven"],
    "score and tag": ["tea is green #tea score:9", *HAND[1:]],
}


@pytest.mark.parametrize("what", EDITS)
def test_edited_line_is_one_memory_in_both_copies(member: Make, what: str) -> None:
    pair = Pair(member)
    assert pair.texts() == sorted(HAND)
    pair.write(*EDITS[what])
    assert pair.texts() == sorted(text.partition(" #")[0] for text in EDITS[what])
    again = [copy.sync().data for copy in (pair.ada, pair.bob)]
    assert not any(data["pushed"] or data["pulled"] for data in again)


def test_edit_can_be_reverted_and_repeated(member: Make) -> None:
    pair = Pair(member)
    for texts in (EDITS["a word"], ["tea is white", *HAND[1:]], HAND, EDITS["a word"]):
        pair.write(*texts)
        assert pair.texts() == sorted(texts)


def test_restore_brings_back_the_old_text_of_an_edit(member: Make) -> None:
    pair = Pair(member)
    pair.write(*EDITS["a word"])
    pair.ada.memory.restore(make_id(HAND[0]))
    pair.send()
    assert pair.texts() == sorted([*EDITS["a word"], HAND[0]])


def test_deleted_line_comes_back_at_the_next_sync(member: Make) -> None:
    """Deleting a line ends no memory: it looks the same as restoring an older file."""
    pair = Pair(member)
    pair.write(HAND[0], *HAND[2:])
    assert pair.texts() == sorted(HAND)


def test_edit_together_with_an_added_line_keeps_the_old_text(member: Make) -> None:
    pair = Pair(member)
    pair.write("before all", "tea is black", *HAND[1:])
    assert pair.texts() == sorted([*HAND, "before all", "tea is black"])


def test_edited_entry_of_several_lines_is_one_memory(member: Make) -> None:
    pair = Pair(member)
    path = pair.ada.file("declarative.md")
    entry = "- 2025/06/05 18:47 START\nthe first step\nthe second step\n--tags #评分:8 #有效期:长期\n- END\n"
    path.write_text(path.read_text("utf-8") + entry, "utf-8")
    pair.send()
    path.write_text(path.read_text("utf-8").replace("second step", "other step"), "utf-8")
    pair.send()
    assert pair.texts() == sorted([*HAND, "the first step\nthe other step"])


def test_edit_after_the_notes_were_lost_keeps_the_old_text(member: Make) -> None:
    pair = Pair(member)
    (pair.ada.root / ".team" / "hand").unlink()
    pair.write(*EDITS["a word"])
    assert set(pair.texts()) == {*HAND, "tea is black"}
    assert pair.ada.sync().data["pushed"] == pair.ada.sync().data["pulled"] == 0
