"""Importance: how it begins, how it fades, when it ends (source 003, made a pure function of time).

Nothing here is stored: asking often or never gives the same answer. Times are epoch seconds.
"""

from functools import lru_cache

from promptx_mem.core.durations import step_days
from promptx_mem.core.entry import PERMANENT
from promptx_mem.core.times import DAY

NEVER = float("inf")
CORE_MINIMUM = 3.0
GREATEST = 5.0
PROMOTION_FROM = 2.5
FADING_BELOW = 0.5
ENDS_BELOW = 0.3
LASTING = ("system", "core")

_SCORE_PER_IMPORTANCE = 5
_GRACE = 7 * DAY
_EPISODE_LIFE = 14 * DAY
_EPISODE_STEP = (0.8, DAY)
_FACT_FACTOR = 0.95
# Float seconds of today carry about a quarter of a microsecond; a step must not be missed by that.
_TICK = 1e-6
_PLACES = 9


def tidy(importance: float) -> float:
    """Round off what binary arithmetic adds, so that 1.6 and three boosts of 0.3 do reach 2.5."""
    return round(importance, _PLACES)


def initial(score: float, category: str) -> float:
    """Return the importance a memory begins with: score / 5, core at least 3.0."""
    importance = tidy(score / _SCORE_PER_IMPORTANCE)
    return max(importance, CORE_MINIMUM) if category == "core" else importance


def rate(importance: float, category: str, duration: str) -> tuple[float, float] | None:
    """Return the factor and the seconds of one step of fading, None where nothing fades."""
    if category in LASTING or duration == PERMANENT or importance >= CORE_MINIMUM:
        return None
    if category == "episode":
        return _EPISODE_STEP
    days = step_days(duration)
    return None if days is None else (_FACT_FACTOR, days * DAY)


def faded(importance: float, category: str, duration: str, elapsed: float) -> float:
    """Return what is left `elapsed` seconds after the last access: whole steps past 7 days count."""
    if elapsed < _GRACE or (fading := rate(importance, category, duration)) is None:
        return importance
    factor, step = fading
    return float(importance * factor ** ((elapsed - _GRACE + _TICK) // step))


@lru_cache(maxsize=4096)
def falls_below(limit: float, importance: float, category: str, duration: str) -> float:
    """Return the seconds since the last access after which importance is first below `limit`.

    0 where it is from the start, NEVER where nothing fades.
    """
    fading = rate(importance, category, duration)
    if fading is None:
        return NEVER
    if not importance >= limit:
        return 0.0
    factor, step = fading
    steps = 1
    while importance * factor**steps >= limit:
        steps += 1
    return _GRACE + steps * step


def is_asked(category: str) -> bool:
    """Whether reviews open: of what never ends, and of an episode, which ends by time alone, nobody is asked."""
    return category not in LASTING and category != "episode"


def asked_after(importance: float, category: str, duration: str) -> float:
    """Return the seconds since the last access after which a fading review opens."""
    return falls_below(FADING_BELOW, importance, category, duration) if is_asked(category) else NEVER


def ending(
    importance: float, category: str, duration: str, *, accessed: float, since: float, due: float | None
) -> tuple[float, str | None]:
    """Return when a memory ends if nothing more happens, and why: "faded", "expired", or NEVER and None.

    `since` is when it was stored or restored, `due` when its amount or date is over.
    """
    if category == "episode":
        return since + _EPISODE_LIFE, "expired"
    if category in LASTING or duration == PERMANENT or importance >= CORE_MINIMUM:
        return NEVER, None
    # What is given an amount or a date does not fade; too low from the start it ends like any other.
    lasts = 0.0 if importance < ENDS_BELOW else falls_below(ENDS_BELOW, importance, category, duration)
    fades = accessed + lasts
    if due is not None and due <= fades:
        return due, "expired"
    return fades, (None if fades == NEVER else "faded")
