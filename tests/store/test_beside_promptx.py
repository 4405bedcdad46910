"""A directory that PromptX also uses: its lines, .gitignore, and the export for PromptX."""

import re
from pathlib import Path

import pytest

from tests.api import Wants
from tests.inside import document, export
from tests.world import World

RECORDED = Path(__file__).parent / "promptx_in_turn.md"
"""declarative.md after PromptX 0.0.2-snapshot.20250616102516 and this program had each stored three memories in turn."""

_START = re.compile(r"- \d{4}/\d{2}/\d{2} \d{2}:\d{2} START")


def as_promptx_reads(text: str) -> list[tuple[str, list[str]]]:
    """Read blocks as PromptX's RecallCommand does: its START and END lines exactly, the last --tags line of a block."""
    blocks: list[list[str]] = []
    inside = False
    for line in text.split("\n"):
        if _START.fullmatch(line):
            blocks.append([])
            inside = True
        elif line == "- END":
            inside = False
        elif inside:
            blocks[-1].append(line)
    out = []
    for block in blocks:
        words = [line.removeprefix("--tags ").split() for line in block if line.startswith("--tags ")]
        body = "\n".join(line for line in block if not line.startswith("--tags "))
        out.append((body.strip(), words[-1] if words else []))
    return out


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path / ".promptx" / "memory")
    world.root.mkdir(parents=True)
    return world


def test_file_written_by_both_programs_is_read(world: World) -> None:
    text = RECORDED.read_bytes().decode()
    (world.root / "declarative.md").write_bytes(text.encode())
    assert {one for one in world.recall() if one.startswith("px fact")} == {
        f"px fact {number}\n- bullet {number}" for number in (1, 2, 3)
    }
    assert {one for one in world.recall() if one.startswith("our")} == {f"our fact {number}" for number in (1, 2, 3)}
    assert not document.read(text.encode()).problems
    assert [body for body, _ in as_promptx_reads(text)] == [
        f"px fact {number}\n- bullet {number}" for number in (1, 2, 3)
    ]


def test_no_gitignore_is_created_next_to_files_of_promptx(world: World) -> None:
    (world.root / "declarative.md").write_text(
        "# 陈述性记忆\n\n- 2025/06/05 18:47 喜欢茶 ##其他 #评分:8 #有效期:长期\n"
    )
    for number in range(2):
        world.later(hours=1).remember(f"ours {number}")
        assert not (world.root / ".gitignore").exists()
    assert len(world.recall()) == 3
    problems = world.memory.audit_verify().data["problems"] or []
    assert not [one for one in problems if one["where"] == ".gitignore"], "it is not missed either"


@pytest.mark.parametrize("is_there", [True, False])
def test_no_gitignore_is_created_in_a_new_promptx_directory(is_there: bool, tmp_path: Path) -> None:
    world = World(tmp_path / ".promptx" / "memory")
    if is_there:
        world.root.mkdir(parents=True)
    world.remember("ours")
    assert not world.file(".gitignore").exists()
    problems = world.memory.audit_verify().data["problems"] or []
    assert not [one for one in problems if one["where"] == ".gitignore"]


def test_gitignore_is_created_in_any_other_directory(tmp_path: Path) -> None:
    world = World(tmp_path / "memories")
    world.remember("ours")
    assert world.read(".gitignore") == "*\n"


def test_promptx_reads_every_exported_memory(world: World) -> None:
    texts = [
        "plain",
        "# 标题\n\n- 一\n```\n- END\n```",
        "--tags #x\nlater",
        "- 2025/01/01 10:00 START\nx",
        "last  line",
    ]
    for text in texts:
        world.remember(text, "a", "b")
    read = as_promptx_reads(export(world.memory.context, Wants("promptx")).data["text"])
    assert sorted(body.replace("\\", "") for body, _ in read) == sorted(texts)
    assert all(tags == ["#a", "#b", "#评分:8", "#有效期:长期"] for _, tags in read)
