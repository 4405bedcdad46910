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
