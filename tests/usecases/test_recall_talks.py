"""Conversations are found by all their words and by their time, also while they continue."""

from pathlib import Path
from unittest.mock import Mock

import pytest

from tests.api import Cues, Message, Plan
from tests.inside import conversations
from tests.tables import rows
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
    """A conversation of yesterday with an episode, a fact, and a conversation that continues."""
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
def test_words_of_the_assistant_find_a_conversation(world: World, words: str) -> None:
    assert refs(world, words)[:1] == ["1"]


def test_a_conversation_that_continues_is_found_by_its_words(world: World) -> None:
    assert refs(world, "flux capacitor") == ["waiting"]
    memory = world.memory.recall(Cues(text="flux capacitor")).data["memories"][0]
    assert (memory["category"], memory["session"], memory["lives"]) == ("episode", "two", True)
    assert [one["text"] for one in memory["slice"]["messages"]] == [text for _, text in SECOND]  # type: ignore[index]
    assert refs(world, "flux capacitor", unasked=True) == []
    assert refs(world, "flux capacitor", type="user") == refs(world, "flux capacitor", tags=("deploy",)) == []


@pytest.mark.parametrize("indexed", [True, False])
def test_a_conversation_is_found_after_a_read_error(
    world: World, indexed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if indexed:
        assert refs(world, "zebra") == []
    talk(world, "two", (("user", "a zebra"),))
    with monkeypatch.context() as patch:
        patch.setattr(conversations, "read", Mock(side_effect=OSError("Input/output error")))
        assert refs(world, "zebra") == []
    assert refs(world, "zebra") == ["waiting"]


def test_a_fact_ranks_above_a_conversation(world: World) -> None:
    assert refs(world, "deploy")[0] == "the deploy runs on Friday"


@pytest.mark.parametrize(("words", "slices"), rows(__file__, "questions_of_time.jsonl"))
def test_questions_about_a_time_find_its_conversations(world: World, words: str, slices: list[str]) -> None:
    assert refs(world, words) == slices


def test_a_conversation_is_found_as_long_as_it_is_kept(world: World) -> None:
    """Also after half a year in a shelved file; a newer fact ranks above it."""
    world.later(days=180).memory.decay(Plan(compact=True))
    shelve(world.root)
    assert refs(world, "squirrelfish") == ["1"]
    world.remember("squirrelfish is a dish of Suzhou", "food", score="9")
    assert refs(world, "squirrelfish") == ["squirrelfish is a dish of Suzhou", "1"]
    world.later(days=230).memory.decay(Plan())
    assert refs(world, "squirrelfish") == ["squirrelfish is a dish of Suzhou"]
    assert b"umbrella" not in every_byte(world.root)


@pytest.mark.parametrize("purge", [False, True])
def test_a_forgotten_conversation_is_not_found(world: World, purge: bool) -> None:
    assert refs(world, "umbrella") == ["1"]
    unit = world.memory.recall(Cues(text="umbrella")).data["memories"][0]["slice"]["ref"].partition(":")[0]  # type: ignore[index]
    world.memory.forget_conversation(unit, purge=purge)
    assert refs(world, "umbrella") == refs(world, "昨天") == []
    assert purge == (b"umbrella" not in every_byte(world.root))
