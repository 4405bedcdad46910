"""A store with data of a newer version is read, appended to, never rewritten, and reported."""

from pathlib import Path

import pytest

from tests.api import Cues, Plan, StoreError, make_id
from tests.inside import store
from tests.world import World

pytestmark = pytest.mark.usefixtures("person")

EVENT = '{"k":1772366400000009,"host":"h","at":"2026-03-01T12:00:00Z","e":%s,"id":"%s"}'
LINE = '- from tomorrow #t score:9 duration:长期 <!-- {"id":"%s","at":"2026-03-01T12:00:00+00:00"%s} -->'
NEWER = {
    "a line": ("declarative.md", LINE % (make_id("from tomorrow"), ',"v":2,"mood":[1]')),
    "an event": ("journal.jsonl", EVENT % ('"boosted","v":2', make_id("a fact"))),
    "a kind of event": ("journal.jsonl", EVENT % ('"dreamt","of":{"x":1}', make_id("a fact"))),
    "another format of event": ("journal.jsonl", '{"v":2,"what":"dreamt"}'),
}


@pytest.fixture(params=NEWER)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> World:
    world = World(tmp_path / ".memory")
    world.remember("a fact")
    world.memory.forget(world.remember("what has ended")["id"])
    name, line = NEWER[request.param]
    with world.file(name).open("a") as file:
        file.write(line + "\n")
    return world


def test_a_newer_store_is_read_and_reported(world: World) -> None:
    result = world.memory.recall(Cues(touch=False))
    assert "a fact" in {one["text"] for one in result.data["memories"]}
    assert "1 line of the store cannot be read" in " ".join(result.warnings)
    (problem,) = (one for one in world.memory.audit_verify().data["problems"] or [] if one["check"] == "lines")
    assert problem["what"].startswith("it was written by a newer version")
    assert (problem["mend"], problem["command"]) == ("upgrade promptx-mem", "")


def test_a_newer_store_is_appended_to_but_not_rewritten(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {name: world.read_bytes(name) for name in ("declarative.md", "journal.jsonl")}
    assert world.remember("another fact")["verdict"] == "stored"
    with pytest.raises(StoreError, match="newer version") as compacting:
        world.memory.decay(Plan(compact=True))
    with pytest.raises(StoreError, match="newer version") as purging:
        world.memory.forget(make_id("a fact"), purge=True)
    assert compacting.value.code == purging.value.code == "newer"
    monkeypatch.setattr(store, "COMPACT_BYTES", 1)
    assert "nothing archived: a newer version" in " ".join(world.memory.decay(Plan()).data["done"])
    for name, data in before.items():
        assert world.read_bytes(name).startswith(data)
    assert set(world.recall()) >= {"a fact", "another fact"}


def test_an_unknown_key_is_not_reported_as_a_newer_version(tmp_path: Path) -> None:
    world = World(tmp_path / ".memory")
    world.remember("a fact")
    line = LINE % (make_id("from tomorrow"), ',"mood":"good"')
    with world.file("declarative.md").open("a") as file:
        file.write(line + "\n")
    world.memory.index()
    assert world.memory.audit_verify().data["problems"] == []
    world.memory.decay(Plan(compact=True))
    assert line in world.read("declarative.md")
