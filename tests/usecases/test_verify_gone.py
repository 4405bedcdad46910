"""What vanished from the two files is named, and comes back; what was taken away on purpose is no problem."""

import shutil
from pathlib import Path

import pytest

from tests.inside import Finding
from tests.world import World

pytestmark = pytest.mark.usefixtures("person")


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path / ".memory")
    world.remember("the first")
    return world


def problems(world: World) -> dict[str, Finding]:
    """By where they are; that MEMORY.md is behind an editor's save is told elsewhere."""
    told = world.memory.audit_verify().data["problems"] or []
    return {problem["where"]: problem for problem in told if problem["check"] != "index"}


def without_cache(world: World) -> None:
    """The cache knows more than `.recent`; here it shall know nothing."""
    shutil.rmtree(world.file(".cache"), ignore_errors=True)


@pytest.mark.parametrize("cached", [True, False], ids=["cached", "without a cache"])
def test_an_end_that_vanished_comes_back_and_is_not_undone(world: World, cached: bool) -> None:
    ident = world.remember("to be forgotten")["id"]
    world.memory.boost(ident)
    buffer = world.read("journal.jsonl")
    world.later(hours=1).memory.forget(ident)
    whole = world.read("journal.jsonl")
    world.file("journal.jsonl").write_text(buffer, "utf-8")
    if not cached:
        without_cache(world)
    assert sorted(world.recall()) == ["the first", "to be forgotten"]
    if cached:  # the cache has saved it: `.recent` is not needed any more
        world.file(".recent").unlink()
    (problem,) = problems(world).values()
    assert problem["where"] == ident
    assert "forgotten" in problem["what"]
    result = world.memory.restore(ident)
    assert not result.data["lives"]
    assert "restore it once more" in (result.data["note"] or "")
    assert world.read("journal.jsonl") == whole
    assert world.recall() == ["the first"]
    assert problems(world) == {}
    world.memory.restore(ident)
    assert sorted(world.recall()) == ["the first", "to be forgotten"]


@pytest.mark.parametrize("cached", [True, False], ids=["cached", "without a cache"])
def test_the_line_of_what_had_ended_comes_back_and_revives_nothing(world: World, cached: bool) -> None:
    buffer = world.read("declarative.md")
    ident = world.later(hours=1).remember("forgotten, and then lost")["id"]
    world.memory.forget(ident)
    whole = world.read("declarative.md")
    if cached:
        world.recall()
    world.file("declarative.md").write_text(buffer, "utf-8")
    if not cached:
        without_cache(world)
    assert problems(world)[ident]["command"].startswith(f"promptx-mem restore {ident}")
    result = world.memory.restore(ident)
    assert not result.data["lives"]
    assert "restore it once more" in (result.data["note"] or "")
    assert world.read("declarative.md") == whole
    assert problems(world) == {}
    assert world.recall() == ["the first"]
    world.memory.restore(ident)
    assert sorted(world.recall()) == ["forgotten, and then lost", "the first"]


def test_a_purge_that_vanished_is_destroyed_again(world: World) -> None:
    ident = world.remember("a secret")["id"]
    line = world.read("declarative.md")
    world.later(hours=1).memory.forget(ident, purge=True)
    world.file("declarative.md").write_text(line, "utf-8")
    world.file("journal.jsonl").write_text("", "utf-8")
    without_cache(world)
    (problem,) = problems(world).values()
    assert problem["command"] == f"promptx-mem forget {ident} --purge"
    world.memory.forget(ident, purge=True)
    assert problems(world) == {}
    assert "a secret" not in world.read("declarative.md")
