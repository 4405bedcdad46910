"""Spans of time: days, weeks, months and years as the calendar has them, seen from `now`.

Days are local dates in the zone of `now`, weeks begin on Monday. Whatever lies outside the calendar raises
ValueError or OverflowError.
"""

from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

SECONDS = {"minute": 60, "hour": 3600, "day": 86400, "week": 7 * 86400}
SATURDAY = 5


class Cue(NamedTuple):
    """A half-open span; `instant` where one moment was named (a time of day, an hour ago, `7d`)."""

    start: datetime
    end: datetime
    instant: datetime | None = None


def days(first: date, count: int, now: datetime) -> Cue:
    """Span `count` local days."""
    return _between(first, first + timedelta(days=count), now)


def dated(number: int, month: int, day: int | None, now: datetime) -> Cue:
    """Span a day of the calendar, or a whole month."""
    first = date(number, month, day or 1)
    return months_from(number, month, 0, now) if day is None else days(first, 1, now)


def months_from(number: int, month: int, step: int, now: datetime) -> Cue:
    """Span the month that lies `step` months after one of the calendar."""
    return _between(_first_of(number, month + step), _first_of(number, month + step + 1), now)


def year(number: int, now: datetime) -> Cue:
    return _between(date(number, 1, 1), date(number + 1, 1, 1), now)


def week(step: int, now: datetime, weekday: int | None = None) -> Cue:
    """Span the week `step` weeks from this one, or one day of it."""
    today = now.date()
    monday = today + timedelta(days=7 * step - today.weekday())
    return days(monday, 7, now) if weekday is None else days(monday + timedelta(days=weekday), 1, now)


def weekend(step: int, now: datetime) -> Cue:
    return days(week(step, now).start.date() + timedelta(days=SATURDAY), 2, now)


def unit(step: int, name: str, now: datetime) -> Cue:
    """Span the day, week, month or year that lies `step` of them from the present one."""
    if name == "day":
        return days(now.date() + timedelta(days=step), 1, now)
    if name == "week":
        return week(step, now)
    return months_from(now.year, now.month, step, now) if name == "month" else year(now.year + step, now)


def latest(month: int, day: int | None, now: datetime) -> Cue:
    """Span the latest such month, or day of a month, that has begun."""
    today = now.date()
    if day is not None and not 1 <= day <= _length(2000, month):
        raise ValueError(month, day)
    number = today.year - ((month, day or 1) > (today.month, today.day))
    while day is not None and day > _length(number, month):
        number -= 1
    return dated(number, month, day, now)


def latest_weekday(weekday: int, now: datetime, *, before_today: bool = False) -> Cue:
    today = now.date()
    behind = (today.weekday() - weekday) % 7 or (7 if before_today else 0)
    return days(today - timedelta(days=behind), 1, now)


def next_weekday(weekday: int, now: datetime) -> Cue:
    today = now.date()
    return days(today + timedelta(days=(weekday - today.weekday()) % 7 or 7), 1, now)


def since(moment: datetime, now: datetime) -> Cue:
    """Span a moment to the end of today."""
    return Cue(moment, days(now.date(), 1, now).end, moment)


def back(seconds: float, now: datetime) -> datetime:
    """Return the moment so many elapsed seconds before `now`, whatever the clocks did meanwhile."""
    return (now.astimezone(UTC) - timedelta(seconds=seconds)).astimezone(now.tzinfo)


def ago(count: int, name: str, now: datetime) -> Cue:
    """Span what `count` units ago means: that day, week, month or year; about that hour or minute."""
    if name not in ("hour", "minute"):
        return unit(-count, name, now)
    moment, half = back(count * SECONDS[name], now), SECONDS[name] / 2
    return Cue(back(half, moment), back(-half, moment), moment)


def within(count: int, name: str, now: datetime) -> Cue:
    """Span the last `count` units, to the end of today."""
    if seconds := SECONDS.get(name):
        return since(back(count * seconds, now), now)
    first = _first_of(now.year, now.month - count * (12 if name == "year" else 1))
    day = min(now.day, _length(first.year, first.month))
    return since(now.replace(year=first.year, month=first.month, day=day), now)


def _between(first: date, after: date, now: datetime) -> Cue:
    start = datetime(first.year, first.month, first.day, tzinfo=now.tzinfo)
    return Cue(start, datetime(after.year, after.month, after.day, tzinfo=now.tzinfo))


def _first_of(number: int, month: int) -> date:
    """Return the first day of a month counted from January of a year; 0 is the December before."""
    years, index = divmod(month - 1, 12)
    return date(number + years, index + 1, 1)


def _length(number: int, month: int) -> int:
    return (_first_of(number, month + 1) - date(number, month, 1)).days
