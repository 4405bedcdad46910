"""Times (the `at` field of lines and events) and durations. Inside core a time is epoch seconds (float)."""

import re
from datetime import MAXYEAR, MINYEAR, date, datetime
from functools import cache, lru_cache

from promptx_mem.core.entry import LONG, MEDIUM, PERMANENT, SHORT
from promptx_mem.core.text import pattern

DAY = 86_400.0
HOUR = 3_600.0

_AT = (
    r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?"
    r"(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)"
)


DATE_HINTS = (
    r"[0-9]{4}\s?[-/]|[0-9]{4}\s?／|年",
    "[天日晚夜早晨周期拜月年时头钟]",
    "day|night|morning|noon|evening|tomorrow|minute|hour|week|month|year|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec",
)
"""Fast tests for each kind of date in core/dates (absolute, Chinese, English). They match every date, and more."""

_HALF_WIDTH = str.maketrans("０１２３４５６７８９－", "0123456789-")


def may_name_date(text: str) -> bool:
    """Return whether a text could contain a date. core/dates finds the dates."""
    lower = text.translate(_HALF_WIDTH).lower()
    hints = DATE_HINTS[::2] if lower.isascii() else DATE_HINTS  # sets of Chinese characters compile slowly
    return any(pattern(hint).search(lower) for hint in hints)


def _read(at: str) -> datetime:
    moment = datetime.fromisoformat(at)
    if moment.tzinfo is None and not MINYEAR < moment.year < MAXYEAR:
        raise ValueError(f"{at!r} is not a valid date")
    return moment


@lru_cache(maxsize=4096)
def parse_at(at: str) -> datetime:
    """Read an RFC 3339 time. Without offset, return a naive local time. Raises ValueError if `at` is not a time."""
    return _read(at)


def epoch(at: str) -> float:
    """Return the epoch seconds of an RFC 3339 time. Raises ValueError if it is invalid or out of range."""
    try:
        return _read(at).timestamp()  # a cache would be slower
    except (OverflowError, OSError) as error:
        raise ValueError(f"this machine cannot represent {at!r}") from error


def micros(at: str) -> int:
    """Return an RFC 3339 time as microseconds since the epoch. For a line without `k`, this is its order key."""
    return round(epoch(at) * 1e6)


def iso(moment: float) -> str:
    """Return epoch seconds as RFC 3339 in this machine's zone. A time after the year 9999 becomes the end of 9999."""
    try:
        return datetime.fromtimestamp(moment).astimezone().isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return "9999-12-31T23:59:59+00:00"


def is_time(text: str) -> bool:
    """Return whether a text is an RFC 3339 time with offset."""
    is_usual = (
        text.translate(_DIGITS) in _USUAL
        and text[:4] >= "0001" and "01" <= text[5:7] <= "12" and "01" <= text[8:10] <= "28"
        and text[11:13] < "24" and text[14:16] < "60" and text[17:19] < "60" and text[20:22] < "24" and text[23:] < "60"
    )  # fmt: skip
    if is_usual:
        return True
    if not _at().fullmatch(text):
        return False
    if text.isascii() and text[8:10] <= "28" and text >= "0001":  # every month has this day
        return True
    try:
        epoch(text)
    except ValueError:
        return False
    return True


_DIGITS = str.maketrans("123456789", "0" * 9)
_USUAL = ("0000-00-00T00:00:00+00:00", "0000-00-00T00:00:00-00:00", "0000-00-00T00:00:00Z")
"""Shapes of most times. They are checked without a regular expression, since compiling one takes longer."""


@cache
def _at() -> re.Pattern[str]:
    return re.compile(_AT)  # compiled on first use, since a `recall` reads no line


NAMES = {
    "短期": SHORT, "short": SHORT,
    "中期": MEDIUM, "medium": MEDIUM,
    "长期": LONG, "長期": LONG, "long": LONG,
    "永久": PERMANENT, "永远": PERMANENT, "永遠": PERMANENT, "permanent": PERMANENT,
}  # fmt: skip
ENGLISH = {SHORT: "short", MEDIUM: "medium", LONG: "long", PERMANENT: "permanent"}
"""English names of durations. Files and JSON have the Chinese names."""

