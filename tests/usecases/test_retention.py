"""Conversations are deleted after 400 days or above a size limit, except young and needed ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.api import Cues, Filters, Message, Plan, unit_of
from tests.faults import faulty_os
from tests.inside import retention, turns
from tests.slices import put_slice
from tests.world import World, every_byte, shelve


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setenv("PROMPTX_MEM_CONFIG", str(tmp_path / "config.yaml"))
    limit(tmp_path)
    world = World(tmp_path / ".memory")
    world.remember("a fact beside them")
    return world


def limit(folder: Path, **keep: float) -> None:
    (folder / "config.yaml").write_text(json.dumps({"conversations": True, "keep": keep}))


def talk(world: World, word: str, session: str = "test", size: int = 1) -> None:
    world.session = session
    world.memory.converse([Message("user", f"we saw a {word}{' .' * (size // 2)}"), Message("assistant", "indeed")])
    world.later(hours=5).memory.decay(Plan())


def words(world: World, *candidates: str) -> list[str]:
    data = every_byte(world.root)
    return [word for word in candidates if word.encode() in data]


def ids(world: World) -> list[str]:
    found = world.memory.recall(Cues(category="episode", archived=True, touch=False, count=50)).data["memories"]
    return sorted(one["id"] for one in found)


def test_conversations_older_than_400_days_are_deleted(world: World) -> None:
    talk(world, "heron")
    world.later(days=399)
    talk(world, "walnut")
    assert words(world, "heron", "walnut") == ["heron", "walnut"]
    done = world.later(days=2).memory.decay(Plan()).data["done"]
    assert any("deleted 1 part of conversations" in step for step in done)
    assert words(world, "heron", "walnut") == ["walnut"]
    assert len(ids(world)) == 1
    records = world.memory.audit(Filters()).data["records"]
    assert any("deleted 1 part of conversations" in str(record) for record in records)
    assert world.memory.audit_verify().data["problems"] == []
    assert world.memory.decay(Plan()).data["done"] == []
    for cache in world.file(".cache").iterdir():
        cache.unlink()
    assert len(ids(world)) == 1
    assert world.recall("a fact beside them") == ["a fact beside them"]


def test_the_oldest_but_no_young_conversations_above_the_limit_are_deleted(world: World) -> None:
    limit(world.root.parent, megabytes=1)
    for number in range(4):
        talk(world.later(days=9), f"bird {number};", f"s{number}", 400_000)
    assert words(world, "bird 0;", "bird 3;") == ["bird 0;", "bird 3;"]
    world.later(days=5).memory.decay(Plan())
    assert words(world, *(f"bird {number};" for number in range(4))) == ["bird 1;", "bird 2;", "bird 3;"]
    world.later(days=10).memory.decay(Plan())
    assert words(world, *(f"bird {number};" for number in range(4))) == ["bird 2;", "bird 3;"]
    world.later(days=100).memory.decay(Plan())
    assert words(world, *(f"bird {number};" for number in range(4))) == ["bird 2;", "bird 3;"]


def test_a_clock_that_was_wrong_once_deletes_no_later_conversation(world: World) -> None:
    right = world.time
    talk(world.later(days=5_000), "walnut", "other")
    world.later(days=500).memory.decay(Plan())
    world.time = right
    talk(world, "heron")
    for _ in range(2):
        world.later(days=1).memory.decay(Plan())
    assert retention.horizon(world.memory.context.layout, world.time.timestamp()) < right.timestamp()
    assert words(world, "heron", "walnut") == ["heron"]
    world.later(days=400).memory.decay(Plan())
    assert words(world, "heron") == []


def test_old_shelved_conversations_are_deleted(world: World) -> None:
    talk(world, "heron")
    shelve(world.later(days=15).root)
    assert words(world, "heron") == ["heron"]
    world.later(days=400).memory.decay(Plan())
    assert words(world, "heron") == []


def test_an_active_episode_stays_without_its_messages(world: World) -> None:
    talk(world, "heron")
    (ident,) = ids(world)
    world.later(days=395).memory.restore(ident)
    world.later(days=6).memory.decay(Plan())
    assert ids(world) == [ident]
    assert words(world, "indeed") == []
    world.session = "test"
    talk(world, "walnut")
    assert len(ids(world)) == 2
    assert sorted(one["slice"]["ref"][-2:] for one in _episodes(world)) == [":1", ":2"]
    world.later(days=30).memory.decay(Plan())
    assert words(world, "heron", "walnut") == ["walnut"]


def _episodes(world: World) -> list[Any]:
    cues = Cues(category="episode", archived=True, touch=False, count=50)
    return [one for one in world.memory.recall(cues).data["memories"] if one["slice"]]


def test_messages_without_an_episode_are_kept(world: World) -> None:
    world.memory.converse([Message("user", "we saw a heron")])
    world.later(days=900)
    retention.keep_within(world.memory.context, world.time, everywhere=True)
    assert words(world, "heron") == ["heron"]
    unit = unit_of("test")
    put_slice(world.memory.context.layout, unit, 1, world.time.isoformat(), "a heron")
    retention.keep_within(world.memory.context, world.time.replace(year=2030), everywhere=True)
    assert words(world, "heron") == ["heron"]


def test_a_transcript_does_not_restore_deleted_messages(world: World) -> None:
    path = world.root.parent / "transcript.jsonl"

    def take(session: str) -> int:
        world.session = session
        return turns.import_transcript(world.memory.context, str(path))[0]

    def line(uuid: str, text: str) -> str:
        at = world.time.isoformat()
        return json.dumps({"type": "user", "uuid": uuid, "timestamp": at, "message": {"content": text}}) + "\n"

    path.write_text(line("u1", "we saw a heron" + " ." * 600_000))
    assert take("one") == 1
    world.later(days=40).memory.decay(Plan())
    limit(world.root.parent, megabytes=1)
    world.later(days=1).memory.decay(Plan())
    assert words(world, "heron") == []
    with path.open("a") as file:
        file.write(line("u2", "and a walnut"))
    assert (take("one"), take("one"), take("two")) == (1, 0, 0)
    assert words(world, "heron", "walnut") == ["walnut"]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("point", range(1, 400, 19))
def test_the_next_decay_finishes_a_killed_deletion(world: World, point: int) -> None:
    talk(world, "heron")
    world.later(days=15).memory.decay(Plan(compact=True))
    talk(world, "walnut", "other")
    world.later(days=300)
    talk(world, "pelican")
    world.later(days=101)

    def work() -> None:
        with pytest.MonkeyPatch.context() as patch:
            faulty_os.FaultyOs(faulty_os.kill(point, "after")).install(patch)
            retention.keep_within(world.memory.context, world.time, everywhere=True)

    assert faulty_os.forked(work) == faulty_os.KILLED
    assert world.recall("a fact beside them") == ["a fact beside them"]
    assert [one["slice"]["ref"] for one in _episodes(world) if "pelican" in one["text"]] == [f"{unit_of('test')}:2"]
    world.later(days=1).memory.decay(Plan())
    world.later(days=1).memory.decay(Plan())
    assert words(world, "heron", "walnut", "pelican") == ["pelican"]
    assert len(ids(world)) == 1
    assert world.memory.audit_verify().data["problems"] == []


def test_converse_deletes_old_conversations_without_a_decay(world: World) -> None:
    talk(world, "heron")
    world.later(days=401).memory.converse([Message("user", "hello")])
    world.later(hours=5)
    world.session = "another"
    world.remember("no business of a remember")
    assert words(world, "heron") == ["heron"]
    world.memory.converse([Message("user", "hello again")])
    assert words(world, "heron") == []
