"""Dates as terms."""

from __future__ import annotations

import pytest

from promptx_mem.search import days
from tests.tables import rows


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on 8 may 2023", ["@2023-05-08", "@-05-08"]),
        ("may 9th, 2023", ["@2023-05-09", "@-05-09"]),
        ("the 2nd of june", ["@-06-02"]),
        ("2026/05/01 22:47", ["@2026-05-01", "@-05-01"]),
        ("2023年5月8日", ["@2023-05-08", "@-05-08"]),
        ("5月1号见", ["@-05-01"]),
        ("5月", []),
        ("june 2022", []),
        ("version 1.2.3, 10:30", []),
        ("13月45日", []),
        ("2023-45-99", []),
        ("i may go", []),
    ],
)
def test_dates_of_a_text(text: str, expected: list[str]) -> None:
    assert days.text_terms(text) == expected


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("on 8 May 2023 we met", ["8 may 2023"]),
        ("2026年11月3日签了什么", ["2026年11月3日"]),
        ("coffee yesterday", ["yesterday"]),
        ("in May 2023", []),
        ("十月十日是什么日子", []),
        ("nothing", []),
    ],
)
def test_where_a_day_is_named(text: str, named: list[str]) -> None:
    _, spans = days.query_dates(text.lower(), "2026-11-20")
    assert [text.lower()[slice(*span)] for span in spans] == named


@pytest.mark.parametrize(
    ("text", "expected"),
    rows(__file__, "days.jsonl"),
)
def test_days_counted_from_today(text: str, expected: list[str]) -> None:
    assert days.query_terms(text, "2026-03-01") == expected
    if expected[:1] != ["@2024-05-06"]:
        assert days.query_terms(text, None) == []
