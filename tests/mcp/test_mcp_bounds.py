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


def test_many_topics(tools: Tools) -> None:
    for number in range(40):
        topic = f"a rather long name of a topic {number}->" + "and what is below it " * 3
        store(tools, f"fact number {number}", topic=topic)
    answer = call(tools, "list", 600, what="topics", count=1_000, budget=600)
    assert 0 < len(answer["topics"]) < 80
    assert answer["not_shown"] > 0
    whole = call(tools, "list", 100_000, what="topics", count=1_000, budget=100_000)
    assert len(whole["topics"]) == len(answer["topics"]) + answer["not_shown"]


def test_what_was_done_is_told_in_a_few_words(tools: Tools) -> None:
    text = HAN.format(1) * 5
    ident = store(tools, text)
    assert len(call(tools, "change", 200, id=ident, action="boost")["text"]) <= 100
    added = call(tools, "monitor", 400, directives=f"[ADD] {LONG.format(7)} #tea score:8")
    assert len(added["items"][0]["text"]) <= 100


def test_of_much_that_is_alike_only_the_number_is_given(tools: Tools) -> None:
    shops = [f"{one}{other}" for one in "abcdefghij" for other in "vwxyz"]
    facts = [{"text": f"a cup of green tea from the small shop by the station, {shop}"} for shop in shops]
    few = call(tools, "remember", facts=facts[:5], tags="tea", score=9)
    assert few["items"][1]["alike"][0]["text"].startswith("a cup")
    many = call(tools, "remember", facts=facts[5:], tags="tea", score=9)
    assert [item["verdict"] for item in many["items"]] == ["stored"] * 45
    assert not any("alike" in item for item in many["items"])
    assert "number 1, 2, 3" in many["notes"][0]


def test_of_many_that_fail_as_many_are_told_as_fit(tools: Tools) -> None:
    bad = [{"text": f"a fact with a duration that is none, number {n}", "duration": "someday"} for n in range(25)]
    good = [{"text": f"{n} cups of green tea from the shop by the station, at {n}"} for n in range(25)]
    mixed = call(tools, "remember", facts=[*good, *bad], tags="tea", score=9)
    assert [item["number"] for item in mixed["items"]] == list(range(26, 26 + len(mixed["items"])))
    assert len(mixed["items"]) + mixed["not_shown"] == 25
    assert all("error" in item for item in mixed["items"])
    answer, failed = tools.call("remember", {"facts": bad * 2, "tags": "tea", "score": 9})
    assert failed
    assert answer["error"]["code"] == "none_stored"
    assert tokens(words.text(answer)) <= 2_000
    directives = [f"[ADD] the user likes tea number {n} #tea score:8" for n in range(60)]
    told = call(tools, "monitor", directives=[*directives, "[BOOST]", "prose"])
    assert [item["number"] for item in told["items"]] == [61]
    assert "not_shown" not in told
    answers = call(tools, "review", answers=[{"id": "m_0000000000", "decision": "keep"}] * 300)
    assert len(answers["items"]) + answers["not_shown"] == 300


def test_where_nothing_is_found_it_says_what_to_try(tools: Tools) -> None:
    store(tools, "green tea is best at 70 degrees")
    answer = call(tools, "recall", query="mooring fees of the marina")
    assert answer["memories"] == []
    assert "translate" in answer["notes"][0]
    assert "notes" not in call(tools, "recall", query="green tea")
