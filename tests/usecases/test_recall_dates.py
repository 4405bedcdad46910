"""The caller's own zone: what the system says, which must be what the tables of zones say."""

import datetime
import time
import zoneinfo
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.inside import zoned

ZONES = ["UTC", "Asia/Shanghai", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe"]
days = st.dates(datetime.date(1971, 1, 1), datetime.date(2037, 12, 31))


@pytest.fixture(params=ZONES)
def zone(request: pytest.FixtureRequest) -> Iterator[zoneinfo.ZoneInfo]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", request.param)
        time.tzset()
        yield zoneinfo.ZoneInfo(request.param)
    time.tzset()


def test_a_day_begins_when_the_zone_says(zone: zoneinfo.ZoneInfo) -> None:
    here = zoned(datetime.datetime.now(zone)).tzinfo

    @given(days, st.integers(0, 86_399))
    def holds(day: datetime.date, second: int) -> None:
        begins = datetime.datetime.combine(day, datetime.time())
        assert begins.replace(tzinfo=here).timestamp() == begins.replace(tzinfo=zone).timestamp()
        moment = begins.replace(tzinfo=datetime.UTC) + datetime.timedelta(seconds=second)
        assert moment.astimezone(here).replace(tzinfo=None) == moment.astimezone(zone).replace(tzinfo=None)

    holds()


def test_a_zone_without_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "XYZ-8ABC,M3.2.0,M11.1.0")
    time.tzset()
    summer = datetime.datetime(2026, 7, 1, tzinfo=datetime.UTC).astimezone()
    here = zoned(summer).tzinfo
    assert datetime.datetime(2026, 7, 1, tzinfo=here).utcoffset() == datetime.timedelta(hours=9)
    assert datetime.datetime(2026, 1, 1, tzinfo=here).utcoffset() == datetime.timedelta(hours=8)
    monkeypatch.undo()
    time.tzset()
