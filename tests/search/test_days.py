"""Dates as terms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptx_mem.search import days


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
    ("text", "expected"),
    [
        ("what happened in june 2022", ["@2022-06"]),
        ("in august", ["@-08"]),
        ("in 2021", ["@2021"]),
        ("5月1号", ["@-05-01"]),
        ("十二月二十五日", ["@-12-25"]),
        ("五月", ["@-05"]),
        ("8 may 2023 and 2024", ["@2023-05-08", "@2024"]),
        ("may i ask", []),
    ],
)
def test_dates_of_a_query_are_the_most_exact(text: str, expected: list[str]) -> None:
    assert days.query_terms(text, None) == expected


def test_relative_days_need_today() -> None:
    assert days.query_terms("昨天 yesterday", "2026-03-01") == ["@2026-02-28", "@2026-02-28"]
    assert days.query_terms("昨天", None) == []


def test_terms_of_a_memorys_day() -> None:
    assert days.day_terms("2023-05-08") == ("@2023-05-08", "@-05-08", "@2023-05", "@-05", "@2023")
    assert days.day_terms(None) == days.day_terms("soon") == ()


@given(st.text(alphabet="0123456789年月日-/. maymarch十一", max_size=60))
def test_no_text_is_an_error(text: str) -> None:
    days.text_terms(text)
    days.query_terms(text, "2026-01-01")
