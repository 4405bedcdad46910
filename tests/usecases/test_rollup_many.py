"""What many conversations cost: each is rolled up for its own work, and at rest it costs next to nothing."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.api import Cues, Message, unit_of
from tests.inside import conversations, current, episodes, files, rollup, turns
from tests.inside import core_line as line
from tests.inside import search_build as build
from tests.inside import usecases_index as index
from tests.world import World

MANY = 3 * rollup.AT_ONCE


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path / ".memory")
    world.remember("the start")
    return world


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each of some functions was called."""
    counter: Counter[str] = Counter()

    def count(place: Any, name: str) -> None:
        real = getattr(place, name)

        def counted(*words: Any, **options: Any) -> Any:
            counter[name] += 1
            return real(*words, **options)

        monkeypatch.setattr(place, name, counted)

    for place, name in (
        (episodes, "entry_of"),
        (index, "refresh"),
        (build, "rebuild"),
        (files, "sync"),
        (conversations, "read"),
        (line, "parse_line"),
    ):
        count(place, name)
    return counter


def talk(world: World, number: int) -> None:
    at = world.time.isoformat()
    messages = [Message("user", f"word{number}", at), Message("assistant", f"answer {number}", at)]
    where = world.memory.context.layout
    conversations.add_messages(where, unit_of(f"talk {number}"), messages, f"talk {number}")


def test_many_are_written_together(world: World, calls: Counter[str]) -> None:
    for number in range(MANY):
        talk(world, number)
    world.later(hours=5)
    calls.clear()
    assert len(rollup.roll_idle(world.memory.context, world.time)) == MANY
    assert calls["refresh"] <= MANY / rollup.AT_ONCE
    assert calls["entry_of"] <= 4 * MANY  # of each as often as a small cache is made, not of all for each
    assert calls["sync"] <= 2 * MANY + 20
    assert world.recall("word17")[0].endswith("] word17")


def test_what_rests_is_not_read_again(world: World, calls: Counter[str]) -> None:
    for number in range(MANY):
        talk(world, number)
    rollup.roll_idle(world.memory.context, world.later(hours=5).time)
    world.memory.converse([Message("user", "a new one")])
    calls.clear()
    world.memory.converse([Message("user", "and on")])
    assert calls["read"] < 10
    talk(world, 7)  # it goes on
    assert "answer 7" not in str(world.memory.working_memory().data)
    (stored,) = rollup.roll_idle(world.memory.context, world.later(hours=5).time)[:1]
    assert stored["slice"].rpartition(":")[2] in "12"
    assert len(conversations.read(world.memory.context.layout, unit_of("talk 7")).slices) == 2


def test_few_facts_beside_many_episodes_are_no_small_store(world: World, calls: Counter[str]) -> None:
    """An episode is dated before what was noted meanwhile: a large cache bears that, a small one is made anew."""
    where = world.memory.context.layout
    for number in range(MANY):
        talk(world, number)
    rollup.roll_idle(world.memory.context, world.later(hours=5).time)
    files.replace(where.episodes, episodes.read(where) + b"\n" * current.SMALL, where.mode)
    world.recall("word3")
    for number in range(3):
        talk(world, MANY + number)
        world.later(hours=3)
        world.remember(f"noted meanwhile {number}")
        calls.clear()
        rollup.roll_idle(world.memory.context, world.later(hours=3).time)
        assert world.memory.recall(Cues(text=f"word{MANY + number}", count=1)).data["memories"]
        assert calls["rebuild"] == 0


def test_a_new_session_reads_no_conversation_of_before(world: World, calls: Counter[str]) -> None:
    for number in range(MANY):
        talk(world, number)
    rollup.roll_idle(world.memory.context, world.later(hours=5).time)
    calls.clear()
    soon = "2999-01-01T00:00:00+00:00"  # after the files were written
    assert turns._earlier_keys(world.memory.context, "u_new", [Message("user", "x", soon, None, "k")]) == set()
    assert calls["read"] == 1
    turns._earlier_keys(world.memory.context, "u_new", [Message("user", "x", None, None, "k")])
    assert calls["read"] == 2
