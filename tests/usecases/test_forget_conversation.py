"""forget --conversation: the conversation of a session or a day is hidden or destroyed, and stays so."""

import json
from pathlib import Path

import pytest

from tests.api import Cues, Message, Plan, unit_of
from tests.inside import turns
from tests.world import World, every_byte, shelve

pytestmark = pytest.mark.usefixtures("person")

DAYS = {"one": "2026-03-01", "two": "2026-03-02"}


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Two days of conversations about birds, the second one not rolled up yet, and a fact."""
    world = World(tmp_path / ".memory")
    world.remember("a fact beside them")
    say(world, "one", "we saw a heron")
    world.later(days=1).memory.decay(Plan())
    say(world, "two", "we saw a walnut")
    return world


def say(world: World, session: str, text: str) -> None:
    world.session = session
    world.memory.converse([Message("user", text), Message("assistant", f"so {text}")])


def shown(world: World) -> list[str]:
    found = world.memory.recall(Cues(category="episode", archived=True, count=50, touch=False)).data["memories"]
    texts = [memory["text"] for memory in found if memory["end"] != "forgotten"]
    return [word for word in ("heron", "walnut") if any(word in text for text in texts)]


def words(world: World) -> list[str]:
    return [word for word in ("heron", "walnut") if word.encode() in every_byte(world.root)]


@pytest.mark.parametrize("by_day", [True, False])
def test_a_forgotten_conversation_is_hidden_and_can_be_restored(world: World, by_day: bool) -> None:
    for session, day in DAYS.items():
        data = world.memory.forget_conversation(day if by_day else unit_of(session), "a wish").data
        assert (data["conversations"], data["messages"], len(data["ids"])) == ([unit_of(session)], 2, 1)
    assert "already ended" in str(world.memory.forget_conversation(DAYS["one"]).data["note"])
    assert (shown(world), words(world)) == ([], ["heron", "walnut"])
    world.memory.restore(data["ids"][0])
    assert shown(world) == ["walnut"]
    assert world.recall("a fact beside them") == ["a fact beside them"]


@pytest.mark.parametrize("by_day", [True, False])
def test_a_purged_conversation_is_in_no_file(world: World, by_day: bool) -> None:
    for session, day in DAYS.items():
        data = world.memory.forget_conversation(day if by_day else unit_of(session), purge=True).data
        assert (data["conversations"], data["messages"], data["end"]) == ([unit_of(session)], 2, "purged")
        assert f"conversations/{unit_of(session)}.jsonl" in data["files"]
        assert words(world) == (["walnut"] if session == "one" else [])
    world.later(days=1).memory.decay(Plan(compact=True))
    assert (shown(world), words(world)) == ([], [])
    assert world.memory.audit_verify().data["problems"] == []
    assert world.recall("a fact beside them") == ["a fact beside them"]


def test_a_purge_destroys_a_shelved_conversation(world: World) -> None:
    world.later(days=20).memory.decay(Plan(compact=True))
    shelve(world.root)
    world.memory.forget_conversation(unit_of("one"), purge=True)
    assert words(world) == ["walnut"]


def test_purged_messages_of_a_transcript_are_not_stored_again(world: World) -> None:
    path = world.root.parent / "transcript.jsonl"
    lines = [
        {"type": "user", "uuid": f"u{number}", "timestamp": f"{day}T18:00:00Z", "message": {"content": text}}
        for number, (day, text) in enumerate([("2026-03-02", "a pelican"), ("2026-03-02", "a crane")])
    ]

    def take(session: str) -> int:
        world.session = session
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return turns.import_transcript(world.memory.context, str(path))[0]

    assert take("three") == 2
    world.memory.forget_conversation(unit_of("three"), purge=True)
    assert [take("three"), take("three"), take("a resumed copy")] == [0, 0, 0]
    lines.append({"type": "user", "uuid": "new", "message": {"content": "what else?"}})
    assert [take("three"), take("three")] == [1, 0]
    assert b"pelican" not in every_byte(world.root)
