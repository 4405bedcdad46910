"""A private session reads memories and stores none."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.api import Cues, Options, Plan, Refused, make_id
from tests.inside import OFF
from tests.world import World

pytestmark = pytest.mark.usefixtures("person")

TEA = make_id("the user likes tea")
ACTS: dict[str, Callable[[World], Any]] = {
    "remember": lambda world: world.remember("a new fact", "t"),
    "remember again": lambda world: world.remember("the user likes tea", "t"),
    "boost": lambda world: world.memory.boost(TEA),
    "forget": lambda world: world.memory.forget(TEA),
    "purge": lambda world: world.memory.forget(TEA, purge=True),
    "import": lambda world: world.memory.import_files(Options((str(world.root.parent / "facts.md"),))),
    "decay": lambda world: world.memory.decay(Plan()),
}


def _tree(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*[!k]") if path.is_file()}


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path / ".memory")
    world.remember("the user likes tea", "drink")
    (tmp_path / "facts.md").write_text("- another fact #t score:8\n")
    world.recall("tea")
    return world


@pytest.mark.parametrize("act", ACTS)
def test_writing_commands_are_refused_with_advice(world: World, monkeypatch: pytest.MonkeyPatch, act: str) -> None:
    monkeypatch.setenv(OFF, "1")
    before = _tree(world.root)
    with pytest.raises(Refused) as error:
        ACTS[act](world)
    assert error.value.code == "private"
    assert error.value.hint.endswith(f"env -u {OFF}")
    assert _tree(world.root) == before


@pytest.mark.skipif(not os.path.exists("/proc/self/environ"), reason="the system hides the environment of a process")
@pytest.mark.parametrize("removed", ["env", "env -u PROMPTX_MEM_OFF", "unset PROMPTX_MEM_OFF;", "PROMPTX_MEM_OFF=0"])
def test_agent_in_a_private_session_creates_no_store_and_gets_no_advice(tmp_path: Path, removed: str) -> None:
    line = f'{removed} "$0" -m promptx_mem remember "the user is ill" "#t" score:9; exit $?'
    env = {**os.environ, OFF: "1", "CLAUDECODE": "1"}
    words = ["sh", "-c", line, sys.executable]
    done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, "is private" in done.stderr, "→" in done.stderr) == (1, True, False), done
    assert list(tmp_path.iterdir()) == []


def test_reading_works_and_records_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OFF, "1")
    before = _tree(world.root)
    memories = world.memory.recall(Cues(text="tea")).data["memories"]
    assert [one["text"] for one in memories] == ["the user likes tea"]
    assert world.memory.score("9,7,9,8,8,9", "execution").data["score"] == 8.5
    assert _tree(world.root) == before


@pytest.mark.parametrize("value", ["", "0"])
def test_an_empty_variable_or_0_means_not_private(world: World, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv(OFF, value)
    assert world.remember("a new fact", "t")["verdict"] == "stored"
