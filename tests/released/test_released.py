"""Stores of released versions are read, changed and merged; lines of later versions are kept."""

import datetime
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.api import Cues, Message, Plan, PromptxMemError, make_id
from tests.world import World, every_byte

RELEASED = Path(__file__).parent
VERSIONS = sorted(path.name for path in RELEASED.iterdir() if (path / "store").is_dir())
NEXT_DAY = datetime.datetime(2026, 11, 22, 20, 0, tzinfo=datetime.UTC)
KEPT = ("declarative.md", "journal.jsonl")


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> Path:
    return RELEASED / str(request.param)


def opened(version: Path, folder: Path) -> World:
    shutil.copytree(version / "store", folder / ".memory")
    world = World(folder / ".memory")
    world.time = NEXT_DAY
    return world


def expected(path: Path) -> dict[str, dict[str, Any]]:
    return {one["id"]: one for one in json.loads(path.read_text("utf-8"))}


def states(world: World) -> dict[str, dict[str, Any]]:
    answer = world.memory.recall(Cues(count=1_000, archived=True, touch=False)).data["memories"]
    return {one["id"]: dict(one) for one in answer}


def matches(ours: dict[str, dict[str, Any]], theirs: dict[str, dict[str, Any]]) -> bool:
    """Return whether both have the same memories, with all values of the released version."""
    return ours.keys() == theirs.keys() and all(ours[ident].items() >= one.items() for ident, one in theirs.items())


def test_a_released_store_is_read_with_the_same_values(version: Path, tmp_path: Path) -> None:
    world = opened(version, tmp_path)
    before = {name: world.read_bytes(name) for name in KEPT}
    assert matches(states(world), expected(version / "store.json"))
    assert not [one for one in world.memory.audit_verify().data["problems"] or [] if one["check"] != "index"]
    assert {name: world.read_bytes(name) for name in KEPT} == before


WRITES: dict[str, Callable[[World], object]] = {
    "remember": lambda world: world.remember("written by a later version", "later"),
    "update": lambda world: world.remember("he is called Wang Ming", "id", update=make_id("he is called Wang Lei")),
    "boost": lambda world: world.memory.boost(make_id("after the hand")),
    "verify": lambda world: world.memory.verify(make_id("after the hand")),
    "forget": lambda world: world.memory.forget(make_id("after the hand")),
    "restore": lambda world: world.memory.restore(make_id("to be forgotten for good")),
    "monitor": lambda world: world.memory.monitor(["[ADD] the user swims #life score:8"]),
    "converse": lambda world: world.memory.converse([Message("user", "and now?")], snapshot=False),
    "recall": lambda world: world.memory.recall(Cues(text="database")),
    "decay": lambda world: world.memory.decay(Plan()),
    "compact": lambda world: world.memory.decay(Plan(compact=True)),
    "index": lambda world: world.memory.index(),
    "purge": lambda world: world.memory.forget(make_id("after the hand"), purge=True),
}
CHANGED = {make_id(text) for text in ("he is called Wang Lei", "after the hand", "to be forgotten for good")}


@pytest.mark.parametrize("write", WRITES)
def test_writing_to_a_released_store_keeps_its_other_memories(version: Path, tmp_path: Path, write: str) -> None:
    world = opened(version, tmp_path)
    WRITES[write](world)
    world.later(hours=1)
    after, before = states(world), expected(version / "store.json")
    for ident in before.keys() - CHANGED:
        assert after[ident]["text"] == before[ident]["text"]
        assert (after[ident]["score"], after[ident]["tags"]) == (before[ident]["score"], before[ident]["tags"])
    if write != "purge":
        assert before.keys() <= after.keys()
    assert not [one for one in world.memory.audit_verify().data["problems"] or [] if one["check"] != "index"]


def merged(*copies: Path) -> str:
    """Return the lines of all copies, each once, as git's union merge does."""
    return "".join(dict.fromkeys(line for copy in copies for line in copy.read_text("utf-8").splitlines(keepends=True)))


def test_a_copy_changed_by_the_released_version_is_merged(version: Path, tmp_path: Path) -> None:
    world = opened(version, tmp_path)
    mine = world.remember("written by a later version", "later")["id"]
    world.memory.boost(mine)
    for name in KEPT:
        world.file(name).write_text(merged(world.file(name), version / "beside" / name), "utf-8")
    after, theirs = states(world), expected(version / "beside.json")
    assert after.pop(mine)["text"] == "written by a later version"
    ended = {ident for ident, one in theirs.items() if not one["lives"]}
    assert after.keys() == theirs.keys()
    assert {ident for ident, one in after.items() if not one["lives"]} == ended


LATER = (
    '- from tomorrow #t score:9 duration:长期 <!-- {{"id":"{id}","at":"2026-11-22T13:00:00+00:00","v":2,"mood":[1]}} -->\n',
    '{{"k":1795353431999999,"host":"h","at":"2026-11-22T13:17:12Z","e":"dreamt","v":2,"id":"{id}","of":{{"x":1}}}}\n',
)


@pytest.mark.parametrize("write", WRITES)
def test_lines_of_a_later_version_are_kept(version: Path, tmp_path: Path, write: str) -> None:
    world = opened(version, tmp_path)
    lines = [line.format(id=make_id("from tomorrow")) for line in LATER]
    for name, line in zip(KEPT, lines, strict=True):
        with world.file(name).open("a", encoding="utf-8") as file:
            file.write(line)
    before = every_byte(world.root)
    try:
        WRITES[write](world)
    except PromptxMemError as error:
        assert error.code == "newer"  # noqa: PT017 - some commands may be refused
    for line in lines:
        assert line.encode() in before
        assert line.encode() in every_byte(world.root)
    assert "from tomorrow" in world.recall()
