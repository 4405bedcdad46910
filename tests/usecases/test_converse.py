"""converse: messages are stored in order, each once."""

from pathlib import Path

import pytest

from tests.api import Message, unit_of
from tests.inside import conversations, read_messages, store
from tests.world import World


def turns(*texts: str) -> list[Message]:
    return [Message("user" if number % 2 == 0 else "assistant", text) for number, text in enumerate(texts)]


def stored(world: World) -> list[str]:
    unit = conversations.read(world.memory.context.layout, unit_of(world.session))
    return [message.text for _, message in sorted(unit.messages.items())]


def test_a_snapshot_adds_only_new_messages(world: World) -> None:
    messages = turns(*(f"turn {number}" for number in range(12)))
    assert world.memory.converse(messages[:5], snapshot=True).data["added"] == 5
    again = world.memory.converse(messages[:9], snapshot=True).data
    assert (again["added"], again["known"]) == (4, 5)
    assert world.memory.converse(messages[4:9], snapshot=True).data["added"] == 0
    assert world.memory.converse(messages[7:], snapshot=True).data["added"] == 3
    assert stored(world) == [message.text for message in messages]


def test_a_full_store_still_stores_conversations(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Conversations have their own limit, at which the oldest are removed."""
    world.memory.converse([Message("user", "before")])
    monkeypatch.setattr(store, "MAX_BYTES", 100)
    assert world.memory.converse([Message("user", "x" * 5_000)]).data["added"] == 1


@pytest.mark.parametrize("before", [[], [Message("system", "You are helpful.")], [Message("tool", "{}")] * 2])
def test_each_message_of_a_moving_window_is_stored_once(world: World, before: list[Message]) -> None:
    messages = [Message(("user", "assistant")[number % 2], f"turn {number}") for number in range(80)]
    for last in range(2, 81, 2):
        world.memory.converse([*before, *messages[max(last - 20, 0) : last]], snapshot=True)
    unit = conversations.read(world.memory.context.layout, unit_of(world.session))
    assert [message.text for _, message in sorted(unit.messages.items())] == [message.text for message in messages]


def test_json_lines_and_lists_are_read_as_messages() -> None:
    text = """
      {"role": "user", "content": " hello\\r\\nthere ", "at": "2026-01-03T10:00:00Z", "more": 1}

    {"role": "assistant", "content": [{"type": "text", "text": "one"}, {"type": "tool_use"}, {"type": "text", "text": "two"}]}
    {"role": "tool", "content": null}
    {"role": "user", "text": "bye"}
    """
    first, second, third = read_messages(text)
    assert (first.role, first.text) == ("user", "hello\nthere")
    assert first.at is not None
    assert (second.role, second.text, second.at) == ("assistant", "one\ntwo", None)
    assert third.text == "bye"
    assert read_messages('[{"role": "user", "content": "a"}, {"role": "user", "content": ""}]') == [
        Message("user", "a")
    ]


def shown(world: World) -> list[str]:
    return [message["text"] for message in world.memory.working_memory().data["messages"] or []]


def test_each_session_has_its_own_conversation(world: World) -> None:
    world.memory.converse([Message("user", "mine")])
    world.session = "other/../session\n"
    world.memory.converse([Message("user", "theirs")])
    assert shown(world) == ["theirs"]
    assert len(list(world.file("conversations").iterdir())) == 2


def test_conversations_of_a_shared_store_stay_private(world: World) -> None:
    world.memory.init(shared=True)
    world.memory.converse([Message("user", "private")])
    assert "conversations" not in world.read(".gitignore")
    assert world.read(".gitignore").startswith("*\n")
    path = conversations.path(world.memory.context.layout, unit_of(world.session))
    assert Path(str(path)).stat().st_mode & 0o077 == 0
