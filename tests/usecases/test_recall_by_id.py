"""recall of an id: that memory by itself, whatever has become of it; what only looks like an id is words."""

from pathlib import Path
from typing import cast

import pytest

from tests.api import Cues, Memory, Recall, Whole, complete
from tests.inside import block
from tests.inside import cli_recall as command_line
from tests.scripted import Script
from tests.usecases.recall_store import entry, event, found, store

COFFEE = entry("用户喜欢咖啡", 1)
TEA = entry("the user likes tea", 2)
GONE = entry("the old office", 3)
NEW = entry("the new office", 1, supersedes=GONE.id)
LEFT = entry("a passing fact", 4)
WORDY = entry("the flag m_zzzz decides", 5)
TWINS = [entry("one", id="m_twnaaaaaaa"), entry("two", id="m_twnabbbbbb")]
PURGED = entry("the secret", 6)


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    entries = [COFFEE, TEA, GONE, NEW, LEFT, WORDY, PURGED, *TWINS]
    return store(tmp_path, entries, [event("forgotten", LEFT.id, 1), event("purged", PURGED.id, 1)])


@pytest.mark.parametrize(
    "text", [COFFEE.id, COFFEE.id[:6], COFFEE.id[:4], COFFEE.id[:3], COFFEE.id.upper(), f"  {COFFEE.id} "]
)
def test_an_id_or_its_beginning_is_that_memory(memory: Memory, text: str) -> None:
    data = memory.recall(Cues(text=text)).data
    assert [(one["text"], one["via"]) for one in data["memories"]] == [(COFFEE.text, ["id"])]
    assert data["more"] == 0


def test_what_has_ended_is_shown_and_marked(memory: Memory) -> None:
    forgotten, superseded = (complete(Recall, memory.recall(Cues(text=ident)).data) for ident in (LEFT.id, GONE.id))
    assert "ended: forgotten" in command_line.as_text(forgotten)
    assert f"superseded by {NEW.id}" in command_line.as_text(superseded)
    assert 'ended="forgotten"' in block(forgotten)
    assert not Path(memory.context.layout.recalled).exists()


@pytest.mark.parametrize("text", ["m_", "m_0000000000", "m_咖啡", PURGED.id])
def test_what_is_no_id_of_a_memory_finds_none(memory: Memory, text: str) -> None:
    assert not any("id" in one["via"] for one in memory.recall(Cues(text=text)).data["memories"])


def test_what_looks_like_an_id_is_searched_as_words(memory: Memory) -> None:
    assert found(memory, "m_zzzz") == [WORDY.text]
    assert COFFEE.text not in found(memory, f"{COFFEE.id} tea")


def test_a_short_beginning_that_stands_in_a_text_is_words(tmp_path: Path) -> None:
    said = entry(f"the member {TEA.id[:4].upper()} is gone", 7)
    memory = store(tmp_path, [TEA, said])
    assert found(memory, TEA.id[:4]) == [said.text]
    assert found(memory, TEA.id[:6]) == [TEA.text]


def test_nothing_else_combines_with_an_id(memory: Memory) -> None:
    result = memory.recall(
        Cues(text=f"{COFFEE.id} #other", topics=("a",), type="user", until="2026-01-01", min_score=9, dates=("today",))
    )
    assert [one["text"] for one in result.data["memories"]] == [COFFEE.text]
    assert result.warnings == (
        "an id is looked up by itself: --topic, --date, --type, --min-score, --until, #other had no effect",
    )
    assert memory.recall(Cues(text=COFFEE.id, archived=True)).warnings == ()


def test_a_judge_does_not_drop_what_was_named(memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Script(tmp_path / "judge", monkeypatch).acts(f"[DROP:{COFFEE.id}]")
    assert found(memory, "咖啡", judge=True) == []
    assert found(memory, COFFEE.id, judge=True) == [COFFEE.text]


def test_a_beginning_of_several_ids_shows_them_all(memory: Memory) -> None:
    assert found(memory, "m_twna") == ["one", "two"]
    data = memory.recall(Cues(text="m_twna", count=1)).data
    assert (data["count"], data["more"]) == (1, 1)


def test_an_id_that_was_not_there_yet(memory: Memory) -> None:
    assert found(memory, GONE.id, as_of="2026-11-18") == [GONE.text]
    assert found(memory, COFFEE.id, as_of="2026-11-18") == []


def test_one_memory_is_shown_whole(tmp_path: Path) -> None:
    odd = entry("a whole one", 2, topic="a->b", related=("a->c",), reason="it was\x1b[31m asked for", dims=(9.0,) * 6)
    boost = event("boosted", odd.id, 1, gain=0.2)
    memory = store(tmp_path, [odd, COFFEE], [boost, event("forgotten", odd.id, 1, reason="it moved")])
    data = complete(Recall, memory.recall(Cues(text=odd.id)).data)
    (whole,) = cast("list[Whole]", data["memories"])
    assert [happened["e"] for happened in whole["events"]] == ["boosted", "forgotten"]
    for text in (command_line.as_text(data), command_line.as_text({**data, "format": "rich"})):
        for part in ("by user", "related: a->c", "reason: it was", "dims: 9, 9", "(forgotten)", "+0.2", "it moved"):
            assert part in text
        assert f"to bring it back: promptx-mem restore {odd.id}\n" in text
        assert "\x1b" not in text
    assert "related" not in block(data)


def test_among_others_a_memory_is_not_shown_whole(memory: Memory) -> None:
    for text in ("m_twna", "咖啡"):
        data = complete(Recall, memory.recall(Cues(text=text)).data)
        assert not any("events" in one for one in data["memories"])
        assert "stored: " not in command_line.as_text(data)


def test_when_it_ends_is_said_of_what_lives(tmp_path: Path) -> None:
    lasting = entry("for ever", 3, duration="永久")
    memory = store(tmp_path, [TEA, lasting])
    first, second = (
        command_line.as_text(complete(Recall, memory.recall(Cues(text=one.id)).data)) for one in (TEA, lasting)
    )
    assert "if it is not used it ends 20" in first
    assert "life: it never fades" in second


def test_an_id_that_nothing_has_is_said_to_be_none(tmp_path: Path) -> None:
    memory = store(tmp_path, [entry("the user likes tea")])
    data = memory.recall(Cues(text="M_zzz")).data
    assert (data["memories"], data["hint"]) == ([], "")
    assert data["near_misses"] == ["no memory has an id that begins with m_zzz"]
    assert memory.recall(Cues(text="zebra")).data["hint"]
