"""A memory that was stored while the clock was behind is shown once the clock is right, and says so."""

import datetime
from pathlib import Path

import pytest

from tests.api import Cues, Recall, Request, complete
from tests.inside import as_text
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
