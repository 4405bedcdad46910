"""Roll-up: above 30 messages the oldest become a slice and an episode; none is lost or stored twice."""

import json
from typing import Any

import pytest

from tests.api import COMMAND, Cues, Memory, Message, Plan, unit_of
from tests.inside import conversations, parse_reference
from tests.scripted import Script
from tests.world import World, every_byte

pytestmark = pytest.mark.usefixtures("person")

PROFILE = {
    "summary": "聊了面试和游戏",
    "topic": "work->面试",
    "related": ["fun->游戏"],
    "activation": 0.7,
    "diffusion": 0.6,
    "context_independence": 0.4,
}


def turns(first: int, last: int) -> list[Message]:
    return [
        Message("user" if number % 2 == 1 else "assistant", f"interview question {number}")
        for number in range(first, last + 1)
    ]


def episodes(world: World) -> list[Any]:
    found = world.memory.recall(Cues(category="episode", count=100, touch=False, messages=True)).data["memories"]
    return sorted(found, key=lambda memory: parse_reference(memory["slice"]["ref"]).number)  # type: ignore[union-attr]


def everything(world: World) -> list[str]:
    """Return the texts of all slices and of messages without a slice, in order."""
    unit = conversations.read(world.memory.context.layout, unit_of(world.session))
    texts = [message.text for part in unit.slices.values() for message in unit.of(part)]
    return texts + [message.text for _, message in sorted(unit.waiting().items())]


def lines_of(world: World) -> str:
    """Return the lines of the episodes, which are in no other file."""
    assert "#对话" not in world.read("declarative.md")
    lines = world.read("conversations/episodes.jsonl").splitlines()
    return "".join(f"{json.loads(line)['line']}\n" for line in lines)


def check(world: World, last: int) -> None:
    """Check that messages up to `last` are stored once, and every slice has one episode with its messages."""
    assert everything(world) == [message.text for message in turns(1, last)]
    unit = conversations.read(world.memory.context.layout, unit_of(world.session))
    found = episodes(world)
    assert [memory["slice"]["ref"] for memory in found] == [f"{unit.id}:{number}" for number in unit.slices]
    assert not any(memory["slice"]["missing"] for memory in found)
    assert unit.unfinished() == []


def test_the_31st_message_rolls_up_all_but_10(world: World) -> None:
    world.memory.converse(turns(1, 30))
    data = world.memory.converse(turns(31, 31)).data
    assert data["waiting"] == 10
    (memory,) = episodes(world)
    assert memory["text"].startswith("[2026-03-01 12:00] interview question 1 / interview question 3 / ")
    assert (memory["score"], memory["tags"], memory["source"]) == (7.5, ["对话"], "system")
    assert (memory["topic"], memory["session"]) == (None, "test")
    assert memory["slice"]["left_out"] == [6, 7]
    check(world, 31)


def test_the_judge_supplies_summary_topic_and_profile(world: World, script: Script) -> None:
    world.remember("the office is in Berlin", score="8", topic="work->office")
    script.acts("here it is: " + json.dumps(PROFILE))
    world.memory.converse(turns(1, 31))
    (memory,) = episodes(world)
    assert memory["text"] == "[2026-03-01 12:00] 聊了面试和游戏"
    assert memory["topic"] == "work->面试"
    assert '"profile":[0.7,0.6,0.4]' in world.read("conversations/episodes.jsonl").replace('\\"', '"')
    assert '"related":["fun->游戏"]'.replace(">", "\\u003e") in lines_of(world)
    assert world.recall(topics=("work->面试",)) == [memory["text"]]
    (prompt,) = script.prompts()
    assert '"work-\\u003eoffice"' in prompt
    assert 'assistant (2026-03-01T12:00:00+00:00): "interview question 2"' in prompt
    assert "question 22" not in prompt


@pytest.mark.parametrize(
    "act", [{"exit": 1}, {"say": "no JSON"}, {"say": ""}, {"echo": True}, {"flood": 100}, {"say": '{"summary": 5}'}]
)
def test_a_failing_judge_does_not_prevent_the_roll_up(world: World, script: Script, act: dict[str, Any]) -> None:
    script.acts(act)
    world.memory.converse(turns(1, 31))
    check(world, 31)
    assert "interview question 1 / " in episodes(world)[0]["text"]
    assert '"cmd":"judge","verdict":"failed"' in world.read("audit.jsonl")


SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def test_a_message_with_a_credential_is_withheld(world: World) -> None:
    world.memory.converse([Message("user", f"my token is {SECRET}"), *turns(1, 30)])
    assert SECRET.encode() not in every_byte(world.root)
    assert "[withheld: a credential (GitHub Token" in episodes(world)[0]["text"]


def test_a_credential_in_the_answer_of_a_judge_is_not_stored(world: World, script: Script) -> None:
    answer = {"summary": f"the token is {SECRET}", "topic": f"tokens->{SECRET}", "related": [f"a->{SECRET}", "a->b"]}
    script.acts({"say": json.dumps(answer)})
    world.memory.converse(turns(1, 31))
    (memory,) = episodes(world)
    assert SECRET.encode() not in every_byte(world.root)
    assert "a credential among their first words is left out" in memory["text"]


def test_decay_rolls_up_idle_conversations(world: World) -> None:
    world.memory.converse(turns(1, 3))
    world.later(hours=3.9).memory.decay(Plan())
    assert episodes(world) == []
    assert "1 piece of idle conversations summarised" in world.later(hours=0.2).memory.decay(Plan()).data["done"]
    (memory,) = episodes(world)
    assert memory["at"] == "2026-03-01T12:00:00+00:00"
    assert world.memory.working_memory().data["messages"] == []
    check(world, 3)
    world.memory.converse(turns(4, 4))
    check(world, 4)


def test_a_purged_episode_is_not_created_again(world: World) -> None:
    world.memory.converse(turns(1, 31))
    world.memory.forget(episodes(world)[0]["id"], purge=True)
    world.memory.converse(turns(32, 32))
    world.later(hours=5).memory.decay(Plan())
    assert len(episodes(world)) == 1


def test_two_processes_roll_up_each_message_once(world: World, script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the judge of one process thinks, the other finishes."""
    monkeypatch.setenv("PROMPTX_MEM_SESSION", "test")
    world.memory.converse(turns(1, 30))
    import sys

    other = f"from promptx_mem.memory import Memory; from promptx_mem.core.slices import Message; import datetime; \
now = datetime.datetime(2026, 3, 1, 12, tzinfo=datetime.UTC); from promptx_mem.store import layout; \
m = Memory(layout.at({str(world.root)!r}), 'test', clock=lambda: now); m.converse([Message('assistant', 'interview question 32')])"
    script.acts({"say": json.dumps(PROFILE), "run": [sys.executable, "-c", other]})
    world.memory.converse(turns(31, 31))
    monkeypatch.setenv(COMMAND, "")
    assert isinstance(world.memory, Memory)
    check(world, 32)
    assert len(episodes(world)) == 1


def test_messages_stay_stored_if_the_roll_up_fails(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The exit status is 0, since a second call would store them twice."""

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(conversations, "add_slices", full)
        result = world.memory.converse(turns(1, 31))
    assert (result.exit_status, result.data["added"], result.data["waiting"]) == (0, 31, 31)
    assert "not all could be summarised yet" in result.warnings[0]
    world.memory.converse(turns(32, 32))
    check(world, 32)
