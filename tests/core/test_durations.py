"""Durations and the parsing of times."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptx_mem.core.dates import parse_date
from promptx_mem.core.directives import parse_directive
from promptx_mem.core.durations import amount_seconds, canonical, end_of, length, parse_threshold
from promptx_mem.core.pasteable import possible_token
from promptx_mem.core.syntax import parse_argument
from promptx_mem.core.times import DAY, HOUR, epoch
from promptx_mem.importers import exports
from promptx_mem.importers.form import Source
from tests.tables import rows

CHINA = timezone(timedelta(hours=8))
AT = datetime(2026, 11, 20, 22, 47, 3, tzinfo=CHINA)

durations = st.one_of(
    st.sampled_from(["短期", "中期", "长期", "永久"]),
    st.builds("{}{}".format, st.integers(1, 99_999), st.sampled_from("hdw")),
    st.dates().map(date.isoformat),
)


@pytest.mark.parametrize(("word", "expected"), rows(__file__, "durations.jsonl"))
def test_duration_words_get_a_canonical_spelling(word: str, expected: str) -> None:
    assert canonical(word) == expected


@pytest.mark.parametrize(
    "word",
    [
        "", " ", "forever", "期", "0d", "00000h", "100000d", "3", "d", "3m", "3.5d", "-3d", "+3d", "3 d", "1_0d", "3d\n", "6月", "半周", "零天", "年", "十十天", "300年", "0年", "10000years", "3  days",
        "2026-02-29", "2026-13-01", "2026-00-10", "0000-01-01", "20261231", "2026-W01-1", "2027年13月1日", "2027年2月30日", "2026-1-1", "２026-13-31",
        "2026-12-31\n", "long ", "\ud800", "长期" * 100_000,
    ],
)  # fmt: skip
def test_other_words_are_not_durations(word: str) -> None:
    assert canonical(word) is None


@given(st.text(max_size=12))
def test_canonical_never_fails_and_is_idempotent(word: str) -> None:
    known = canonical(word)
    assert known is None or canonical(known) == known


@pytest.mark.parametrize(
    ("duration", "expected"),
    [
        ("36h", AT.timestamp() + 36 * HOUR),
        ("30d", AT.timestamp() + 30 * DAY),
        ("2w", AT.timestamp() + 14 * DAY),
        ("99999w", AT.timestamp() + 99_999 * 7 * DAY),
        ("2026-12-31", datetime(2027, 1, 1, tzinfo=CHINA).timestamp()),
        ("9999-12-31", datetime(9999, 12, 31, tzinfo=CHINA).timestamp() + DAY),
        ("短期", None), ("中期", None), ("长期", None), ("永久", None), ("nonsense", None),
    ],
)  # fmt: skip
def test_end_of_a_duration_is_computed(duration: str, expected: float | None) -> None:
    assert end_of(duration, AT) == expected


def test_date_duration_ends_in_the_time_zone_of_the_memory() -> None:
    assert end_of("2026-12-31", AT) == end_of("2026-12-31", datetime(2026, 1, 1, tzinfo=UTC)) - 8 * HOUR  # type: ignore[operator]


def test_a_naive_time_is_local() -> None:
    naive = datetime(2026, 1, 1)  # noqa: DTZ001 - the point of the test
    assert end_of("2026-12-31", naive) == end_of("2026-12-31", naive.astimezone())
    assert end_of("3d", naive) == end_of("3d", naive.astimezone())
    assert epoch("2026-01-01T00:00:00") == naive.timestamp()


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("短期", "中期", "中期"), ("长期", "中期", "长期"), ("长期", "永久", "永久"),
        ("36h", "短期", "短期"), ("31d", "短期", "31d"), ("200d", "中期", "中期"), ("1000d", "长期", "1000d"),
        ("99999w", "永久", "永久"), ("3d", "80h", "80h"), ("2026-11-21", "3d", "3d"),
        ("2026-12-31", "3d", "2026-12-31"), ("2020-01-01", "1h", "1h"), ("9999-12-31", "99999d", "9999-12-31"),
    ],
)  # fmt: skip
def test_longer_duration_has_the_greater_length(a: str, b: str, expected: str) -> None:
    assert length(expected, AT) > length(b if a == expected else a, AT)


@pytest.mark.parametrize(
    "at",
    [
        "0001-12-31T23:59:59",
        "9999-01-01T00:00:00",
        "",
        "yesterday",
        "2026-13-01T00:00:00Z",
        "2026-11-20T25:00:00Z",
        "0001-01-01T00:00:00 x",
    ],
)
def test_epoch_rejects_invalid_times(at: str) -> None:
    with pytest.raises(ValueError):
        epoch(at)


SPELLINGS = {"1y": "365d", "6mo": "180d", "2w": "2w", "半年": "180d", "一年": "365d", "3个月": "90d"}


@pytest.mark.parametrize(("spelling", "duration"), SPELLINGS.items())
def test_every_input_accepts_the_duration_spellings(spelling: str, duration: str) -> None:
    assert parse_argument(f"a fact #t score:8 duration:{spelling}").duration == duration
    assert parse_argument(f"一条事实 #t 评分：8 有效期：{spelling}").duration == duration
    assert parse_directive(f"[ADD] a fact #t score:8 duration:{spelling}").duration == duration
    seconds = amount_seconds(duration)
    assert seconds is not None
    assert parse_date(spelling, AT).since == AT.timestamp() - seconds
    assert parse_threshold(spelling) == seconds
    assert exports.read_table(Source("a.csv", f"text,duration\na fact,{spelling}\n")).items[0].duration == duration


@pytest.mark.parametrize("text", ["合同期 一年 #x score:8", "续约 半年 #x score:8"])
def test_duration_word_without_a_key_stays_in_the_text(text: str) -> None:
    assert parse_argument(text).duration is None
    assert possible_token(parse_argument(text)) == ""
    word = text.split()[1]
    assert parse_date(word, AT) == parse_date(canonical(word) or "", AT)
