"""No answer of a tool is longer than its budget; what is left out is said, and how to ask for it."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.api import Event, format_event, tokens
from tests.inside import Tools, words

LONG = "A long sentence about tea, number {0}. " * 40
HAN = "关于茶的一句很长的话，第{0}句。" * 60


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tools:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", f"{tmp_path}-home")
    return Tools(str(tmp_path / ".memory"))


def call(tools: Tools, tool: str, most: int = 2_000, **arguments: Any) -> dict[str, Any]:
    """An answer that is no error, and within its budget."""
    answer, failed = tools.call(tool, arguments)
    assert not failed, answer
    assert tokens(words.text(answer)) <= most
    return answer


def store(tools: Tools, text: str, **more: Any) -> str:
    return str(call(tools, "remember", text=text, tags="tea", score=9, **more)["id"])


@pytest.mark.parametrize("text", [LONG, HAN[:600]])
def test_a_memory_with_a_long_history(tools: Tools, text: str) -> None:
    ids = [store(tools, text.format(0))]
    for number in range(1, 9):
        ids.append(store(tools, text.format(number), update=ids[-1]))
    answer = call(tools, "get", id=ids[-1])
    shown = answer["history"]
    [note] = answer["notes"]
    assert 0 < len(shown) < 8
    assert f"{8 - len(shown)} memories of its history" in note
    need = int(re.search(r"budget (\d+) gives all", note)[1])  # type: ignore[index]
    everything = call(tools, "get", need, id=ids[-1], budget=need)
    assert {one["id"] for one in everything["history"]} == set(ids[:-1])
    assert everything["memory"]["text"] == text.format(8).strip()
    assert "notes" not in everything


def test_a_text_that_is_longer_than_its_budget(tools: Tools) -> None:
    text = " ".join(f"word{number}" for number in range(1_200))
    ident = store(tools, text)
    answer = call(tools, "get", id=ident)
    shown = answer["memory"]["text"]
    assert text.startswith(shown)
    assert f"{len(text) - len(shown)} characters of its text" in answer["notes"][0]
    need = int(answer["notes"][0].split("budget ")[1].split()[0])
    assert call(tools, "get", need, id=ident, budget=need)["memory"]["text"] == text
    refused, failed = tools.call("get", {"id": ident, "budget": 20})
    assert failed
    least = int(re.search(r"\d+", refused["error"]["fix"])[0])  # type: ignore[index]
    call(tools, "get", least, id=ident, budget=least)


@pytest.mark.parametrize(("text", "many"), [("The user likes tea number {} most", 22), (HAN, 7)])
def test_what_waits(tools: Tools, text: str, many: int) -> None:
    ids = [store(tools, text.format(number)) for number in range(many)]
    boosts = [
        Event(number, "h", f"2025-03-01T{3 * number:02}:00:00+00:00", "boosted", tuple(ids)) for number in range(1, 4)
    ]
    journal = Path(tools.directory or "") / "journal.jsonl"
    journal.write_text("".join(format_event(event) + "\n" for event in boosts))
    for budget in (1_600, 2_000, 4_000):
        answer = call(tools, "review", budget, budget=budget)
        shown = answer["reviews"]
        assert 0 < len(shown) <= 20
        assert len(shown) + answer.get("not_shown", 0) == many
        assert ("ask again when these are answered" in answer["prompt"]) == (len(shown) < many)
        assert all(one["id"] in answer["prompt"] for one in shown)
    _, failed = tools.call("review", {"budget": 100})
    assert failed
    answers = [{"id": one["id"], "decision": "keep"} for one in shown]
    call(tools, "review", answers=answers)
    assert len(call(tools, "review")["reviews"]) <= many - len(shown)
