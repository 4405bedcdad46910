"""recall of an id: only that memory, active or ended."""

from pathlib import Path
from typing import cast

import pytest

from tests.api import Cues, FullMemory, Memory, Recall, complete
from tests.inside import block
from tests.inside import cli_recall as command_line
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
def test_an_id_or_its_prefix_finds_that_memory(memory: Memory, text: str) -> None:
    data = memory.recall(Cues(text=text)).data
    assert [(one["text"], one["via"]) for one in data["memories"]] == [(COFFEE.text, ["id"])]
    assert data["more"] == 0


def test_an_ended_memory_is_shown_by_its_id_and_marked(memory: Memory) -> None:
    forgotten, superseded = (complete(Recall, memory.recall(Cues(text=ident)).data) for ident in (LEFT.id, GONE.id))
    assert "ended: forgotten" in command_line.as_text(forgotten)
    assert f"superseded by {NEW.id}" in command_line.as_text(superseded)
    assert 'ended="forgotten"' in block(forgotten)
    assert not Path(memory.context.layout.recalled).exists()


def test_an_unknown_id_is_searched_as_words(memory: Memory) -> None:
    assert found(memory, "m_zzzz") == [WORDY.text]
    assert COFFEE.text not in found(memory, f"{COFFEE.id} tea")


def test_a_prefix_of_several_ids_shows_them_all(memory: Memory) -> None:
    assert found(memory, "m_twna") == ["one", "two"]
    data = memory.recall(Cues(text="m_twna", count=1)).data
    assert (data["count"], data["more"]) == (1, 1)


def test_a_single_memory_is_shown_with_all_details(tmp_path: Path) -> None:
    odd = entry("a whole one", 2, topic="a->b", related=("a->c",), reason="it was\x1b[31m asked for", dims=(9.0,) * 6)
    boost = event("boosted", odd.id, 1, gain=0.2)
    memory = store(tmp_path, [odd, COFFEE], [boost, event("forgotten", odd.id, 1, reason="it moved")])
    data = complete(Recall, memory.recall(Cues(text=odd.id)).data)
    (whole,) = cast("list[FullMemory]", data["memories"])
    assert [change["e"] for change in whole["events"]] == ["boosted", "forgotten"]
    for text in (command_line.as_text(data), command_line.as_text({**data, "format": "rich"})):
        for part in ("by user", "related: a->c", "reason: it was", "dims: 9, 9", "(forgotten)", "+0.2", "it moved"):
            assert part in text
        assert f"to bring it back: promptx-mem restore {odd.id}\n" in text
        assert "\x1b" not in text
    assert "related" not in block(data)
