"""Raw messages whose memories have ended go to archive/conversations/: still found, still private, not counted."""

import gzip
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.api import Cues, Message, Plan, unit_of
from tests.inside import Reference, conversations, shelved
from tests.world import World

pytestmark = pytest.mark.usefixtures("person")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / ".memory")


def talk(world: World, *texts: str) -> None:
    world.memory.converse([Message("user", text) for text in texts])
    world.later(hours=5).memory.decay(Plan())


def compact(world: World) -> None:
    world.memory.decay(Plan(compact=True))


def slices(world: World) -> list[list[str]]:
    found = world.memory.recall(Cues(category="episode", archived=True, touch=False, count=50)).data["memories"]
    parts = [memory["slice"] for memory in found if memory["slice"] is not None]
    parts.sort(key=lambda part: part["ref"])
    return [[message["text"] for message in part["messages"]] for part in parts]


def live(world: World) -> list[Path]:
    return list(world.file("conversations").glob("u_*.jsonl"))


def shelf(world: World) -> list[Path]:
    return list(world.file("archive").glob("conversations/*"))


def test_they_go_when_their_memories_have_ended(world: World) -> None:
    talk(world, "about coffee", "and tea")
    compact(world)
    assert (len(live(world)), len(shelf(world))) == (1, 0)
    compact(world.later(days=15))
    assert (len(live(world)), len(shelf(world))) == (0, 1)
    assert slices(world) == [["about coffee", "and tea"]]


def test_what_waits_stays(world: World) -> None:
    talk(world, "about coffee")
    world.later(days=15).memory.converse([Message("user", "once more")])
    compact(world)
    assert len(live(world)) == 1


def test_a_session_goes_on_after_it_was_shelved(world: World) -> None:
    talk(world, "first")
    compact(world.later(days=15))
    talk(world, "second")
    assert slices(world) == [["first"], ["second"]]
    compact(world.later(days=15))
    assert (len(live(world)), len(shelf(world))) == (0, 1)
    assert slices(world) == [["first"], ["second"]]


def test_a_crash_between_leaves_them_in_both_places_and_they_count_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk(world, "first", "second")
    world.later(days=15)

    def crash(*_: Any, **_more: Any) -> None:
        raise OSError(5, "crash")

    unit = unit_of(world.session)
    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", crash)
        with pytest.raises(OSError, match="crash"):
            shelved.shelve(world.memory.context.layout, unit, conversations.path(world.memory.context.layout, unit))
    assert (len(live(world)), len(shelf(world))) == (1, 1)
    assert slices(world) == [["first", "second"]]
    compact(world)
    assert gzip.decompress(shelf(world)[0].read_bytes()).count(b'"text":"first"') == 1


def test_git_never_sees_them(world: World, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    world.memory.init(shared=True)
    talk(world, "private words")
    world.memory.forget(world.remember("an ended fact")["id"])
    compact(world.later(days=15))
    assert len(shelf(world)) == 1
    subprocess.run(["git", "add", "-A"], cwd=tmp_path, check=True)
    tracked = subprocess.run(["git", "ls-files"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert "archive/" in tracked
    assert "conversations" not in tracked


@pytest.mark.parametrize("shelve_first", [False, True])
def test_a_purge_takes_what_was_said_with_it(world: World, shelve_first: bool) -> None:
    talk(world, "the code word is Rosebud", "yes, Rosebud it is")
    ident = world.memory.recall(Cues(category="episode", touch=False)).data["memories"][0]["id"]
    if shelve_first:
        compact(world.later(days=15))
    world.memory.forget(ident, purge=True)
    for folder, _, names in os.walk(world.root):
        for name in names:
            data = (Path(folder) / name).read_bytes()
            assert b"Rosebud" not in (gzip.decompress(data) if name.endswith(".gz") else data), name


def test_a_damaged_file_costs_what_is_damaged(world: World) -> None:
    talk(world, *(f"message {number}" for number in range(10)))
    compact(world.later(days=15))
    (path,) = shelf(world)
    path.write_bytes(path.read_bytes()[:-30])
    reference = Reference(unit_of(world.session), 1)
    assert conversations.read(world.memory.context.layout, reference.unit).messages[1].text == "message 0"
    world.memory.converse([Message("user", "another")])
    world.later(hours=5).memory.decay(Plan())
    compact(world.later(days=15))
    assert len(live(world)) == 1, "nothing is shelved over a file that is damaged"
    live(world)[0].unlink()
    path.write_bytes(b"not gzip at all")
    assert conversations.read_slice(world.memory.context.layout, reference) is None
