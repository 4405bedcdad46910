"""What a person meets who names the wrong place or the wrong memory: said, never done in silence."""

import os
from pathlib import Path

import pytest

from tests.api import Memory, Refused, Request, UsageError, layout
from tests.world import World


def test_a_project_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("print()\n")
    with pytest.raises(UsageError, match="is not a store") as error:
        Memory(layout.at(str(tmp_path)), "test").remember(Request("x #t score:8"))
    assert error.value.hint.endswith(os.path.join(str(tmp_path), ".memory"))
    assert sorted(os.listdir(tmp_path)) == ["main.py"]


def test_an_update_goes_to_the_memory_that_is_current(world: World) -> None:
    old = world.remember("meetings on monday")["id"]
    new = world.later(1).remember("meetings on tuesday", update=old, score=None)["id"]
    with pytest.raises(Refused, match=f"superseded by {new}") as refused:
        world.remember("meetings on friday", update=old, score=None)
    assert f"--update {new}" in refused.value.hint
    assert world.recall("meetings") == ["meetings on tuesday"]


def test_a_repeat_answers_with_what_is_stored(world: World) -> None:
    world.remember("uv installs packages", "pkg", score="8", duration="长期")
    result = world.later(1).memory.remember(
        Request("uv installs packages", tags=("py",), score="6", topic="a->b", type="project")
    )
    assert (result.data["verdict"], result.data["score"], result.data["duration"]) == ("repeated", 8, "长期")
    assert result.data["tags"] == ["pkg", "py"]
    assert [warning for warning in result.warnings if "stored; score" in warning] == []
    assert any(": --type changed nothing" in warning for warning in result.warnings)  # a path is taken, a kind is not
