"""recall asked in several ways."""

from pathlib import Path

import pytest

from tests.api import Cues, Memory
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
