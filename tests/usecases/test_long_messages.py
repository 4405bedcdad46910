"""A long message is stored in parts: each is found, joined they equal the text, and a purge spans parts."""

import json
from pathlib import Path

import pytest

from promptx_mem.core.slices import passage
from tests.api import Cues, Message, Plan
from tests.world import World, every_byte

FILLER = [f"word{n}" for n in range(60_000)]
PASTE = " ".join(FILLER)[:160_000] + " zanzibar kettle\n" + "".join(FILLER)[:172_500] + " 终点的灯塔很高"
SIZE = 333_029
TEXT = PASTE + "x" * (SIZE - len(PASTE))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / ".memory", session="paste")


def converse(world: World, *texts: str, snapshot: bool = False) -> int:
    messages = [Message(("user", "assistant")[n % 2], text) for n, text in enumerate(texts)]
    return world.memory.converse(messages, snapshot=snapshot).data["added"]


def stored(world: World) -> list[str]:
    (unit,) = world.file("conversations").glob("u_*.jsonl")
    lines = map(json.loads, unit.read_text("utf-8").splitlines())
    return [line["text"] for line in lines if "m" in line]


def test_passage_near_the_beginning_contains_all_its_terms() -> None:
    text = f"{'x' * 580} alpha {'y' * 550} beta {'z' * 3_000}"
    shown = passage(text, ["alpha", "beta"], 1_000)
    assert "alpha" in shown
    assert "beta" in shown


def test_the_joined_parts_equal_the_text(world: World) -> None:
    assert len(TEXT) == SIZE
    assert converse(world, TEXT, "done") == 2
    rest, done = world.memory.working_memory().data["messages"] or []
    assert TEXT.endswith(rest["text"])
    assert done["text"] == "done"
    *texts, last = stored(world)
    assert ("".join(texts), last) == (TEXT, "done")
    assert 42 <= len(texts) <= 56
    assert all(6_000 <= len(text) <= 8_000 for text in texts[:-1])
    assert sum(text[-1] in " \n" for text in texts) > len(texts) // 2 - 2


def test_each_part_is_found_and_its_matching_passage_shown(world: World) -> None:
    converse(world, TEXT, "done")
    for words in ("zanzibar kettle", "终点的灯塔", "word3"):
        best = world.memory.recall(Cues(text=words, count=1, touch=False)).data["memories"][0]["slice"]
        assert best is not None
        shown = [turn["text"] for turn in best["messages"]]
        assert any(words in text for text in shown)
        assert max(map(len, shown)) <= 2_000


def test_a_snapshot_with_a_long_message_adds_only_new_messages(world: World) -> None:
    converse(world, TEXT, "done")
    assert converse(world, TEXT, "done", "thanks", snapshot=True) == 1
    assert converse(world, TEXT, "done", "thanks", TEXT, snapshot=True) == 1
    assert stored(world).count("done") == 1


def test_a_long_message_stored_whole_by_an_old_version_is_not_repeated(world: World) -> None:
    converse(world, "short", "done")
    (unit,) = world.file("conversations").glob("u_*.jsonl")
    unit.write_text(unit.read_text("utf-8").replace('"short"', json.dumps(TEXT, ensure_ascii=False)), "utf-8")
    assert converse(world, TEXT, "done", "thanks", snapshot=True) == 1


@pytest.mark.parametrize(
    ("text", "message", "left"),
    [
        ("The vault is in room 4711", "Remember: the vault\nis in  room 4711!", "Remember: [purged]!"),
        ("保险柜 在4711室\n<好>", "记住：保险柜\n在 4711 室 <好>。", "记住：[purged]。"),
        ("user", "the User trusts users", "the [purged] trusts users"),
        ("张三", "我叫张三，user", "我叫[purged]，user"),
        ("2026-01-03", "on 2026-01-03 at m", "on [purged] at m"),
        ("m", "so m mm", "so [purged] mm"),
    ],
)
def test_a_purge_destroys_a_text_in_messages_and_no_other_data(
    world: World, text: str, message: str, left: str, person: None
) -> None:
    converse(world, message, "done")
    world.later(days=1).memory.decay(Plan())
    world.memory.forget(world.remember(text)["id"], purge=True)
    assert stored(world) == [left, "done"]
    (episode,) = world.memory.recall(Cues(category="episode", touch=False)).data["memories"]
    assert " ".join(left.split()) in episode["text"]
    assert world.memory.audit_verify().data["problems"] == []


def test_a_purge_destroys_a_text_that_spans_two_parts(world: World, person: None) -> None:
    converse(world, TEXT, "done")
    before = stored(world)
    secret = f"{before[0]}{before[1]}"[len(before[0]) - 30 : len(before[0]) + 30].strip()
    assert not any(secret in text for text in before)
    ident = world.remember(secret.upper())["id"]
    world.memory.forget(ident, purge=True)
    assert stored(world) == ["[purged]", "[purged]", *before[2:]]
    assert secret[:20].encode() not in every_byte(world.root)
