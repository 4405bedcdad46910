"""Huge files in a store block no command."""

from pathlib import Path

import pytest

from tests.world import World

pytestmark = pytest.mark.thorough


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path / ".memory")
    world.remember("the user likes green tea")
    return world


HUGE = 20_000_000
NAMES = [
    ".intent", ".own", "audit.jsonl", ".recalled", ".recent", ".lost", ".purge", "MEMORY.md",
    ".hosts/s_0123456789.jsonl",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("part", [b"x", b"\0", b"a line\n", b"\xff\xfe\n"], ids=repr)
def test_a_huge_file_in_the_store_blocks_no_command(world: World, name: str, part: bytes) -> None:
    world.file(name).parent.mkdir(exist_ok=True)
    with world.file(name).open("ab") as file:
        file.write(part * (HUGE // len(part)))
    assert world.recall("tea") == ["the user likes green tea"]
    world.later(hours=1).remember("stored beside it")
    assert sorted(world.recall()) == ["stored beside it", "the user likes green tea"]
