"""The monitor's directives and a review's answers: the tables of design 003, and unusual output of models."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptx_mem.core.directives import ReviewKind, directives, parse_answer, parse_directive
from tests.tables import rows

TABLE = json.loads((Path(__file__).parents[1] / "conformance/directives.json").read_text("utf-8"))
ID = "m_7k2q9x4htb"


@pytest.mark.parametrize("row", TABLE["monitor"] + rows(__file__, "directives.jsonl"), ids=lambda row: row["line"])
def test_directives_of_the_table_are_parsed(row: dict[str, Any]) -> None:
    found = parse_directive(row["line"])._asdict()
    for problem in ("error", "ignored"):
        if row.get(problem):
            row = {"op": problem}
    expected = {key: tuple(value) if key == "tags" else value for key, value in row.items() if key != "line"}
    assert {key: found[key] for key in expected} == expected
    assert bool(found["why"]) == (found["op"] in ("error", "ignored"))


@pytest.mark.parametrize(
    "row", TABLE["review"] + rows(__file__, "answers.jsonl"), ids=lambda row: f"{row['text']}-{row.get('round')}"
)
def test_answers_of_the_table_are_parsed(row: dict[str, Any]) -> None:
    review: ReviewKind = "fading" if row.get("review") == "decay" else "promotion"
    answer = parse_answer(row["text"], round=row.get("round", 1), review=review)
    assert answer.decision == row.get("decision")
    assert answer.search == row.get("search")
    assert (answer.decision is answer.search is None) == row.get("ask_again", False)


@pytest.mark.parametrize(("line", "why"), rows(__file__, "invalid_directives.jsonl"))
def test_invalid_directive_gives_a_reason(line: str, why: str) -> None:
    found = parse_directive(line)
    assert found.op == "error"
    assert why in found.why
    assert (found.id, found.text, found.tags, found.score) == (None, "", (), None)


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