_AMOUNT = r"(?i)0*([1-9][0-9]*)([hdw])"
_WORDS = (
    "(?i)0*([1-9][0-9]{0,4}) ?(mo|y|hours?|days?|weeks?|months?|years?)|"
    "([1-9][0-9]{0,4}|[半一二两三四五六七八九]|十[一二三四五六七八九]?) ?(小时|[天日]|周|星期|个月|年)"
)
_DAYS = {"mo": 30, "month": 30, "个月": 30, "y": 365, "year": 365, "年": 365}
_LETTERS = {"hour": "h", "小时": "h", "day": "d", "天": "d", "日": "d", "week": "w", "周": "w", "星期": "w"}
_HALVES = {"天": "12h", "个月": "15d", "年": "180d"}
_NUMERALS = {numeral: value for value, numeral in enumerate("零一二三四五六七八九十")} | {"两": 2}
_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CHINESE_DATE = "([0-9]{4})年([0-9]{1,2})月([0-9]{1,2})[日号號]?"
_UNITS = {"h": HOUR, "d": DAY, "w": 7 * DAY}
_STEPS = {SHORT: 1, MEDIUM: 7, LONG: 30}
_MAX_DIGITS = 5
_EPOCH_DAY = date(1970, 1, 1).toordinal()

# Roughly how long a fact of medium score stays active without use, as fixed numbers that can be compared.
_NOMINAL = {SHORT: 30 * DAY, MEDIUM: 240 * DAY, LONG: 900 * DAY, PERMANENT: float("inf")}


def canonical(word: str) -> str | None:
    """Return the canonical spelling of a duration (`Short` -> `短期`, `036H` -> `36h`), or None if it is invalid."""
    if len(word) > len("2026年12月31日"):
        return None
    word = word if word.isascii() else word.translate(_HALF_WIDTH)
    if name := NAMES.get(word.lower()):
        return name
    if (amount := pattern(_AMOUNT).fullmatch(word)) and len(word) <= _MAX_DIGITS + 1:
        return amount[1] + amount[2].lower()
    if chinese := pattern(_CHINESE_DATE).fullmatch(word):
        word = "-".join(part.zfill(2) for part in chinese.groups())
    return _amount(word) or (word if _day(word) else None)


def _amount(word: str) -> str | None:
    """Convert an amount in words or longer units (`6mo`, `2 weeks`, `半年`) to hours, days or weeks."""
    match = pattern(_WORDS).fullmatch(word)
    if match is None:
        return None
    latin, unit, chinese, chinese_unit = match.groups()
    unit = chinese_unit or unit.lower()
    if unit not in _DAYS and unit not in _LETTERS:
        unit = unit.removesuffix("s")
    if chinese == "半":
        return _HALVES.get(unit)
    number = int(latin) if latin else _number(chinese)
    amount = f"{number * _DAYS[unit]}d" if unit in _DAYS else f"{number}{_LETTERS[unit]}"
    return amount if len(amount) <= _MAX_DIGITS + 1 else None


def _number(numeral: str) -> int:
    """Read a number such as 3, 三 or 十二."""
    if numeral.isdecimal():
        return int(numeral)
    return sum(_NUMERALS[digit] for digit in numeral)


def steady(duration: str) -> bool:
    """Return whether a duration is one of the four names (短期, 中期, 长期, 永久), which have no fixed end."""
    return duration in _NOMINAL


def amount_seconds(duration: str) -> float | None:
    """Return the seconds of a duration that is an amount, such as 36h. None for any other duration."""
    amount = pattern(_AMOUNT).fullmatch(duration)
    return int(amount[1]) * _UNITS[amount[2].lower()] if amount else None


def end_of(duration: str, at: datetime) -> float | None:
    """Return the epoch seconds at which a duration that begins at `at` ends. None for durations with a name.

    For an amount, the end is `at` plus the amount. For a date, it is the midnight after this date, by the UTC offset of
    `at`. If `at` is naive, this machine's offset is used.
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
    # Ordinals are used, since no datetime can represent the day after 9999-12-31.
    return (day.toordinal() + 1 - _EPOCH_DAY) * DAY - offset.total_seconds()


def step_days(duration: str) -> int | None:
    """Return the days of one step of fading: 短期 1, 中期 7, 长期 30. None for a duration without fading."""
    return _STEPS.get(duration)


def length(duration: str, at: datetime) -> float:
    """Return the length in seconds of a duration that begins at `at`.

    Durations with a name have fixed lengths: 短期 30, 中期 240, 长期 900 days, 永久 infinite. A date in the past gives
    a negative length. An invalid duration gives 0.
    """
    if steady(duration):
        return _NOMINAL[duration]
    end = end_of(duration, at)
    return 0.0 if end is None else end - at.timestamp()


def _day(word: str) -> date | None:
    if not pattern(_DATE).fullmatch(word):
        return None
    try:
        return date.fromisoformat(word)
    except ValueError:
        return None
