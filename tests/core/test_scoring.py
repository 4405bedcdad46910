"""Scores, dimensions, formulas and the verdict: the table scoring.json, and properties."""

import json
import re
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptx_mem.core.entry import DIMENSIONS
from promptx_mem.core.request import verdict
from promptx_mem.core.scoring import evaluate, parse_dims
from promptx_mem.core.syntax import parse_score
from promptx_mem.data import word_lists
from tests.tables import rows

TABLE: dict[str, Any] = json.loads((Path(__file__).parents[1] / "conformance/scoring.json").read_text("utf-8"))

tenths = st.integers(0, 100).map(lambda n: n / 10)


@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: str(case["dims"]))
def test_score_is_computed_from_dimensions(case: dict[str, Any]) -> None:
    dims = case["dims"]
    assert evaluate(dims, "execution").score == case["execution"]
    assert evaluate(dims, "declarative").score == case["declarative"]
    assert evaluate(dims, "declarative", explicit=True).score == case["declarative_explicit"]
    assert parse_dims(",".join(map(str, dims))) == tuple(dims)


@pytest.mark.parametrize("case", TABLE["sub_questions"])
def test_answers_to_sub_questions_give_dimensions(case: dict[str, Any]) -> None:
    assert parse_dims(case["given"]) == tuple(case["dims"])


@pytest.mark.parametrize("text", TABLE["bad"])
def test_invalid_dimensions_are_rejected(text: str) -> None:
    with pytest.raises(ValueError):
        parse_dims(text)


@pytest.mark.parametrize("row", TABLE["verdict"], ids=str)
def test_verdict_depends_on_score_and_policy(row: dict[str, Any]) -> None:
    said = verdict(row["score"], policy=row["policy"], explicit=row.get("explicit", False))
    expected = {key: value for key, value in row.items() if key not in ("score", "policy", "explicit")}
    assert {key: getattr(said, key) for key in expected} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", 0.0), ("10", 10.0), ("10.0", 10.0), ("10.000", 10.0), ("8.55", 8.6), ("8.54999999999999999999", 8.5),
        ("8.45", 8.5), ("0.05", 0.1), ("0.04", 0.0), ("9.95", 10.0), ("9.94", 9.9), ("7.5", 7.5), (" 9 ", 9.0), ("09", 9.0),
        ("2.675", 2.7), ("1." + "0" * 5000 + "1", 1.0), ("8分", 8.0), ("十", 10.0),
    ],
)  # fmt: skip
def test_score_is_parsed_and_rounded(text: str, expected: float) -> None:
    assert parse_score(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "", " ", ".", "8.", ".5", "-1", "+8", "10.01", "10.0000001", "11", "100", "nan", "inf", "NaN", "1e1", "1_0", "8,5",
        "٣", "8.5.1", "0x8", "eight", "8 5", "8\x00", "\ud800", "9" * 10_000, "8/10",
    ],
)  # fmt: skip
def test_invalid_score_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match="is not a number from 0 to 10") as raised:
        parse_score(text)
    assert len(str(raised.value)) < 400
    assert str(raised.value).isprintable()


@given(st.decimals(0, 10, places=4))
def test_parse_score_rounds_half_up(value: Decimal) -> None:
    assert parse_score(f"{value:f}") == float(value.quantize(Decimal("0.1"), ROUND_HALF_UP))


@given(st.lists(st.one_of(tenths, st.tuples(tenths, tenths, tenths)), min_size=6, max_size=6))
def test_evaluation_is_exact_decimal_arithmetic(answers: list[Any]) -> None:
    answers = [a if i < 4 or isinstance(a, float) else a[0] for i, a in enumerate(answers)]
    text = ",".join("/".join(map(str, a)) if isinstance(a, tuple) else str(a) for a in answers)
    exact = []
    for index, answer in enumerate(answers):
        values = [Fraction(str(a)) for a in (answer if isinstance(answer, tuple) else (answer,))]
        if index == 1 and len(values) == 3:
            values[1] = 10 - values[1]
        exact.append(sum(values) / len(values))
    for profile, weights, divisor in (
        ("execution", "3 1 2 2 1 1", Fraction(1)),
        ("declarative", "5 4 5 3 2 3", Fraction("2.2")),
    ):
        total = sum(Fraction(int(w), 10) * v for w, v in zip(weights.split(), exact, strict=True)) / divisor
        expected = float(Fraction(int(total * 20 + 1) // 2, 10))
        evaluation = evaluate(parse_dims(text), profile)
        assert evaluation.score == expected
        assert sum(t.product for t in evaluation.terms) / evaluation.divisor == pytest.approx(float(total))


@pytest.mark.parametrize(
    "text",
    [
        "importance=9，novelty=7，relevance＝9，credibility：8，granularity=8，timeliness=9",
        "Timeliness=9, granularity=8,credibility=8,relevance=9,novelty=7,IMPORTANCE=9",
        " 9 , 7 , 9 , 8 , 8 , 9 ",
        "8/9/10，7/3/7,9／9/9,8,8,9",
    ],
)
def test_other_spellings_of_dimensions_are_parsed(text: str) -> None:
    assert parse_dims(text) == (9, 7, 9, 8, 8, 9)


@pytest.mark.parametrize(("text", "message"), rows(__file__, "wrong_dimensions.jsonl"))
def test_error_in_dimensions_names_the_problem(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_dims(text)


def test_explicit_request_without_a_score_gets_eight() -> None:
    assert verdict(3.0).final_score == 3.0
    assert verdict(None, explicit=True).final_score == 8.0
    assert verdict(9.9, explicit=True).final_score == 9.9


@given(tenths, st.sampled_from([-0.5, 0.0, 0.5, 1.0]), st.sampled_from(["standard", "strict"]))
def test_adjustment_moves_both_thresholds(score: float, adjustment: float, policy: str) -> None:
    said = verdict(score, policy=policy, adjustment=adjustment)
    assert said.thresholds == (7 + adjustment, 5 + adjustment)
    assert said.violation == (score < 5 + adjustment)
    assert said.stored == (score >= (7 if policy == "strict" else 5) + adjustment)
    assert said.warned == (said.stored and score < 7 + adjustment)
    assert verdict(score, policy=policy, adjustment=adjustment, explicit=True).stored


def test_score_guide_asks_for_the_six_dimensions() -> None:
    guide = {heading: lines.splitlines() for heading, lines in word_lists("usecases/score_guide.txt").items()}
    asked = {found[1]: lines for heading, lines in guide.items() if (found := re.match(r"\S+ \((\w+)\)", heading))}
    assert tuple(asked) == DIMENSIONS
    assert [len(lines) for lines in asked.values()] == [3, 3, 3, 3, 1, 1]
    turned = [(name, i) for name, lines in asked.items() for i, line in enumerate(lines) if "(reversed" in line]
    assert turned == [("novelty", 1)]
    assert len(guide["guidelines"]) == 10


@given(st.text(alphabet="0123456789.,=/:，importancenovelty \x00\ud800", max_size=80))
def test_dimensions_are_six_numbers_or_an_error(text: str) -> None:
    try:
        dims = parse_dims(text)
    except ValueError:
        return
    assert len(dims) == 6
    assert all(0 <= value <= 10 for value in dims)
