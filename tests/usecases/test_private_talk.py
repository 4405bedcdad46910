"""Conversations reach neither git nor a default export, after any command."""

import subprocess
from pathlib import Path

import pytest

from tests.api import Cues, Message, Plan, Wants, unit_of
from tests.world import World, every_byte

pytestmark = pytest.mark.usefixtures("person")

WORDS = ("heron", "walnut", "pelican", "鸬鹚")


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A shared store in a repository, with episodes that every command has changed."""
    world = World(tmp_path / ".memory")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    world.memory.init(shared=True)
    world.remember("a fact beside them")
    for number, word in enumerate(WORDS):
        world.session = f"talk {number}"
        world.memory.converse([Message("user", f"we saw a {word}"), Message("assistant", f"A {word} indeed.")])
        world.later(hours=5)
    world.memory.converse([Message("user", "and so on")])
    ids = [one["id"] for one in world.memory.recall(Cues(category="episode", count=20)).data["memories"]]
    assert len(ids) == len(WORDS)
    world.memory.boost(ids[0])
    world.memory.verify(ids[0])
    world.memory.forget(ids[1])
    world.memory.restore(ids[1])
    world.memory.forget(ids[2], purge=True)
    world.later(days=15).memory.restore(ids[3])
    world.memory.decay(Plan(compact=True))
    world.later(days=15).memory.decay(Plan(compact=True))
    world.session = "talk 0"
    world.memory.converse([Message("user", "the heron was back")])
    world.memory.forget_conversation(unit_of("talk 0"))
    world.memory.converse([Message("user", "a walnut too")])
    world.memory.forget_conversation(unit_of("talk 0"), purge=True)
    world.memory.index()
    world.memory.audit_verify()
    return world


def _words_in(data: bytes) -> list[str]:
    return [word for word in WORDS if word.encode() in data]


def _tracked(root: Path) -> bytes:
    subprocess.run(["git", "add", "-A"], cwd=root, check=True)
    names = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True).stdout.split(b"\0")
    paths = [root / name.decode() for name in names if name]
    assert any(path.name == "declarative.md" for path in paths)
    return b"".join(path.read_bytes() for path in paths)


def test_git_tracks_no_conversation(world: World) -> None:
    assert _words_in(_tracked(world.root.parent)) == []
    assert len(_words_in(every_byte(world.root))) >= 2


def test_git_tracks_no_expired_conversation(world: World) -> None:
    world.later(days=401).memory.decay(Plan(compact=True))
    assert _words_in(every_byte(world.root)) == []
    assert _words_in(_tracked(world.root.parent)) == []


@pytest.mark.parametrize("form", ["bundle", "json", "markdown", "promptx"])
def test_conversations_are_not_exported_by_default(world: World, form: str) -> None:
    data = world.memory.export(Wants(form)).data
    assert _words_in(repr(data).encode()) == []
    if form == "bundle":
        assert _words_in(repr(world.memory.export(Wants(form, conversations=True)).data).encode())
