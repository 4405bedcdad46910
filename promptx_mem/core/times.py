"""Times: the `at` field of lines and events. Inside core a time is epoch seconds (float)."""

from datetime import MAXYEAR, MINYEAR, datetime
from functools import lru_cache

from promptx_mem.core.text import HALF_WIDTH, pattern

DAY = 86_400.0
HOUR = 3_600.0
MINUTE = 60.0

_ZEROS = bytes.maketrans(b"123456789", b"000000000")
_ZONES = (b"+00:00", b"-00:00", b"Z")
DATE_HINTS = (
    r"[0-9]{4}\s?[-/]|年",
    "[天日晚夜早晨周期拜月年时头钟]",
    "day|night|morning|noon|evening|tomorrow|minute|hour|week|month|year|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec",
)
"""Fast tests for each kind of date in core/dates (absolute, Chinese, English). They match every date, and more."""


def may_name_date(text: str) -> bool:
    """Return whether a text could contain a date. core/dates finds the dates."""
    lower = text.translate(HALF_WIDTH).lower()
    absolute, chinese, english = DATE_HINTS
    if any(name in lower for name in english.split("|")) or not set(chinese[1:-1]).isdisjoint(lower):
        return True
    return any(mark in lower for mark in "年-/") and pattern(absolute).search(lower) is not None


def _read(at: str) -> datetime:
    moment = datetime.fromisoformat(at)
    if moment.tzinfo is None and not MINYEAR < moment.year < MAXYEAR:
        raise ValueError(f"{at!r} is not a valid date")
    return moment


@lru_cache(maxsize=4096)
def parse_at(at: str) -> datetime:
    """Read an RFC 3339 time. Without an offset, return a naive local time. Raises ValueError if `at` is not a time."""
    return _read(at)


def epoch(at: str) -> float:
    """Return the epoch seconds of an RFC 3339 time. Raises ValueError if it is invalid or out of range."""
    try:
        return _read(at).timestamp()  # a cache would be slower
    except (OverflowError, OSError) as error:
        raise ValueError(f"the time {at!r} is out of range on this machine") from error


def iso(moment: float) -> str:
    """Return epoch seconds as RFC 3339 in this machine's zone. A time out of range becomes the end of 9999."""
    try:
        return datetime.fromtimestamp(moment).astimezone().isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return "9999-12-31T23:59:59+00:00"


def is_time(text: str) -> bool:
    """Return whether a text is an RFC 3339 time with offset."""
    zeros = text.encode("ascii", "replace").translate(_ZEROS)  # bytes are translated several times as fast as a text
    second, zone = zeros[:19], zeros[19:]
    if zone[:1] == b".":
        fraction, zone = zone, zone[1:].lstrip(b"0")
        if not 1 < len(fraction) - len(zone) < 8:
            return False
    if second != b"0000-00-00T00:00:00" or zone not in _ZONES or (zone != b"Z" and text[-2] > "5"):
        return False
    try:
        return bool(_read(text))
    except ValueError:
        return False
