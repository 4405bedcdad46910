"""Files written by PromptX or by hand are read correctly."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptx_mem.core.document import read
from tests.tables import rows

TABLE = json.loads((Path(__file__).parent.parent / "conformance" / "promptx_lines.json").read_text("utf-8"))


OURS = '- 我们的一行 #自己 score:8 duration:长期 <!-- {"id":"m_0000000000","at":"2026-11-20T10:00:00+08:00"} -->'

PIECES = [
    OURS, "- a", "- 2025/06/05 18:47 b #t #评分:8", "- 2025/06/05 18:47 c", "- 2025/06/05 18:47 START", "- END", "--tags #x #评分:8",
    "```", "", "  nested", "prose", "# head", "- - -", "<<<<<<< ours",
]  # fmt: skip


@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: case["name"])
def test_files_of_the_table_are_read(case: dict[str, Any]) -> None:
    data = case["file"].encode()
    result = read(data)
    seen = [
        {"text": f.text, "tags": list(f.tags), "score": f.score, "duration": f.duration, "at": f.at}
        for f in result.bullets
    ]
    assert seen == case["memories"]
    assert len(result.problems) == case.get("problems", 0)


@pytest.mark.parametrize(("file", "expected"), rows(__file__, "documents.jsonl"))
def test_memories_are_found_in_a_file(file: str, expected: list[str]) -> None:
    assert [memory.text for memory in read(file.encode()).bullets] == expected


@pytest.mark.parametrize(("file", "problems"), rows(__file__, "document_problems.jsonl"))
def test_problems_in_a_file_are_reported(file: str, problems: list[str]) -> None:
    assert [problem.message for problem in read(file.encode()).problems] == problems


def test_hand_written_line_has_score_eight_and_a_long_duration() -> None:
    entry = read("- 手写的一条 #手写\n".encode()).bullets[0].as_entry()
    assert (entry.score, entry.duration, entry.category, entry.at) == (8.0, "长期", "fact", None)


def test_long_file_of_mixed_formats_is_read_completely() -> None:
    forms = [case["file"] for case in TABLE["cases"] if not case.get("problems") and case["file"].endswith("\n")]
    counts = {form: len(read(form.encode()).bullets) for form in forms}
    closed = [form for form in forms if "```\n- not" not in form]
    parts = [form.replace("\n", "\r\n") if number % 3 == 0 else form for number, form in enumerate(closed * 20)]
    data = "\n".join(f"{part}\n{OURS}" for part in parts).encode()
    assert 30_000 < len(data) < 200_000
    found = read(data)
    assert len(found.bullets) == sum(counts[form] for form in closed) * 20 + len(parts)
    assert found.problems == ()


@given(st.binary(max_size=300))
def test_any_bytes_are_read(data: bytes) -> None:
    result = read(data)
    assert all(0 <= f.start < f.end <= len(data) for f in result.bullets)


@given(st.lists(st.sampled_from(PIECES), max_size=14))
def test_memories_never_overlap_and_each_of_our_lines_is_found(pieces: list[str]) -> None:
    data = "\n".join(pieces).encode()
    found = read(data).bullets
    assert all(one.end <= other.start for one, other in pairwise(found))
    finished = any(piece == "- END" for piece in pieces)
    if not finished:  # inside a finished block a line of ours is text
        assert sum(f.entry is not None for f in found) == pieces.count(OURS)


def test_a_tag_line_may_end_an_entry_without_start() -> None:
    found = read("- 2025/06/09 22:11 title\n\nbody\n--tags 多行 别的 #评分:8 #有效期:长期\n".encode()).bullets
    assert [(f.text, f.tags, f.score) for f in found] == [("title\n\nbody", ("多行", "别的"), 8)]
