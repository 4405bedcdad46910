"""What is too wide for a terminal is broken where a reader expects it, and a printed command never."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptx_mem.cli.folding import cells, fold, fold_line

WORDS = st.text(alphabet="ab ,。，（）「」部署用蓝绿é🧠\u0301", max_size=60)
COLUMNS = st.integers(8, 50)


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        ("short", ["short"]),
        ("one two three four five", ["one two three four", "  five"]),
        ("  → one two three four five", ["  → one two three", "    four five"]),
        ("a/very/long/path/without/a/space", ["a/very/long/path/wit", "  hout/a/space"]),
        ("部署用蓝绿发布，周五不发版（值班）", ["部署用蓝绿发布，周五", "  不发版（值班）"]),
        ("部署用蓝绿发布周五不，发版", ["部署用蓝绿发布周五", "  不，发版"]),
        ("部署用蓝绿发布周五（不）发", ["部署用蓝绿发布周五", "  （不）发"]),
        ("用 deploy/rollback.sh 回滚", ["用", "  deploy/rollback.sh", "  回滚"]),
        (
            "  → to lift it: promptx-mem audit --allow 'a b c d'",
            ["  → to lift it:", "    promptx-mem audit --allow 'a b c d'"],
        ),
        ("  → promptx-mem recall --help and more", ["  → promptx-mem recall --help and more"]),
        (
            "forgot it  (promptx-mem restore m_1 brings it back)",
            ["forgot it", "  (promptx-mem restore m_1 brings it back)"],
        ),
        ("so: promptx-mem x y", ["so: promptx-mem x y"]),
        ("for now it is: promptx-mem x", ["for now it is:", "  promptx-mem x"]),
    ],
)
def test_a_line_of_20_columns(line: str, lines: list[str]) -> None:
    assert fold_line(line, 20) == lines


@given(WORDS, COLUMNS)
def test_no_part_is_too_wide_and_nothing_is_lost(text: str, columns: int) -> None:
    parts = fold_line(text, columns)
    assert max(map(cells, parts)) <= columns
    assert re.sub(" ", "", "".join(parts)) == re.sub(" ", "", text)
    assert len(parts) == 1 or not any(part.endswith(" ") for part in parts[:-1])


@given(WORDS, COLUMNS)
def test_a_command_is_one_line(text: str, columns: int) -> None:
    command = "promptx-mem recall 'a text that is longer than a line of any of these terminals'"
    *_, last = fold_line(f"so {text}: {command}", columns)
    assert last.endswith(command)


@given(st.lists(WORDS.filter(lambda text: "\n" not in text), max_size=4), COLUMNS)
def test_lines_are_folded_each_by_itself(lines: list[str], columns: int) -> None:
    expected = "\n".join(part for line in lines for part in fold_line(line, columns))
    assert fold("\n".join(lines), columns) == expected


def test_cells() -> None:
    assert [cells(text) for text in ("", "ab", "部署", "é", "e\u0301", "🧠")] == [0, 2, 4, 1, 1, 2]
