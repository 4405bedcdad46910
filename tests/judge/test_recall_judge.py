"""recall --judge: the judge drops useless results; a failure drops nothing and is reported."""

from pathlib import Path
from typing import Any

import pytest

from tests.api import COMMAND, Cues, Recall, Result
from tests.scripted import Script
from tests.world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path / ".memory")
    for drink in ("coffee", "tea", "milk"):
        world.remember(f"the user drinks {drink}", score="8")
    return world


def recall(world: World, text: str = "drinks") -> Result[Recall]:
    return world.memory.recall(Cues(text=text, judge=True))


def idents(world: World) -> dict[str, str]:
    found = world.memory.recall(Cues(text="drinks", touch=False)).data["memories"]
    return {memory["text"].rpartition(" ")[2]: memory["id"] for memory in found}


def test_results_dropped_by_the_judge_are_not_shown(world: World, script: Script) -> None:
    known = idents(world)
    script.acts(f"[KEEP:{known['tea']}]\n[DROP:{known['milk']}]\n[DROP:m_0000000000]")
    result = recall(world)
    assert {memory["id"] for memory in result.data["memories"]} == {known["tea"], known["coffee"]}
    assert (result.data["count"], result.data["dropped"]) == (2, 1)
    assert result.warnings == ("the judge dropped 1 of 3 results",)
    assert known["milk"] not in world.read(".recalled")
    (prompt,) = script.prompts()
    assert 'The queries: "drinks"' in prompt
    assert f'{known["milk"]} "the user drinks milk" (noted 2026-03-01)' in prompt


@pytest.mark.parametrize("act", [{"exit": 1}, {"say": "all fine"}, {"say": ""}, {"echo": True}, {"flood": 100}])
def test_failed_judge_drops_nothing_and_is_reported(world: World, script: Script, act: dict[str, Any]) -> None:
    script.acts(act)
    result = recall(world)
    assert len(result.data["memories"]) == 3
    assert result.warnings[0].startswith("the judge was not used, so all results are shown: the judge")
    assert '"cmd":"judge","verdict":"failed"' in world.read("audit.jsonl")


def test_nothing_is_dropped_without_a_judge(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(COMMAND, "")
    result = recall(world)
    assert len(result.data["memories"]) == 3
    assert result.warnings == (
        "the judge was not used, so all results are shown: no judge is configured (PROMPTX_MEM_LLM, or llm.command in the user's settings)",
    )
