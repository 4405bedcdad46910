"""Dates as terms."""

from __future__ import annotations

import pytest

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


WEEK = [f"@2026-02-{day:02}" for day in range(16, 23)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("上周 咖啡", WEEK),
        ("上周咖啡", WEEK),
        ("last week coffee", WEEK),
        ("5天前的咖啡", ["@2026-02-24"]),
        ("coffee 5 days ago", ["@2026-02-24"]),
        ("前天", ["@2026-02-27"]),
        ("大前天", ["@2026-02-26"]),
        ("the day before yesterday", ["@2026-02-27"]),
        ("last sunday", ["@2026-02-22"]),
        ("上周日", ["@2026-02-22"]),
        ("last night", ["@2026-02-28"]),
        ("上个月的咖啡", ["@2026-02"]),
        ("last month", ["@2026-02"]),
        ("最近3个月", ["@2025-12", "@2026-01", "@2026-02", "@2026-03"]),
        ("去年 咖啡", ["@2025"]),
        ("coffee last year", ["@2025"]),
        ("last year or 2024-05-06", ["@2024-05-06", "@-05-06", "@2025"]),
        ("coffee on wednesday, this release, last coffee", []),
        ("周三 咖啡，本书，之前", []),
        ("last 99 years", []),
        ("tomorrow or next week", []),
    ],
)
def test_days_counted_from_today(text: str, expected: list[str]) -> None:
    assert days.query_terms(text, "2026-03-01") == expected
    if expected[:1] != ["@2024-05-06"]:
        assert days.query_terms(text, None) == []
