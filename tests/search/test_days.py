"""Dates as terms."""

from __future__ import annotations

import pytest

from promptx_mem.search import days
from promptx_mem.search.query_days import query_dates
from tests.tables import rows


@pytest.mark.parametrize(("text", "expected"), rows(__file__, "dates.jsonl"))
def test_dates_in_a_text_become_terms(text: str, expected: list[str]) -> None:
    assert days.text_terms(text) == expected


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("on 8 May 2023 we met", ["8 may 2023"]), ("2026年11月3日签了什么", ["2026年11月3日"]),
        ("coffee yesterday", ["yesterday"]), ("in May 2023", ["may 2023"]), ("十月十日是什么日子", []), ("demo in October", ["october"]), ("figures of May", []),
    ],
)  # fmt: skip
def test_dates_named_in_a_query_are_located(text: str, named: list[str]) -> None:
    _, spans = query_dates(text.lower(), "2026-11-20")
    assert [text.lower()[slice(*span)] for span in spans] == named


@pytest.mark.parametrize(("text", "expected"), rows(__file__, "days.jsonl"))
def test_dates_in_a_query_are_relative_to_today(text: str, expected: list[str]) -> None:
    assert list(query_dates(text, "2026-03-01")[0]) == expected
    if expected[:1] != ["@2024-05-06"]:
        assert not query_dates(text, None)[0]
