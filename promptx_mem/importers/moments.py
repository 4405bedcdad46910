"""Times as other programs write them -> RFC 3339."""

import datetime
import re

from promptx_mem.core import times

_LOOSE = re.compile(r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?(?:[ T]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?")
_MILLIS = 100_000_000_000
"""Seconds since 1970 stay below this for 3,000 years; milliseconds are above it from 1973 on."""


def moment(value: object) -> str | None:
    """A time: ISO 8601, `2025/06/05 18:47`, a date, seconds or milliseconds since 1970; None for anything else."""
    if isinstance(value, datetime.datetime | datetime.date):
        value = value.isoformat()
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return _since_1970(value)
    if not isinstance(value, str) or not (text := value.strip()):
        return None
    if re.fullmatch(r"\d{9,13}(?:\.\d+)?", text):
        return _since_1970(float(text))
    if match := _LOOSE.fullmatch(text):
        year, month, day, hour, minute, second = (int(part or 0) for part in match.groups())
        text = f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"
    try:
        time = datetime.datetime.fromisoformat(text)
        iso = time.isoformat(timespec="seconds")
        return iso if times.epoch(iso) >= 0 else None
    except (ValueError, OverflowError):
        return None


def _since_1970(value: float) -> str | None:
    seconds = value / 1000 if value >= _MILLIS else value
    try:
        return datetime.datetime.fromtimestamp(seconds, datetime.UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return None
