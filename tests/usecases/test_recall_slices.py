"""A memory of a conversation is shown with its messages."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.api import Cues, Memory, Message, Recall, complete, tokens
from tests.inside import budget as context
from tests.inside import cli_recall as command_line
from tests.inside import conversations
from tests.slices import put_slice
from tests.usecases.recall_store import entry, store

OMISSION = json.loads((Path(__file__).parents[1] / "conformance/topic_recall.json").read_text("utf-8"))["omission"]
AT = "2026-11-20T09:30:00+08:00"


def with_slice(root: Path, messages: list[str], reference: str | None = None) -> Memory:
    summary = entry("[2026-11-20 09:30] 聊了面试", category="episode", score=7.5, slice=reference or "u_1:1")
    memory = store(root, [summary])
    if messages:
        turns = [Message("user" if number % 2 == 0 else "assistant", text, AT) for number, text in enumerate(messages)]
        last = conversations.add_messages(memory.context.layout, "u_1", turns)
        put_slice(memory.context.layout, "u_1", last, AT, "聊了面试")
    return memory


def recalled(memory: Memory, **cues: Any) -> Any:
    return complete(Recall, memory.recall(Cues(text="面试", **cues)).data)


@pytest.mark.parametrize("row", OMISSION, ids=lambda row: str(row["messages"]))
def test_the_shown_messages_match_the_table(tmp_path: Path, row: dict[str, Any]) -> None:
    memory = with_slice(tmp_path, [f"message {number}" for number in range(row["messages"])])
    part = recalled(memory)["memories"][0]["slice"]
    assert [one["text"] for one in part["messages"]] == [f"message {number}" for number in row["shown"]]
    assert part["left_out"] == row["left_out"]
    if row["messages"]:
        assert (part["date"], part["time"], part["summary"]) == ("2026-11-20", "09:30", "聊了面试")


def test_every_format_shows_how_many_messages_are_left_out(tmp_path: Path) -> None:
    data = recalled(with_slice(tmp_path, [f"say {number}" for number in range(30)]))
    root = ElementTree.fromstring(context.block(data))
    inner = [(one.tag, one.text or one.get("messages")) for one in root.iter() if one.tag in ("message", "left_out")]
    assert inner == [
        ("message", "say 0"), ("message", "say 1"), ("left_out", "11"),
        *(("message", f"say {number}") for number in range(13, 17)),
        ("left_out", "11"), ("message", "say 28"), ("message", "say 29"),
    ]  # fmt: skip
    lines = command_line.as_text(data).split("\n")
    assert [line.strip() for line in lines[1:5]] == ["❯ say 0", "◆ say 1", "… 11 messages left out", "◆ say 13"]


@pytest.mark.parametrize(
    "reference", ["u_1:2", "u_2:1", "../../etc/passwd", "u_1:0", "u_1", "", "a:b", "u_1:1:1", "\0:1"]
)
def test_a_missing_slice_is_reported_without_an_error(tmp_path: Path, reference: str) -> None:
    data = recalled(with_slice(tmp_path, ["one"], reference or "x"))
    assert data["memories"][0]["slice"]["missing"] is True
    assert "not in this store" in command_line.as_text(data)


def test_long_messages_are_cut_to_the_passage_with_the_query_words(tmp_path: Path) -> None:
    long = f"{'天气很好。' * 300}第七轮面试在周四{'风也不大。' * 300}"
    data = recalled(with_slice(tmp_path, [long, "好"] * 5), budget=2_000)
    texts = [one["text"] for one in data["memories"][0]["slice"]["messages"]]
    assert texts[1::2] == ["好"] * 5
    assert all("第七轮面试在周四" in text and len(text) <= 160 for text in texts[::2])
    assert tokens(context.block(data)) <= 2_000
