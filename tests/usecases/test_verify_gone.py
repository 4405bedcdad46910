"""Lines and events lost from the two files are reported and can be restored."""

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
    """Return problems by place, without those of MEMORY.md."""
    found = world.memory.audit_verify().data["problems"] or []
    return {problem["where"]: problem for problem in found if problem["check"] != "index"}


def without_cache(world: World) -> None:
    """Delete the cache, which contains more than `.recent`."""
    shutil.rmtree(world.file(".cache"), ignore_errors=True)


@pytest.mark.parametrize("cached", [True, False], ids=["cached", "without a cache"])
@pytest.mark.parametrize("name", ["journal.jsonl", "declarative.md"])
def test_a_lost_ended_memory_is_restored_as_ended(world: World, name: str, cached: bool) -> None:
    """This applies to lost lines and to lost events."""
    text = "to be forgotten"
    buffer = world.read("declarative.md")
    ident = world.later(hours=1).remember(text)["id"]
    if name == "journal.jsonl":
        world.memory.boost(ident)
        buffer = world.read(name)
    world.later(hours=1).memory.forget(ident)
    whole = world.read(name)
    if cached:
        world.recall()
    world.file(name).write_text(buffer, "utf-8")
    if not cached:
        without_cache(world)
    assert sorted(world.recall()) == ["the first", *([text] if name == "journal.jsonl" else [])]
    if cached and name == "journal.jsonl":  # the cache has saved it: `.recent` is not needed any more
        world.file(".recent").unlink()
    (problem,) = problems(world).values()
    assert problem["where"] == ident
    assert "forgotten" in problem["what"] or name != "journal.jsonl"
    result = world.memory.restore(ident)
    assert not result.data["lives"]
    assert "run restore again" in (result.data["note"] or "")
    assert world.read(name) == whole
    assert world.recall() == ["the first"]
    assert problems(world) == {}
    world.memory.restore(ident)
    assert sorted(world.recall()) == ["the first", text]


def test_a_memory_whose_purge_was_lost_can_be_purged_again(world: World) -> None:
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
