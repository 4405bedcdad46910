"""Durations: names such as 短期, amounts such as 36h, and dates. They set when a memory ends or counts as old."""

from datetime import date, datetime

from promptx_mem.core.entry import LONG, MEDIUM, PERMANENT, SHORT
from promptx_mem.core.state import is_steady
from promptx_mem.core.text import HALF_WIDTH, pattern
from promptx_mem.core.times import DAY, HOUR, MINUTE

NAMES = {
    "短期": SHORT, "short": SHORT,
    "中期": MEDIUM, "medium": MEDIUM,
    "长期": LONG, "長期": LONG, "long": LONG,
    "永久": PERMANENT, "永久有效": PERMANENT, "永远": PERMANENT, "永遠": PERMANENT, "permanent": PERMANENT,
}  # fmt: skip
ENGLISH = {SHORT: "short", MEDIUM: "medium", LONG: "long", PERMANENT: "permanent"}
"""English names of durations. Files and JSON have the Chinese names."""

_AMOUNT = (
    "(?i)0*([1-9][0-9]{0,4}|[半一二两三四五六七八九]|十[一二三四五六七八九]?)"
    "([hdw]| ?(?:mo|y|hours?|days?|weeks?|months?|years?|小时|[天日]|周|星期|个月|年))"
)
_DAYS = {"mo": 30, "month": 30, "个月": 30, "y": 365, "year": 365, "年": 365}
_LETTERS = {"hour": "h", "小时": "h", "day": "d", "天": "d", "日": "d", "week": "w", "周": "w", "星期": "w"}
_HALVES = {"天": "12h", "个月": "15d", "年": "180d"}
_DIGITS = {numeral: value for value, numeral in enumerate("一二三四五六七八九", 1)} | {"两": 2}
_NUMERAL = "(?:({0}?)百零?)?(?:({0}?)十)?({0}?)".format("[一二两三四五六七八九]")
_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_WRITTEN_DATE = "([0-9]{4})[年/]([0-9]{1,2})[月/]([0-9]{1,2})[日号號]?"
_UNITS = {"h": HOUR, "d": DAY, "w": 7 * DAY}
_LONGEST = len("99999h")
_EPOCH_DAY = date(1970, 1, 1).toordinal()


# Roughly how long a fact of medium score stays active without use, as fixed numbers that can be compared.
_NOMINAL = {SHORT: 30 * DAY, MEDIUM: 240 * DAY, LONG: 900 * DAY, PERMANENT: float("inf")}


def canonical(word: str) -> str | None:
    """Return the canonical spelling of a duration (`Short` -> `短期`, `036H` -> `36h`), or None if it is invalid."""
    if len(word) > len("2026年12月31日"):
        return None
    word = word if word.isascii() else word.translate(HALF_WIDTH)
    if name := NAMES.get(word.lower()):
        return name
    if day := pattern(_WRITTEN_DATE).fullmatch(word):
        word = "-".join(part.zfill(2) for part in day.groups())
    return _amount(word) or (word if _day(word) else None)


def _amount(word: str) -> str | None:
    """Convert an amount, also in words or longer units (`6mo`, `半年`), to hours, days or weeks. None if invalid."""
    if not (match := pattern(_AMOUNT).fullmatch(word)):
        return None
    number, unit = match[1], match[2].strip().lower()
    unit = unit if len(unit) < 3 else unit.removesuffix("s")
    if number == "半":
        return _HALVES.get(unit)
    amount = f"{number_of(number) * _DAYS.get(unit, 1)}{'d' if unit in _DAYS else _LETTERS.get(unit, unit)}"
    return amount if len(amount) <= _LONGEST else None


def number_of(numeral: str) -> int:
    """Read a number: digits or a Chinese numeral below 1000. Raises ValueError if it is invalid."""
    if numeral.isdecimal():
        return int(numeral)
    if not (match := pattern(_NUMERAL).fullmatch(numeral)):
        raise ValueError(numeral)
    digits = zip(match.groups(), (100, 10, 1), strict=True)
    return sum(_DIGITS.get(digit, int(worth > 1)) * worth for digit, worth in digits if digit is not None)


def amount_seconds(duration: str) -> float | None:
    """Return the seconds of a duration that is an amount, such as 36h. None for any other duration."""
    number, unit = duration[:-1], duration[-1:]
    return int(number) * _UNITS[unit] if unit in _UNITS and number.isdecimal() else None


def end_of(duration: str, at: datetime) -> float | None:
    """Return the epoch seconds at which a duration that begins at `at` ends. None for a name or an invalid duration.

    For an amount, the end is `at` plus the amount. For a date, it is the midnight after this date, by the UTC offset of
    `at`. If `at` is naive, this machine's offset is used.
    """
    if is_steady(duration):
        return None
    seconds = amount_seconds(duration)
    if seconds is not None:
        return at.timestamp() + seconds
    day = _day(duration)
    if day is None:
        return None
    offset = (at if at.tzinfo else at.astimezone()).utcoffset()
    assert offset is not None
    # Ordinals are used, since no datetime can represent the day after 9999-12-31.
    return (day.toordinal() + 1 - _EPOCH_DAY) * DAY - offset.total_seconds()


def length(duration: str, at: datetime) -> float:
    """Return the length in seconds of a valid duration that begins at `at`. A date in the past gives a negative length.

    Durations with a name have fixed lengths: 短期 30, 中期 240, 长期 900 days, 永久 infinite.
    """
    return _NOMINAL[duration] if is_steady(duration) else (end_of(duration, at) or 0.0) - at.timestamp()


def _day(word: str) -> date | None:
    if not pattern(_DATE).fullmatch(word):
        return None
    try:
        return date.fromisoformat(word)
    except ValueError:
        return None


_ALLOWED = "an amount such as 30m, 24h, 7d, 2w or 6mo, or 0 (always warn), or null (never)"
_MINUTES = "0*([1-9][0-9]{0,4})(?:m|min|minutes?|分钟)"


def parse_threshold(value: object) -> float | None:
    """Read an age from config.yaml as seconds; None means never. Raises ValueError with the allowed values."""
    if value is None:
        return None
    if value == "0" or (value == 0 and not isinstance(value, bool)):
        return 0.0
    if isinstance(value, str) and (minutes := pattern(_MINUTES).fullmatch(value)):
        return int(minutes[1]) * MINUTE
    amount = canonical(value) if isinstance(value, str) else None
    seconds = amount_seconds(amount) if amount else None
    if seconds is None:
        raise ValueError(f"{value!r:.60} is not an age; write {_ALLOWED}")
    return seconds
