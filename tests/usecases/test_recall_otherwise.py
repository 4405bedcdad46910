"""recall asked in several ways, weak matches, and the order of what says nearly the same."""

from pathlib import Path

import pytest

from tests.api import Cues, Memory
from tests.inside import cli_recall as command_line
from tests.usecases.recall_store import entry, store

FACTS = [
    entry("We never deploy on Fridays after noon.", 30),
    entry("备份每天一点开始，保留三十五天。", 29),
    entry("Logs are kept for thirty days, then deleted.", 28),
    entry("The printer on the second floor is a Brother.", 27),
    entry("Logs are kept for fourteen days, then deleted.", 3),
    entry("The coffee machine was moved into the kitchen.", 2),
]


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return store(tmp_path, FACTS)


def test_the_best_of_several_questions_counts(memory: Memory) -> None:
    alone = memory.recall(Cues(text="哪天不允许上线")).data["memories"]
    both = memory.recall(Cues(text="哪天不允许上线", otherwise=("which day may we not deploy",))).data["memories"]
    assert FACTS[0].id not in [one["id"] for one in alone]
    assert both[0]["id"] == FACTS[0].id
    assert not both[0]["weak"]
    once = memory.recall(Cues(text="which day may we not deploy")).data["memories"][0]
    twice = memory.recall(Cues(text="which day may we not deploy", otherwise=("which day may we not deploy",)))
    assert twice.data["memories"][0]["relevance"] == once["relevance"]


def test_a_question_may_be_asked_otherwise_alone(memory: Memory) -> None:
    assert memory.recall(Cues(otherwise=("备份几点开始",))).data["memories"][0]["id"] == FACTS[1].id


def test_weak_matches_say_so(memory: Memory) -> None:
    data = memory.recall(Cues(text="Will it be foggy for many days?")).data
    assert data["memories"]
    assert all(one["weak"] for one in data["memories"])
    shown = command_line.as_text({**data, "format": "text", "dropped": 0})
    assert "[weak; " in shown
    assert "little of this matches" in shown
    assert "weak" not in command_line.as_text(
        {**memory.recall(Cues(text="deploy Fridays noon", count=1)).data, "format": "text", "dropped": 0}
    )


def test_nothing_found_says_how_to_ask_again(memory: Memory) -> None:
    data = memory.recall(Cues(text="吉祥物")).data
    assert data["memories"] == []
    assert "translated" in data["hint"]
    assert "translated" in command_line.as_text({**data, "format": "text", "dropped": 0})


def test_of_what_says_nearly_the_same_the_newest_goes_first_and_the_other_beside_it(memory: Memory) -> None:
    found = memory.recall(Cues(text="logs kept for thirty days")).data["memories"]
    assert [one["id"] for one in found[:2]] == [FACTS[4].id, FACTS[2].id]


def test_lasting_goes_before_short_at_equal_rank(tmp_path: Path) -> None:
    pair = [entry("a key with red paint for sheds", 5), entry("one key with blue tape on boats", 4)]
    short = pair[1]._replace(duration="短期")
    found = store(tmp_path, [pair[0], short]).recall(Cues(text="key")).data["memories"]
    assert found[0]["duration"] == pair[0].duration
