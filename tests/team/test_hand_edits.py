"""Lines that people write into the file without a comment: an edit of one leaves one memory, in every copy."""

import os

import pytest

from tests.api import make_id
from tests.team.team import Make, Member, settle

HAND = ["tea is green", "the report is due on Friday", "staging runs on PostgreSQL", "the office closes at six"]


class Pair:
    """Ada writes by hand; bob has what she wrote."""

    def __init__(self, member: Make) -> None:
        self.ada, self.bob = member("ada"), member("bob")
        self.write(*HAND)

    def write(self, *texts: str) -> None:
        """Let the lines by hand be these, and all of it sent and taken."""
        path = self.ada.file("declarative.md")
        own = [line for line in path.read_text("utf-8").splitlines() if line.endswith("-->")]
        path.write_text("\n".join([*own, "", *(f"- {text}" for text in texts), ""]), "utf-8")
        self.send()

    def send(self) -> None:
        """Let an hour pass after an edit, and the two sync."""
        time = self.ada.time.timestamp()
        os.utime(self.ada.file("declarative.md"), (time, time))
        self.ada.later(hours=1)
        self.bob.later(hours=1)
        settle(self.ada, self.bob)

    def texts(self) -> list[str]:
        """What both hold of it, the same in both, as the fold and as the cache say."""
        first = ("the first of ada", "the first of bob")
        for copy in (self.ada, self.bob):
            states = {state.entry.text for state in copy.states().values()}
            assert set(copy.recall()) == states
            problems = copy.memory.audit_verify().data["problems"] or ()
            # the old line was saved, here as ever
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
def test_an_edited_line_is_one_memory(member: Make, what: str) -> None:
    pair = Pair(member)
    assert pair.texts() == sorted(HAND)
    pair.write(*EDITS[what])
    assert pair.texts() == sorted(text.partition(" #")[0] for text in EDITS[what])
    again = [copy.sync().data for copy in (pair.ada, pair.bob)]
    assert not any(data["pushed"] or data["pulled"] for data in again)


def test_an_edit_names_the_line_and_both_memories(member: Make) -> None:
    pair = Pair(member)
    pair.write(*EDITS["a word"])
    assert pair.bob.read("journal.jsonl").count('"replaced"') == 1


def test_an_edit_is_taken_back(member: Make) -> None:
    pair = Pair(member)
    for texts in (EDITS["a word"], ["tea is white", *HAND[1:]], HAND, EDITS["a word"]):
        pair.write(*texts)
        assert pair.texts() == sorted(texts)


def test_the_old_text_is_restored(member: Make) -> None:
    pair = Pair(member)
    pair.write(*EDITS["a word"])
    pair.ada.memory.restore(make_id(HAND[0]))
    pair.send()
    assert pair.texts() == sorted([*EDITS["a word"], HAND[0]])


def test_a_line_that_was_deleted_comes_back(member: Make) -> None:
    """Deleting a line ends no memory: nobody else could tell it from an older file that was put back."""
    pair = Pair(member)
    pair.write(HAND[0], *HAND[2:])
    assert pair.texts() == sorted(HAND)


def test_where_a_line_was_added_or_deleted_too_the_old_line_stays(member: Make) -> None:
    pair = Pair(member)
    pair.write("before all", "tea is black", *HAND[1:])
    assert pair.texts() == sorted([*HAND, "before all", "tea is black"])


def test_entries_of_several_lines(member: Make) -> None:
    pair = Pair(member)
    path = pair.ada.file("declarative.md")
    entry = "- 2025/06/05 18:47 START\nthe first step\nthe second step\n--tags #评分:8 #有效期:长期\n- END\n"
    path.write_text(path.read_text("utf-8") + entry, "utf-8")
    pair.send()
    path.write_text(path.read_text("utf-8").replace("second step", "other step"), "utf-8")
    pair.send()
    assert pair.texts() == sorted([*HAND, "the first step\nthe other step"])


def test_what_was_lost_of_the_notes_ends_nothing(member: Make) -> None:
    pair = Pair(member)
    (pair.ada.root / ".team" / "hand").unlink()
    pair.write(*EDITS["a word"])
    assert set(pair.texts()) == {*HAND, "tea is black"}
    assert _is_settled(pair.ada)


def _is_settled(copy: Member) -> bool:
    data = copy.sync().data
    return not (data["pushed"] or data["pulled"])
