"""Read the `at` of lines and events. Inside core a time is epoch seconds (float)."""

from datetime import MAXYEAR, MINYEAR, datetime
from functools import lru_cache

DAY = 86_400.0
HOUR = 3_600.0


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
