"""Messages that earlier versions moved to archive/conversations/ are still found, purged and private."""

import subprocess
from pathlib import Path

import pytest

from tests.api import Cues, Message, Plan, unit_of
from tests.inside import Reference, conversations
from tests.world import World, every_byte, shelve

pytestmark = pytest.mark.usefixtures("person")


def converse(world: World, *texts: str) -> None:
    world.memory.converse([Message("user", text) for text in texts])
    world.later(hours=5).memory.decay(Plan())


def slices(world: World) -> list[list[str]]:
    found = world.memory.recall(Cues(category="episode", archived=True, touch=False, count=50)).data["memories"]
    parts = [memory["slice"] for memory in found if memory["slice"] is not None]
    parts.sort(key=lambda part: part["ref"])
    return [[message["text"] for message in part["messages"]] for part in parts]


def live_files(world: World) -> list[Path]:
    return list(world.file("conversations").glob("u_*.jsonl"))


def shelved_files(world: World) -> list[Path]:
    return list(world.file("archive").glob("conversations/*"))


def test_shelved_messages_are_found_and_their_session_continues(world: World) -> None:
    converse(world, "first")
    shelve(world.later(days=15).root)
    assert slices(world) == [["first"]]
    converse(world, "second")
    assert slices(world) == [["first"], ["second"]]


def test_messages_in_both_places_after_a_crash_count_once(world: World) -> None:
    converse(world, "first", "second")
    (path,) = live_files(world)
    data = path.read_bytes()
    shelve(world.root)
    path.write_bytes(data)
    assert slices(world) == [["first", "second"]]


def test_decay_no_longer_shelves_messages(world: World) -> None:
    converse(world, "about coffee")
    world.later(days=15).memory.decay(Plan(compact=True))
    assert (len(live_files(world)), len(shelved_files(world))) == (1, 0)
    assert slices(world) == [["about coffee"]]


def test_git_does_not_track_conversations(world: World, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    world.memory.init(shared=True)
    converse(world, "private words")
    world.memory.forget(world.remember("an ended fact")["id"])
    world.later(days=15).memory.decay(Plan(compact=True))
    shelve(world.root)
    subprocess.run(["git", "add", "-A"], cwd=tmp_path, check=True)
    tracked = subprocess.run(["git", "ls-files"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert "archive/" in tracked
    assert "conversations" not in tracked


def test_purge_of_an_episode_removes_its_shelved_messages(world: World) -> None:
    converse(world, "the code word is Rosebud", "yes, Rosebud it is")
    ident = world.memory.recall(Cues(category="episode", touch=False)).data["memories"][0]["id"]
    shelve(world.later(days=15).root)
    world.memory.forget(ident, purge=True)
    assert b"Rosebud" not in every_byte(world.root)


def test_damaged_file_loses_only_the_damaged_messages(world: World) -> None:
    converse(world, *(f"message {number}" for number in range(10)))
    shelve(world.root)
    (path,) = shelved_files(world)
    path.write_bytes(path.read_bytes()[:-30])
    reference = Reference(unit_of(world.session), 1)
    assert conversations.read(world.memory.context.layout, reference.unit).messages[1].text == "message 0"
    path.write_bytes(b"not gzip at all")
    assert conversations.read_slice(world.memory.context.layout, reference) is None
