"""Times as the cache keeps them come back as they were."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptx_mem.core.times import epoch
from promptx_mem.search import criteria, tables

ZONES = st.integers(-23 * 60, 23 * 60).map(lambda minutes: datetime.timezone(datetime.timedelta(minutes=minutes)))
MOMENTS = st.datetimes(datetime.datetime(1971, 1, 1), datetime.datetime(9998, 1, 1), timezones=ZONES)  # noqa: DTZ001 - the zones are drawn


@given(MOMENTS, st.sampled_from(["seconds", "milliseconds"]), st.floats(0, 2))
def test_a_time_comes_back(moment: datetime.datetime, precise: str, later: float) -> None:
    at = moment.isoformat(timespec=precise)
    first_at = epoch(at) + round(later)
    kept, zone = tables.pack_time(at, first_at)
    assert criteria.unpack_time(kept or None, zone if isinstance(zone, int) else None, first_at) == at


def test_a_plain_time_takes_no_room() -> None:
    at = "2026-11-20T22:47:03+08:00"
    assert tables.pack_time(at, epoch(at)) == ("", 480)


@pytest.mark.parametrize("at", ["", "2026-11-20", "2026-11-20T22:47:03Z", "2026-11-20T22:47:03-00:00", "x" * 25])
def test_what_is_written_otherwise_stays(at: str) -> None:
    assert tables.pack_time(at, 1.0) == (at, "")
