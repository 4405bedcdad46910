"""Standing rules and preferences of the user rank first; those of an untrusted store do not."""

from pathlib import Path

import pytest

from promptx_mem.search.index_write import is_standing
from promptx_mem.usecases.recall import Cues
from tests.world import World


def _rows(name: str) -> list[str]:
    return (Path(__file__).parent / f"rows/{name}.txt").read_text("utf-8").splitlines()


def test_rules_and_preferences_are_standing() -> None:
    assert [text for text in _rows("standing") if not is_standing(text)] == []


def test_other_texts_are_not_standing() -> None:
    assert [text for text in (*_rows("not_standing"), "") if is_standing(text)] == []


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path / ".memory")
    world.remember("Always name the source when I ask about sales figures")
    for month in ("March", "April", "May"):
        world.later(days=1).remember(f"the sales figures of {month} were discussed")
    return world


def test_standing_memory_ranks_first_unless_another_matches_better(world: World) -> None:
    assert world.recall("sales figures")[0].startswith("Always")
    assert world.recall("sales figures of April")[0].endswith("April were discussed")


def test_many_standing_memories_do_not_displace_a_fact(tmp_path: Path) -> None:
    world = World(tmp_path / ".memory")
    for rule in (
        "Never restart the production database by day",
        "Always ask Lena before a migration of the production database",
        "Do not copy the production database to a laptop",
        "Make sure that two people look at the production database together",
        "Every time the production database is slow, note the queries",
        "From now on the production database is restored on Sundays",
    ):
        world.later(days=1).remember(rule)
    world.later(days=1).remember("the production database moved to Frankfurt")
    first = world.recall("production database")[:5]
    assert "the production database moved to Frankfurt" in first


def test_standing_memory_of_an_untrusted_store_is_not_raised(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("promptx_mem.store.trust.Origin.is_own", False)
    memories = world.memory.recall(Cues("sales figures", explain=True, touch=False)).data["memories"]
    assert len(memories) == 4
    assert not any("standing" in (memory["why"] or {}) for memory in memories)
