"""Files written by PromptX or by hand are read correctly."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptx_mem.core import document
from promptx_mem.core.document import read

TABLE = json.loads((Path(__file__).parent.parent / "conformance" / "promptx_lines.json").read_text("utf-8"))


OURS = '- 我们的一行 #自己 score:8 duration:长期 <!-- {"id":"m_0000000000","at":"2026-11-20T10:00:00+08:00"} -->'

PIECES = [
    OURS, "- a", "- 2025/06/05 18:47 b #t #评分:8", "- 2025/06/05 18:47 c", "- 2025/06/05 18:47 START", "- END", "--tags #x #评分:8",
    "```", "", "  nested", "prose", "# head", "- - -", "<<<<<<< ours",
]  # fmt: skip


MANY = (
    "- 2025/06/07 09:16 title\n1. one\n- two\n# three\n\n```\n#评分:9\n```\nend --tags a b ##c #评分:8 #有效期:长期\n"
)


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


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("- a\n\n- b\n", ["a", "b"]),
        ("- a\n\n  more of a\n\n    deeper\n- b\n", ["a\n\nmore of a\n\n  deeper", "b"]),
        (f"{OURS}\n  a detail below\n- b\n", ["我们的一行\na detail below", "b"]),
        (f"```\n- in a fence\n{OURS}\n- after it\n", ["我们的一行", "after it"]),
        (f"- 2025/07/13 23:22 START\ntext\n{OURS}\n- b\n", ["我们的一行", "b"]),
        ("- 2025/07/13 23:22 START\ntext\n- 2025/07/14 09:00 next #a #评分:8 #有效期:长期\n", ["next"]),
        ("- 2025/07/13 23:22 START\nno tags\n- END\n- b\n", ["no tags", "b"]),
        ("- 2025/07/13 23:22 START\n\n--tags #a #评分:8\n- END\n- b\n", ["b"]),
        ("- 2025/13/45 23:22 no such day #a #评分:8\n", ["2025/13/45 23:22 no such day"]),
        ("- 2025/06/09 22:11 title\n\nprose without an end\n\n- by hand\n", ["title", "by hand"]),
        (
            "- 2025/06/09 22:11 title\n\nbody\n```\n#评分:9\n```\nend #a #评分:8\n",
            ["title\n\nbody\n```\n#评分:9\n```\nend"],
        ),
        (MANY, ["title\n1. one\n- two\n# three\n\n```\n#评分:9\n```\nend"]),
        (MANY.replace("title", "title #x"), ["title #x\n1. one\n- two\n# three\n\n```\n#评分:9\n```\nend"]),
        (f"- 2025/06/07 09:16 title\nmore\n{OURS}\nend #评分:8\n", ["title", "我们的一行"]),
        ("- 2025/06/07 09:16 title\n- 2025/06/07 09:17 START\na\n--tags #b #评分:8\n- END\n", ["title", "a"]),
        ("- 2025/06/07 09:16 title\n- own #a score:8\nend #评分:8\n", ["title", "own"]),
        ("- 2025/06/07 09:16 title\n- its end --tags a #评分:8 #有效期:长期\n", ["title\n- its end"]),
        ("- 2025/06/07 09:16 title\n- its end ##其他 #评分:8 #有效期:长期\n", ["title\n- its end"]),
        ("- 2025/06/07 09:16 title\nno end\n\nprose\n", ["title"]),
        ("\ufeff- after a BOM\n", ["after a BOM"]),
        ("* no\n+ no\n1. no\n  - no\n-no\n-\n- \n---\n- - -\n- END\n", []),
        ("<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n", ["a", "b"]),
        ("- a\0b\n- c\n", ["c"]),
        ("- vertical\x0btab and\u2028separator\n", ["vertical\x0btab and\u2028separator"]),
    ],
)
def test_memories_are_found_in_a_file(file: str, expected: list[str]) -> None:
    assert [memory.text for memory in read(file.encode()).bullets] == expected


@pytest.mark.parametrize(
    ("file", "problems"),
    [
        ("<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n", [document.CONFLICT]),
        ("A heading\n=======\n- a\n", []),
        ("- a\0b\n", ["a damaged line (NUL bytes)"]),
        ("\0\0\0tail\n", ["a damaged line (NUL bytes)"]),
        ("- 2025/07/13 23:22 START\ntext\n", ["START without END"]),
        ("text\nend ##其他 #评分:8 #有效期:长期\n", ["a score or duration that belongs to no memory"]),
        ("text\nof score:8\n```\nend ##其他 #评分:8\n```\n", []),
        ("- too much #t score:15\n", ["score '15' is not a number from 0 to 10, such as 8 or 8.5"]),
    ],
)
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
