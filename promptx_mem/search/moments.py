"""A memory's times as the cache keeps them: what can be told from another column takes no room."""

from functools import lru_cache
from time import gmtime

from promptx_mem.core.decay import NEVER

_SIZE = len("2026-11-20T22:47:03+08:00")


def or_null(moment: float) -> float | str:
    """What stands for a moment: nothing where it never comes."""
    return "" if moment == NEVER else moment


def pack(at: str, first_at: float) -> tuple[str, int | str]:
    """A time as it is kept: nothing but the minutes of its zone where it is that of `first_at`, else as it is."""
    if len(at) == _SIZE and float(first_at).is_integer():
        zone = _zone(at[19:])
        if zone is not None and _time(first_at, zone) == at:
            return "", zone
    return at, ""


@lru_cache(maxsize=256)
def _zone(offset: str) -> int | None:
    """Minutes east of UTC; None for what is written otherwise than `_time` writes it."""
    if offset[:1] not in ("+", "-") or not (offset[1:3] + offset[4:]).isdecimal():
        return None
    minutes = int(offset[1:3]) * 60 + int(offset[4:])
    return -minutes if offset[0] == "-" else minutes


def _time(first_at: float, zone: int) -> str:
    """RFC 3339 of a moment, in a zone given in minutes; empty where there is no such day."""
    try:
        year, month, day, hour, minute, second, *_ = gmtime(first_at + 60 * zone)
    except (OverflowError, OSError, ValueError):
        return ""
    sign, minutes = ("-", -zone) if zone < 0 else ("+", zone)
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{sign}{minutes // 60:02}:{minutes % 60:02}"


def or_never(moment: float | None) -> float:
    """The moment that was kept."""
    return NEVER if moment is None else moment


def or_first(moment: float | None, first_at: float) -> float:
    """The moment that was kept; one that is the first takes no room."""
    return first_at if moment is None else moment


def unpack(at: str | None, zone: int | None, first_at: float) -> str:
    """Return what was packed."""
    return at or ("" if zone is None else _time(first_at, zone))
