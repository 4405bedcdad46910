"""Conversations are found by every word that was said in them, by when that was, and while they go on."""

from pathlib import Path

import pytest

from tests.api import Cues, Message, Plan
from tests.world import World, every_byte, shelve

pytestmark = pytest.mark.usefixtures("person")

FIRST = (
    ("user", "下周一我要去苏州出差"),
    ("assistant", "It rains there; take an umbrella, and try the squirrelfish 松鼠桂鱼"),
    ("user", "好的，谢谢"),
)
SECOND = (("user", "the deploy script hangs"), ("assistant", "Look into the flux capacitor of the runner"))


def talk(world: World, session: str, turns: tuple[tuple[str, str], ...]) -> None:
    world.session = session
    for role, text in turns:
        world.memory.converse([Message(role, text)], snapshot=False)
        world.later(hours=0.02)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A conversation of yesterday, which has an episode, a fact, and one that goes on."""
    world = World(tmp_path / ".memory")
    talk(world, "one", FIRST)
    world.later(hours=24)
    world.remember("the deploy runs on Friday", "deploy", score="9")
    talk(world, "two", SECOND)
    world.memory.decay(Plan())
    return world


def refs(world: World, text: str, **cues: object) -> list[str]:
    memories = world.memory.recall(Cues(text=text, touch=False, **cues)).data["memories"]  # type: ignore[arg-type]
    return [(one["slice"] or {"ref": one["text"]})["ref"].rpartition(":")[2] for one in memories]


@pytest.mark.parametrize("words", ["squirrelfish", "松鼠桂鱼", "桂鱼叫什么", "umbrella", "SQUIRRELFISH"])
def test_words_that_only_the_assistant_said(world: World, words: str) -> None:
    assert refs(world, words)[:1] == ["1"]


def test_words_of_a_conversation_that_goes_on(world: World) -> None:
    assert refs(world, "flux capacitor") == ["waiting"]
    memory = world.memory.recall(Cues(text="flux capacitor")).data["memories"][0]
    assert (memory["category"], memory["session"], memory["lives"]) == ("episode", "two", True)
    assert [one["text"] for one in memory["slice"]["messages"]] == [text for _, text in SECOND]  # type: ignore[index]
    assert refs(world, "flux capacitor", unasked=True) == []
    assert refs(world, "flux capacitor", type="user") == refs(world, "flux capacitor", tags=("deploy",)) == []


def test_a_fact_stands_before_what_was_only_talked_of(world: World) -> None:
    assert refs(world, "deploy")[0] == "the deploy runs on Friday"


@pytest.mark.parametrize(
    ("words", "slices"),
    [
        ("刚才聊了什么", ["waiting"]),
        ("what did we just talk about?", ["waiting"]),
        ("What did we talk about last time?", ["1"]),
        ("最近聊了什么", ["waiting", "1"]),
        ("what did we talk about", ["waiting", "1"]),
        ("what did we discuss yesterday", ["1"]),
        ("今天我们聊了什么", ["waiting"]),
    ],
)
def test_times_that_conversations_give(world: World, words: str, slices: list[str]) -> None:
    assert refs(world, words) == slices


def test_it_is_found_as_long_as_it_is_kept(world: World) -> None:
    """In a slice of half a year ago too, after it was shelved; and what was said of it since goes before."""
    world.later(days=180).memory.decay(Plan(compact=True))
    shelve(world.root)
    assert refs(world, "squirrelfish") == ["1"]
    world.remember("squirrelfish is a dish of Suzhou", "food", score="9")
    assert refs(world, "squirrelfish") == ["squirrelfish is a dish of Suzhou", "1"]
    world.later(days=230).memory.decay(Plan())
    assert refs(world, "squirrelfish") == ["squirrelfish is a dish of Suzhou"]
    assert b"umbrella" not in every_byte(world.root)


@pytest.mark.parametrize("purge", [False, True])
def test_what_was_forgotten_is_not_found(world: World, purge: bool) -> None:
    assert refs(world, "umbrella") == ["1"]
    unit = world.memory.recall(Cues(text="umbrella")).data["memories"][0]["slice"]["ref"].partition(":")[0]  # type: ignore[index]
    world.memory.forget_conversation(unit, purge=purge)
    assert refs(world, "umbrella") == refs(world, "昨天") == []
    assert purge == (b"umbrella" not in every_byte(world.root))
