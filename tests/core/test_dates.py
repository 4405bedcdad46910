"""Date cues: every accepted format at a fixed time, clock changes, dates inside sentences."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptx_mem.core.dates import find_dates, parse_date
from tests.tables import rows

SHANGHAI = ZoneInfo("Asia/Shanghai")
NEW_YORK = ZoneInfo("America/New_York")
NOW = datetime(2026, 11, 21, 15, 30, tzinfo=SHANGHAI)  # a Saturday

DAYS = [row.split("|") for row in (Path(__file__).parent / "rows/days.txt").read_text("utf-8").splitlines()]
"""A text, the first day, the first day after it."""

# text -> seconds before NOW; the cue covers the time since
AMOUNTS = rows(__file__, "back.jsonl")

# text -> the time, and the seconds that the cue covers
TIMES = rows(__file__, "moments.jsonl")

WRONG = [
    "", " ", "foo", "2026-13-45", "2026-02-30", "2026-00-01", "0000-01-01", "0000", "9999", "9999-12-31", "9999年",
    "2月30日", "13月", "0月", "2026-01-03 25:00", "2026-01-03 24:00", "2026-01-03T10:00:60Z", "2026-01 10:00",
    "2026-01-03T10:00+99:00", "9999 years ago", "9999年前", "三四天前", "十十天前", "0d", "7", "7x", "100000d",
    "last", "ago", "3 ago", "yesterday evening or so", "2026-01-03 2026-01-04", "2026-1/3", "01/03/2026",
    "2023-02-29", "feb 30", "2026-01-00", "0 May 2026", "2026年1月0日", "May 32", "半周前", "-7d", "1e3d", "٣ days ago",
]  # fmt: skip


def day(text: str, zone: tzinfo = SHANGHAI) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone)


def test_day_cues_are_parsed() -> None:
    for text, first, after in DAYS:
        found = parse_date(text, NOW)
        assert found[:2] == (day(first), day(after)), text
        assert (found.since, found.until) == (day(first).timestamp(), day(after).timestamp()), text


@pytest.mark.parametrize(("text", "seconds"), AMOUNTS)
def test_amounts_count_back_from_now(text: str, seconds: int) -> None:
    found = parse_date(text, NOW)
    assert found[:2] == (NOW - timedelta(seconds=seconds), day("2026-11-22"))
    assert found.since == found.until == found.start.timestamp()


@pytest.mark.parametrize(("text", "moment", "seconds"), TIMES)
def test_exact_times_are_parsed(text: str, moment: str, seconds: int) -> None:
    found = parse_date(text, NOW)
    assert found.start.isoformat() == moment
    assert found.end - found.start == timedelta(seconds=seconds)
    assert found.since == found.until == found.start.timestamp()


@pytest.mark.parametrize(("text", "minutes", "half"), [("3 hours ago", 180, 30), ("10分钟前", 10, 0.5)])
def test_hours_and_minutes_ago_cover_a_range_around_that_time(text: str, minutes: float, half: float) -> None:
    then = NOW - timedelta(minutes=minutes)
    found = parse_date(text, NOW)
    assert found[:2] == (then - timedelta(minutes=half), then + timedelta(minutes=half))
    assert found.since == found.until == then.timestamp()


@pytest.mark.parametrize("text", WRONG)
def test_invalid_date_error_shows_the_text_and_accepted_formats(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(repr(text))) as caught:
        parse_date(text, NOW)
    assert "2026-01-03" in str(caught.value)
    assert "3 days ago" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "now", "hours"),
    [
        ("today", datetime(2026, 3, 8, 12, tzinfo=NEW_YORK), 23),
        ("yesterday", datetime(2026, 11, 2, 12, tzinfo=NEW_YORK), 25),
        ("this week", datetime(2026, 3, 8, 12, tzinfo=NEW_YORK), 7 * 24 - 1),
        ("2026-11", datetime(2026, 12, 2, 12, tzinfo=NEW_YORK), 30 * 24 + 1),
        ("2018-11-04", datetime(2018, 11, 5, tzinfo=ZoneInfo("America/Sao_Paulo")), 23),  # no midnight
        ("today", datetime(2026, 3, 8, 12, tzinfo=timezone(timedelta(hours=-5))), 24),
    ],
)
def test_length_of_a_day_follows_clock_changes(text: str, now: datetime, hours: int) -> None:
    assert parse_date(text, now).until - parse_date(text, now).since == hours * 3600


def test_amounts_are_elapsed_time_across_clock_changes() -> None:
    now = datetime(2026, 3, 8, 12, tzinfo=NEW_YORK)
    assert parse_date("1d", now).since == now.timestamp() - 86400
    assert parse_date("1d", now).start.isoformat() == "2026-03-07T11:00:00-05:00"


def test_days_use_the_time_zone_of_now() -> None:
    late = datetime(2026, 11, 21, 20, tzinfo=UTC)
    assert parse_date("today", late).start.date().day == 21
    assert parse_date("today", late.astimezone(SHANGHAI)).start.date().day == 22


@pytest.mark.parametrize(
    ("now", "text", "first"),
    [
        ("2026-11-16", "周末", "2026-11-14"), ("2026-11-15", "周末", "2026-11-14"), ("2026-11-16", "monday", "2026-11-16"),
        ("2026-11-16", "last monday", "2026-11-09"), ("2026-11-15", "本周", "2026-11-09"),
        ("2026-01-01", "上个月", "2025-12-01"), ("2026-03-31", "1个月前", "2026-02-01"),
        ("2104-02-28", "2月29日", "2096-02-29"), ("2028-02-29", "2月29日", "2028-02-29"),
    ],
)  # fmt: skip
def test_cues_at_calendar_edges_are_parsed(now: str, text: str, first: str) -> None:
    assert parse_date(text, day(now)).start == day(first)


def found(text: str, now: datetime = NOW) -> tuple[list[str], list[str]]:
    mentions, wrong = find_dates(text, now)
    return [text[slice(*mention.span)] for mention in mentions], wrong


@pytest.mark.parametrize(("text", "dates"), rows(__file__, "sentences.jsonl"))
def test_dates_in_a_sentence_are_found(text: str, dates: list[str]) -> None:
    assert found(text) == (dates, [])


def test_invalid_dates_are_reported_in_order_and_hide_no_valid_date() -> None:
    text = "三四天前, 2026-13-45, yesterday, 2月30日"
    assert found(text) == (["yesterday"], ["三四天前", "2026-13-45", "2月30日"])


NUMBERS = ["2026", "1", "13", "99", "T18:00", "Z", "+08:00", "-", "/", ",", ".", "三", "半", "百", "十"]
CHINESE = ["年", "月", "日", "号", "上", "个", "周", "天", "前", "去", "最近"]
ENGLISH = ["last", "may", "days", "ago", "in", "march", "th", "monday"]
WORDS = st.sampled_from(NUMBERS + CHINESE + ENGLISH)


@given(st.lists(WORDS, max_size=12), st.sampled_from(["", " "]))
def test_any_text_is_parsed_or_rejected(words: list[str], between: str) -> None:
    text = between.join(words)
    end = 0
    for mention in find_dates(text, NOW)[0]:
        assert mention.span[0] >= end
        end = mention.span[1]
        assert mention.start.timestamp() < mention.end.timestamp()
        assert mention.start.timestamp() <= NOW.timestamp()
    try:
        start, after, _ = parse_date(text, NOW)
    except ValueError:
        return
    assert start.timestamp() < after.timestamp()
