"""Date cues: every accepted form against a fixed now, the zone's clocks, dates inside sentences."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptx_mem.core.dates import find_dates, parse_date_cue, parse_since, parse_until

SHANGHAI = ZoneInfo("Asia/Shanghai")
NEW_YORK = ZoneInfo("America/New_York")
NOW = datetime(2026, 11, 21, 15, 30, tzinfo=SHANGHAI)  # a Saturday

DAYS = [row.split("|") for row in (Path(__file__).parent / "rows/days.txt").read_text("utf-8").splitlines()]
"""A text, the first day, the first day after it."""

# text -> seconds before NOW; these span from then on
BACK = [
    ("7d", 7 * 86400),
    ("36h", 36 * 3600),
    ("2W", 14 * 86400),
    ("2 weeks", 14 * 86400),
    ("3 days", 3 * 86400),
    ("1 hour", 3600),
    ("now", 0),
    ("现在", 0),
    ("last 7 days", 7 * 86400),
    ("past two hours", 7200),
    ("past week", 7 * 86400),
    ("最近三天", 3 * 86400),
    ("过去的24小时", 86400),
    ("最近半小时", 1800),
    ("past month", 31 * 86400),
    ("最近半年", 184 * 86400),
]

# text -> the moment, and how many seconds the cue spans
MOMENTS = [
    ("2026-01-03 18:00", "2026-01-03T18:00:00+08:00", 60),
    ("2026/01/03 8:05", "2026-01-03T08:05:00+08:00", 60),
    ("2026年1月3日 18:00", "2026-01-03T18:00:00+08:00", 60),
    ("2026年1月3日 18：00", "2026-01-03T18:00:00+08:00", 60),
    ("2026-01-03T18:00:00+08:00", "2026-01-03T18:00:00+08:00", 1),
    ("2026-01-03T18:00:00-0530", "2026-01-03T18:00:00-05:30", 1),
    ("2026-01-03T10:00Z", "2026-01-03T10:00:00+00:00", 60),
    ("2026-01-03t10:00:00.25z", "2026-01-03T10:00:00.250000+00:00", 1),
    ("2026-01-03 10:00:00.123456789", "2026-01-03T10:00:00.123456+08:00", 1),
]

WRONG = [
    "", " ", "foo", "2026-13-45", "2026-02-30", "2026-00-01", "0000-01-01", "0000", "9999", "9999-12-31", "9999年",
    "2月30日", "13月", "0月", "2026-01-03 25:00", "2026-01-03 24:00", "2026-01-03T10:00:60Z", "2026-01 10:00",
    "2026-01-03T10:00+99:00", "9999 years ago", "9999年前", "三四天前", "十十天前", "0d", "7", "7x", "100000d",
    "last", "ago", "3 ago", "yesterday evening or so", "2026-01-03 2026-01-04", "2026-1/3", "01/03/2026",
    "2023-02-29", "feb 30", "May 32", "半周前", "-7d", "1e3d", "٣ days ago",
]  # fmt: skip


def day(text: str, zone: tzinfo = SHANGHAI) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone)


def test_days() -> None:
    for text, first, after in DAYS:
        assert parse_date_cue(text, NOW) == (day(first), day(after)), text
        assert parse_since(text, NOW) == day(first).timestamp(), text
        assert parse_until(text, NOW) == day(after).timestamp(), text


@pytest.mark.parametrize(("text", "seconds"), BACK)
def test_back_from_now(text: str, seconds: int) -> None:
    start, end = parse_date_cue(text, NOW)
    assert (start, end) == (NOW - timedelta(seconds=seconds), day("2026-11-22"))
    assert parse_since(text, NOW) == parse_until(text, NOW) == start.timestamp()


@pytest.mark.parametrize(("text", "moment", "seconds"), MOMENTS)
def test_moments(text: str, moment: str, seconds: int) -> None:
    start, end = parse_date_cue(text, NOW)
    assert start.isoformat() == moment
    assert end - start == timedelta(seconds=seconds)
    assert parse_since(text, NOW) == parse_until(text, NOW) == start.timestamp()


@pytest.mark.parametrize(("text", "minutes", "half"), [("3 hours ago", 180, 30), ("10分钟前", 10, 0.5)])
def test_hours_and_minutes_ago_are_about_then(text: str, minutes: float, half: float) -> None:
    then = NOW - timedelta(minutes=minutes)
    assert parse_date_cue(text, NOW) == (then - timedelta(minutes=half), then + timedelta(minutes=half))
    assert parse_since(text, NOW) == parse_until(text, NOW) == then.timestamp()


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_date_is_named_with_the_forms(text: str) -> None:
    for parse in (parse_date_cue, parse_since, parse_until):
        with pytest.raises(ValueError, match=re.escape(repr(text))) as caught:
            parse(text, NOW)
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
def test_days_are_as_long_as_the_zone_makes_them(text: str, now: datetime, hours: int) -> None:
    assert parse_until(text, now) - parse_since(text, now) == hours * 3600


def test_amounts_are_elapsed_time_over_a_change_of_the_clocks() -> None:
    now = datetime(2026, 3, 8, 12, tzinfo=NEW_YORK)
    assert parse_since("1d", now) == now.timestamp() - 86400
    assert parse_date_cue("1d", now)[0].isoformat() == "2026-03-07T11:00:00-05:00"


def test_days_follow_the_zone_of_now() -> None:
    late = datetime(2026, 11, 21, 20, tzinfo=UTC)
    assert parse_date_cue("today", late)[0].date().day == 21
    assert parse_date_cue("today", late.astimezone(SHANGHAI))[0].date().day == 22


@pytest.mark.parametrize(
    ("now", "text", "first"),
    [
        ("2026-11-16", "周末", "2026-11-14"),
        ("2026-11-15", "周末", "2026-11-14"),
        ("2026-11-16", "monday", "2026-11-16"),
        ("2026-11-16", "last monday", "2026-11-09"),
        ("2026-11-15", "本周", "2026-11-09"),
        ("2026-01-01", "上个月", "2025-12-01"),
        ("2026-03-31", "1个月前", "2026-02-01"),
        ("2104-02-28", "2月29日", "2096-02-29"),
        ("2028-02-29", "2月29日", "2028-02-29"),
    ],
)
def test_edges_of_the_calendar(now: str, text: str, first: str) -> None:
    assert parse_date_cue(text, day(now))[0] == day(first)


def found(text: str, now: datetime = NOW) -> tuple[list[str], list[str]]:
    mentions, wrong = find_dates(text, now)
    return [text[slice(*mention.span)] for mention in mentions], wrong


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("上周我们聊了什么", ["上周"]),
        ("what did I say 3 days ago about tea", ["3 days ago"]),
        ("我在2026-01-03说过", ["2026-01-03"]),
        ("昨天和前天的会", ["昨天", "前天"]),
        ("前天天气怎样", ["前天"]),
        ("1月3日前", ["1月3日"]),
        ("上周三次会议", ["上周"]),
        ("May 3, 2025 and 3 March.", ["May 3, 2025", "3 March"]),
        ("从2026-01-03T18:00:00+08:00到2026-01-05", ["2026-01-03T18:00:00+08:00", "2026-01-05"]),
        ("2026年3月5个人", ["2026年3月"]),
        ("LAST WEEK!", ["LAST WEEK"]),
        ("在last week说的", ["last week"]),
        ("三个半小时前", []),
        ("以前天天喝茶，目前日本周边也好", []),
        ("以上周期 一周三次 每周三 五月天 天上月亮 周年", []),
        ("this may be 2026 or 7d or 1.5", []),
        ("v2026-01-03-rc notes/2026-01-03.md 2026-123456 1234-05-06", []),
        ("tomorrow, 明天, 下周, 2100-01-01", []),
        ("", []),
    ],
)
def test_dates_in_a_sentence(text: str, dates: list[str]) -> None:
    assert found(text) == (dates, [])


def test_wrong_dates_are_reported_in_order_and_hide_nothing() -> None:
    text = "三四天前, 2026-13-45, yesterday, 2月30日"
    assert found(text) == (["yesterday"], ["三四天前", "2026-13-45", "2月30日"])


NUMBERS = ["2026", "1", "13", "99", "T18:00", "Z", "+08:00", "-", "/", ",", ".", "三", "半", "百", "十"]
CHINESE = ["年", "月", "日", "号", "上", "个", "周", "天", "前", "去", "最近"]
ENGLISH = ["last", "may", "days", "ago", "in", "march", "th", "monday"]
WORDS = st.sampled_from(NUMBERS + CHINESE + ENGLISH)


@given(st.lists(WORDS, max_size=12), st.sampled_from(["", " "]))
def test_any_text_is_read_or_refused(words: list[str], between: str) -> None:
    text = between.join(words)
    end = 0
    for mention in find_dates(text, NOW)[0]:
        assert mention.span[0] >= end
        end = mention.span[1]
        assert mention.start.timestamp() < mention.end.timestamp()
        assert mention.start.timestamp() <= NOW.timestamp()
    try:
        start, after = parse_date_cue(text, NOW)
    except ValueError:
        return
    assert start.timestamp() < after.timestamp()
