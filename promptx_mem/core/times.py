"""Read the `at` of lines and events. Inside core a time is epoch seconds (float)."""

import re
from datetime import MAXYEAR, MINYEAR, datetime
from functools import cache, lru_cache

DAY = 86_400.0
HOUR = 3_600.0

_AT = (
    r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?"
    r"(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)"
)


def _read(at: str) -> datetime:
    moment = datetime.fromisoformat(at)
    if moment.tzinfo is None and not MINYEAR < moment.year < MAXYEAR:
        raise ValueError(f"no host can place {at!r}")
    return moment


@lru_cache(maxsize=4096)
def parse_at(at: str) -> datetime:
    """Read RFC 3339; without an offset it is naive: local time of the host. ValueError where it is no time."""
    return _read(at)


def epoch(at: str) -> float:
    """Return epoch seconds of an `at`; ValueError where it is no time that this host can place."""
    try:
        return _read(at).timestamp()  # to remember it would take longer
    except (OverflowError, OSError) as error:
        raise ValueError(f"this host cannot place {at!r}") from error


def micros(at: str) -> int:
    """Return whole microseconds since the epoch: the order key of a line that carries none."""
    return round(epoch(at) * 1e6)


def iso(moment: float) -> str:
    """Return epoch seconds as RFC 3339 in this host's zone; what lies beyond the calendar as its last day."""
    try:
        return datetime.fromtimestamp(moment).astimezone().isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return "9999-12-31T23:59:59+00:00"


def is_time(text: str) -> bool:
    """Whether a text is an RFC 3339 time with offset."""
    if not _at().fullmatch(text):
        return False
    if text.isascii() and text[8:10] <= "28" and text >= "0001":  # any month has that day
        return True
    try:
        epoch(text)
    except ValueError:
        return False
    return True


@cache
def _at() -> re.Pattern[str]:
    return re.compile(_AT)  # a `recall` reads no line
