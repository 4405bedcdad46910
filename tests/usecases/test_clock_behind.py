"""A memory that was stored while the clock was behind is shown once the clock is right, and says so."""

import datetime
import json
from pathlib import Path

import pytest

from tests.api import Cues, Recall, Request, complete, format_line, lives, parse_line
from tests.inside import as_text, fold
from tests.world import World

RIGHT = datetime.datetime(2026, 11, 22, 12, tzinfo=datetime.UTC)
BEHIND = RIGHT.replace(year=2016)


@pytest.mark.parametrize("used_before", [True, False])
@pytest.mark.parametrize("duration", ["短期", "30d", "2016-12-31"])
def test_it_is_shown_when_the_clock_is_right(tmp_path: Path, duration: str, used_before: bool) -> None:
    world = World(tmp_path / ".memory")
    if used_before:
        world.time = RIGHT
        world.remember("stored before", "a")
        world.memory.boost(world.memory.recall(Cues("before")).data["memories"][0]["id"])
    world.time = BEHIND
    stored = world.memory.remember(Request("the clock was behind", ("a",), "8", duration))
    assert any("the clock is behind: it shows 2016-11-22" in warning for warning in stored.warnings)
    world.time = RIGHT + datetime.timedelta(days=400)
    result = world.memory.recall(Cues("clock", touch=False))  # what is shown has been used
    (memory,) = result.data["memories"]
    assert (memory["behind"], memory["lives"], memory["ends_at"]) == (True, True, None)
    assert memory["at"] >= "2025"
    assert "[stored while the clock was behind" in as_text(complete(Recall, result.data))
    world.memory.boost(memory["id"])
    used = world.memory.recall(Cues("clock")).data["memories"]
    assert len(used) == (duration != "2016-12-31"), "a date that is over is over"
    for memory in used:  # from its first use on it ends as any other
        assert memory["ends_at"] is not None
        world.time += datetime.timedelta(days=300)
        assert world.memory.recall(Cues("clock")).data["memories"] == []


def test_the_mark_is_read_back_and_folds_in_any_order(tmp_path: Path) -> None:
    world = World(tmp_path / ".memory")
    world.time = BEHIND
    world.remember("the clock was behind", "a", duration="短期")
    raw = (tmp_path / ".memory" / "declarative.md").read_text("utf-8").strip().split("\n")[-1]
    comment = json.loads(raw[raw.index("<!-- ") + 5 : -4])
    assert comment["behind"] is True
    assert comment["k"] >= 1_735_689_600_000_000  # 2025 began then
    read_back = parse_line(raw)
    assert read_back is not None
    assert format_line(read_back.entry) == raw
    assert not read_back.problems
    assert lives(fold([read_back.entry] * 2, []), RIGHT.timestamp() + 1e9)
