"""Files far larger than anything of ours: work is bounded, nothing blocks, and what blocks is named."""

from pathlib import Path

import pytest

from tests.api import Cues
from tests.inside import search_tokens
from tests.inside import search_tokens as tokens
from tests.world import World

pytestmark = pytest.mark.thorough

MUCH = 3_000_000
TEXTS = {
    "words": " ".join(f"word{number}" for number in range(MUCH // 10)),
    "without a space": "x" * MUCH,
    "Chinese": "".join(chr(0x4E00 + number * 7919 % 20_000) for number in range(MUCH // 3)),
}


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path / ".memory")
    world.remember("the user likes green tea")
    return world


@pytest.mark.parametrize("kind", TEXTS)
def test_only_the_beginning_of_a_huge_text_is_indexed(world: World, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    line = f"- begins {TEXTS[kind]} ends\n"
    path = world.file("declarative.md")
    path.write_text(world.read("declarative.md") + line, "utf-8")
    folded: list[int] = []
    fold = tokens.fold

    def counting(text: str) -> str:
        folded.append(len(text))
        return fold(text)

    monkeypatch.setattr(tokens, "fold", counting)
    assert world.recall("tea") == ["the user likes green tea"]
    assert sum(folded) < 3 * search_tokens.LONGEST_TEXT
    assert len(world.recall("begins")) == 1
    assert world.recall("ends") == []
    (warning,) = world.memory.recall(Cues(text="tea", touch=False)).warnings
    assert "audit --verify" in warning
    (note,) = [note for note in world.memory.audit_verify().data["notes"] or [] if "characters are searched" in note]
    assert note.startswith("m_")
    assert path.read_text("utf-8").endswith(line)


HUGE = 20_000_000
NAMES = [
    ".intent",
    ".own",
    "audit.jsonl",
    ".recalled",
    ".recent",
    ".lost",
    ".purge",
    "MEMORY.md",
    ".hosts/s_0123456789.jsonl",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("part", [b"x", b"\0", b"a line\n", b"\xff\xfe\n"], ids=repr)
def test_a_huge_file_beside_the_memories_blocks_nothing(world: World, name: str, part: bytes) -> None:
    world.file(name).parent.mkdir(exist_ok=True)
    with world.file(name).open("ab") as file:
        file.write(part * (HUGE // len(part)))
    assert world.recall("tea") == ["the user likes green tea"]
    world.later(hours=1).remember("stored beside it")
    assert sorted(world.recall()) == ["stored beside it", "the user likes green tea"]
