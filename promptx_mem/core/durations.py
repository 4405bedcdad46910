"""Durations: 短期 中期 长期 永久, an amount (`36h`, `30d`, `2w`) or a date until which a memory holds."""

from datetime import date, datetime

from promptx_mem.core.entry import LONG, MEDIUM, PERMANENT, SHORT
from promptx_mem.core.text import pattern
from promptx_mem.core.times import DAY, HOUR

NAMES = {
    "短期": SHORT, "short": SHORT,
    "中期": MEDIUM, "medium": MEDIUM,
    "长期": LONG, "long": LONG,
    "永久": PERMANENT, "permanent": PERMANENT,
}  # fmt: skip
_AMOUNT = r"(?i)0*([1-9][0-9]*)([hdw])"
_LONG = r"(?i)0*([1-9][0-9]{0,3})(mo|y)"
_DAYS = {"mo": 30, "y": 365}
_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_HALF_WIDTH = str.maketrans("０１２３４５６７８９－", "0123456789-")
_UNITS = {"h": HOUR, "d": DAY, "w": 7 * DAY}
_STEPS = {SHORT: 1, MEDIUM: 7, LONG: 30}
_MAX_DIGITS = 5
_EPOCH_DAY = date(1970, 1, 1).toordinal()

# About how long a fact of middling score lives untouched; fixed figures make `longer` a total order.
_NOMINAL = {SHORT: 30 * DAY, MEDIUM: 240 * DAY, LONG: 900 * DAY, PERMANENT: float("inf")}


def canonical(word: str) -> str | None:
    """Return the one spelling of a duration (`Short` -> `短期`, `036H` -> `36h`), None where it is none."""
    if len(word) > len("2026-12-31"):
        return None
    word = word if word.isascii() else word.translate(_HALF_WIDTH)
    if name := NAMES.get(word.lower()):
        return name
    if (amount := pattern(_AMOUNT).fullmatch(word)) and len(word) <= _MAX_DIGITS + 1:
        return amount[1] + amount[2].lower()
    if amount := pattern(_LONG).fullmatch(word):
        days = str(int(amount[1]) * _DAYS[amount[2].lower()])
        if len(days) <= _MAX_DIGITS:
            return f"{days}d"
    return word if _day(word) else None


def steady(duration: str) -> bool:
    """Tell whether a duration is a named one: it has no end by the calendar."""
    return duration in _NOMINAL


def amount_seconds(duration: str) -> float | None:
    """Return the seconds of an amount, None for any other duration."""
    amount = pattern(_AMOUNT).fullmatch(duration)
    return int(amount[1]) * _UNITS[amount[2].lower()] if amount else None


def end_of(duration: str, at: datetime) -> float | None:
    """Return epoch seconds at which an amount begun `at`, or a date, is over; None for the named ones.

    A date is over at the midnight that follows it, in `at`'s offset (the host's where `at` is naive).
    """
    if steady(duration):
        return None
    seconds = amount_seconds(duration)
    if seconds is not None:
        return at.timestamp() + seconds
    day = _day(duration)
    if day is None:
        return None
    offset = (at if at.tzinfo else at.astimezone()).utcoffset()
    assert offset is not None
    # Ordinals instead of datetimes: the day after 9999-12-31 is a moment too.
    return (day.toordinal() + 1 - _EPOCH_DAY) * DAY - offset.total_seconds()


def step_days(duration: str) -> int | None:
    """Return the days of one step of fading: 短期 1, 中期 7, 长期 30; None where nothing fades by steps."""
    return _STEPS.get(duration)


def length(duration: str, at: datetime) -> float:
    """Return how many seconds a duration lasts from `at`.

    The named ones count nominally: 短期 30, 中期 240, 长期 900 days, 永久 infinite.
    Negative for a date that is over by then; 0 for what is no duration.
    """
    if steady(duration):
        return _NOMINAL[duration]
    end = end_of(duration, at)
    return 0.0 if end is None else end - at.timestamp()


def longer(a: str, b: str, at: datetime) -> str:
    """Return the longer of two durations from `at` on (see `length`); of two equal ones always the same."""
    return max((length(a, at), a), (length(b, at), b))[1]


def _day(word: str) -> date | None:
    if not pattern(_DATE).fullmatch(word):
        return None
    try:
        return date.fromisoformat(word)
    except ValueError:
        return None
