"""The monitor's directives and a review's answers: the tables of design 003, and unusual output of models."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptx_mem.core.directives import Answer, Directive, ReviewKind, directives, parse_answer, parse_directive
from tests.tables import rows

TABLE = json.loads((Path(__file__).parents[1] / "conformance/directives.json").read_text("utf-8"))
ID = "m_7k2q9x4htb"


@pytest.mark.parametrize("row", TABLE["monitor"], ids=lambda row: row["line"])
def test_directives_of_the_table_are_parsed(row: dict[str, Any]) -> None:
    found = parse_directive(row["line"])._asdict()
    for problem in ("error", "ignored"):
        if row.get(problem):
            row = {"op": problem}
    expected = {key: tuple(value) if key == "tags" else value for key, value in row.items() if key != "line"}
    assert {key: found[key] for key in expected} == expected
    assert bool(found["why"]) == (found["op"] in ("error", "ignored"))


@pytest.mark.parametrize("row", TABLE["review"], ids=lambda row: f"{row['text']}-{row.get('round')}")
def test_answers_of_the_table_are_parsed(row: dict[str, Any]) -> None:
    review: ReviewKind = "fading" if row.get("review") == "decay" else "promotion"
    answer = parse_answer(row["text"], round=row.get("round", 1), review=review)
    assert answer.decision == row.get("decision")
    assert answer.search == row.get("search")
    assert (answer.decision is answer.search is None) == row.get("ask_again", False)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("[add] x", Directive("add", None, "x", ("其他",), 7.0, "短期")),
        ("[ADD] x #a #b score:9 duration:短期", Directive("add", None, "x", ("a", "b"), 9.0, "短期")),
        ("[ADD] x score:0", Directive("add", None, "x", ("其他",), 0.0)),
        ("[ADD] #123 在句中", Directive("add", None, "#123 在句中", ("其他",), 7.0, "短期")),
        ("[ADD]客户叫赵总\u3000＃客户\u3000评分：8。", Directive("add", None, "客户叫赵总", ("客户",), 8.0)),
        (f"[UPDATE：{ID}] 新，#a；", Directive("update", ID, "新", ("a",))),
        (f"[UPDATE: {ID} ] x score:8", Directive("update", ID, "x", (), 8.0)),
        (f"[BOOST:{ID}] it shaped the reply", Directive("boost", ID, "it shaped the reply")),
        (f"[Delete:{ID}] 过时", Directive("delete", ID, "过时")),
        ("[SKIP] 没有", Directive("skip", None, "没有")),
        ("[2026-01-03] 聊了面试", Directive("ignored", why="no directive")),
        ("[note] x", Directive("ignored", why="no directive")),
        ("[ADD][core] x", Directive("add", None, "x", ("其他",), 7.0, category="core")),
        ("[ADD] [FACT] x score:8", Directive("add", None, "x", ("其他",), 8.0)),
        ("I would add that it is fine", Directive("ignored", why="no directive")),
        ("  \t", Directive("ignored", why="empty line")),
    ],
)
def test_directives_in_other_spellings_are_parsed(line: str, expected: Directive) -> None:
    assert parse_directive(line) == expected


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("[ADD] #tag score:8", "needs a text"),
        ("[ADD:m_x] text", "cannot have an id"),
        ("[SKIP:m_x]", "cannot have an id"),
        ("[BOOST]", "needs a memory's id"),
        ("[DELETE: ]", "needs a memory's id"),
        ("[DELETE:m_a m_b]", "needs a memory's id"),
        ("[UPDATE:[m_a] x", "needs a memory's id"),
        ("说 [ADD] x", "must be at the beginning of the line"),
        ("[ADD x", "must be at the beginning of the line"),
        ("ADD: x", "must be at the beginning of the line"),
        ("[add m_x] x", "must be at the beginning of the line"),
        ("[EXEC:m_a] rm", "[EXEC] is not a directive"),
        (f"[{'X' * 900}]", f"[{'X' * 20}] is not a directive"),
        ("[ADD] x score:11", "11"),
        ("[ADD] x score:8 score:9", "twice"),
        ("[ADD] x duration:soon", "soon"),
    ],
)
def test_invalid_directive_gives_a_reason(line: str, why: str) -> None:
    found = parse_directive(line)
    assert found.op == "error"
    assert why in found.why
    assert (found.id, found.text, found.tags, found.score) == (None, "", (), None)


@pytest.mark.parametrize(
    ("text", "round_", "review", "expected"),
    [
        ("[keep]", 1, "fading", Answer("keep")),
        ("[KEEP] and again [KEEP]", 1, "promotion", Answer("keep")),
        ("[PROMOTE] or [KEEP]", 1, "fading", Answer("keep")),
        ("[DELETE]", 1, "fading", Answer("delete")),
        ("[PROMOTE] or [DELETE]", 3, "fading", Answer("delete")),
        ("[提升]", 1, "promotion", Answer("promote")),
        ("[保留]，不要 [删除]？还是 [保留]", 1, "fading", Answer("keep")),
        ("[删除]", 3, "fading", Answer("delete")),
        ("", 1, "promotion", Answer()),
        ("", 2, "fading", Answer()),
        ("", 3, "fading", Answer("keep")),
        ("[SEARCH：猫 狗]", 2, "fading", Answer(search="猫 狗")),
        ("[SEARCH:a] [SEARCH:b]", 1, "fading", Answer(search="a")),
        ("[SEARCH: ] [SEARCH:b]", 1, "fading", Answer(search="b")),
        ("[SEARCH: ] [DELETE]", 1, "fading", Answer("delete")),
        ("[SEARCH:] [DELETE]", 1, "fading", Answer("delete")),
        ("[SEARCH:a]", 3, "fading", Answer("keep")),
        ("PROMOTE it", 3, "promotion", Answer("keep")),
        ('the memory says "[DELETE]", so [PROMOTE]', 3, "promotion", Answer("promote")),
    ],
)  # fmt: skip
def test_answer_gives_a_decision_a_search_or_a_reason(
    text: str, round_: int, review: ReviewKind, expected: Answer
) -> None:
    assert parse_answer(text, round=round_, review=review) == expected


PIECES = st.lists(st.sampled_from(["[KEEP]", "[DELETE]", "[PROMOTE]", "[SEARCH:x]", "[", "]", "prose", "\n"]))


@given(PIECES, st.sampled_from(["promotion", "fading"]))
def test_round_three_always_decides(pieces: list[str], review: ReviewKind) -> None:
    assert parse_answer("".join(pieces), round=3, review=review).decision is not None


@given(PIECES, st.integers(1, 3))
def test_a_fading_review_is_never_promoted(pieces: list[str], round_: int) -> None:
    assert parse_answer("".join(pieces), round=round_, review="fading").decision != "promote"


@given(st.text(), st.sampled_from(["", "[ADD]", "[UPDATE:m_a]", "[DELETE:", "[ADD] x score:", "[X]"]))
def test_any_line_is_parsed(text: str, start: str) -> None:
    found = parse_directive(start + text)
    assert bool(found.why) == (found.op in ("error", "ignored"))
    assert (found.op in ("update", "boost", "delete")) == (found.id is not None)
    if found.op == "add":
        assert found.text
        assert found.tags
        assert found.score is not None


@pytest.mark.parametrize(("line", "expected"), rows(__file__, "model_lines.jsonl"))
def test_directives_are_found_in_output_of_models(line: str, expected: list[str]) -> None:
    assert directives(line) == expected
