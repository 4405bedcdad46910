"""A memory that another may replace is named when that one is stored, with the command; nothing is replaced by itself."""

import shlex
from pathlib import Path

import pytest

from tests.world import World

PAIRS = (
    ("Anna Berg is the CEO", "Carl Lind is our new CEO"),
    ("Never deploy on Fridays", "Deploys on Fridays are fine now"),
    ("项目用 npm 安装依赖", "从 npm 换到 pnpm"),
)


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_the_older_is_named_and_stays(quick: Path, old: str, new: str) -> None:
    world = World(quick / ".memory")
    world.remember(old)
    world.later(days=1).remember("Docker Compose starts the demo.")
    data = world.later(days=1).remember(new)
    (conflict,) = data["conflicts"]
    assert conflict["text"] == old
    assert conflict["reason"]
    assert f"--update {conflict['id']}" in conflict["command"]
    assert shlex.split(conflict["command"])[0] == "promptx-mem"
    assert set(world.recall(old)) >= {old}


def test_another_subject_is_not_named(quick: Path) -> None:
    world = World(quick / ".memory")
    world.remember("The staging server listens on port 8080")
    data = world.later(days=1).remember("The production server listens on port 9090")
    assert data["conflicts"] == []
