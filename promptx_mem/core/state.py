"""State: a memory after all its events. The state gives the memory's importance, end and reviews at any time."""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from promptx_mem.core.entry import DIMENSIONS, LONG, MEDIUM, PERMANENT, SHORT, Entry
from promptx_mem.core.times import DAY, HOUR, MINUTE
from promptx_mem.record import NamedTuple

NEVER = float("inf")
CORE_MINIMUM = 3.0
GREATEST = 5.0
PROMOTION_FROM = 2.5
FADING_BELOW = 0.5
ENDS_BELOW = 0.3
UNFADING = ("system", "core")

_SCORE_PER_IMPORTANCE = 5
_GRACE = 7 * DAY
_EPISODE_LIFE = 14 * DAY
_EPISODE_STEP = (0.8, DAY)
_FACT_FACTOR = 0.95
_STEPS = {SHORT: 1, MEDIUM: 7, LONG: 30}
"""Days of one step of fading. Other durations do not fade."""

# Today's time as a float is exact to about a quarter of a microsecond. With this tick, no step of fading is missed.
_TICK = 1e-6
_PLACES = 9


def rounded(importance: float) -> float:
    """Round an importance to remove errors of binary arithmetic: 1.6 plus three boosts of 0.3 is 2.5."""
    return round(importance, _PLACES)


def initial(score: float, category: str) -> float:
    """Return a memory's initial importance: score / 5, but at least 3.0 for a core memory."""
    importance = rounded(score / _SCORE_PER_IMPORTANCE)
    return max(importance, CORE_MINIMUM) if category == "core" else importance


def is_steady(duration: str) -> bool:
    """Return whether a duration is one of the four names (短期, 中期, 长期, 永久), which have no fixed end."""
    return duration in _STEPS or duration == PERMANENT


@lru_cache(maxsize=4096)
def rate(importance: float, category: str, duration: str) -> tuple[float, float] | None:
    """Return the factor and the length in seconds of one step of fading; None if the memory does not fade."""
    if category in UNFADING or duration == PERMANENT or importance >= CORE_MINIMUM:
        return None
    if category == "episode":
        return _EPISODE_STEP
    days = _STEPS.get(duration)
    return None if days is None else (_FACT_FACTOR, days * DAY)


def faded(importance: float, category: str, duration: str, elapsed: float) -> float:
    """Return the importance `elapsed` seconds after the last access. It decreases in whole steps after 7 days."""
    if elapsed < _GRACE or (fading := rate(importance, category, duration)) is None:
        return importance
    factor, step = fading
    return float(importance * factor ** ((elapsed - _GRACE + _TICK) // step))


@lru_cache(maxsize=4096)
def falls_below(limit: float, importance: float, category: str, duration: str) -> float:
    """Return the seconds since the last access after which importance falls below `limit`.

    Return NEVER if the memory does not fade, otherwise 0 if the importance is already below the limit.
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


def has_reviews(category: str) -> bool:
    """Return whether memories of a category get reviews. The categories episode, core and system get none."""
    return category not in UNFADING and category != "episode"


def review_after(importance: float, category: str, duration: str) -> float:
    """Return the seconds from the last access until a review for fading is pending; NEVER if no review follows."""
    return falls_below(FADING_BELOW, importance, category, duration) if has_reviews(category) else NEVER


def ending(
    importance: float, category: str, duration: str, *, accessed: float, since: float, due: float | None
) -> tuple[float, str | None]:
    """Return when and why a memory ends if no event follows.

    The reason is "faded" or "expired". If the memory does not end, return NEVER and None. `since` is the time when
    the memory was stored or restored. `due` is the end of a duration that is an amount or a date, otherwise None.
    """
    if category == "episode":
        return since + _EPISODE_LIFE, "expired"
    if category in UNFADING or duration == PERMANENT or importance >= CORE_MINIMUM:
        return NEVER, None
    # A memory with an amount or a date does not fade. But if its importance is too low from the start, it ends at once.
    lasts = 0.0 if importance < ENDS_BELOW else falls_below(ENDS_BELOW, importance, category, duration)
    fades = accessed + lasts
    if due is not None and due <= fades:
        return due, "expired"
    return fades, (None if fades == NEVER else "faded")


OWN, CLONE, IMPORT = "own", "clone", "import"
MEMBER = "member:"
"""Prefix of the origin of a memory from a server, followed by the role that sent the memory."""

PROJECT, USER = "project", "user"
"""The two scopes: facts about a project, and facts about the user that are valid in all projects."""

NOTICE = (
    "this store was not created on this machine and is not trusted yet, so hooks inject nothing from it, and recall "
    "marks its memories `origin: clone`. If it is your store, trust it in a terminal: promptx-mem init --trust"
)
"""Message about a store that is not the user's own. It contains no text of the store."""

REPLACED_NOTICE = (
    "git now tracks files of this private store, so other people may have written them: hooks inject nothing from it, "
    "and recall marks its memories `origin: clone`. If all is yours, trust it in a terminal: promptx-mem init --trust"
)
"""Message about a private store whose files were replaced by a git checkout, merge or stash."""

FACT = "fact"
MOST_FOREIGN = 7.0 / 5
"""Maximum importance of a memory that is not the user's own. A fact stored today with score 7 has this importance."""


def faded_limited(importance: float, category: str, duration: str, elapsed: float) -> float:
    """Return `faded` of a memory that is not the user's own: at most MOST_FOREIGN, and never core or permanent."""
    kind = FACT if category in UNFADING else category
    lasting = LONG if duration == PERMANENT else duration
    return faded(min(importance, MOST_FOREIGN), kind, lasting, max(elapsed, 0.0))


DECIDED = frozenset({"forgotten", "deleted", "superseded", "purged"})
"""Reasons for an end by decision. Such an end applies even before its recorded time, since the clock could be ahead."""


CREDIBLE_FROM = 3.0
"""Minimum credibility. Below it, a memory is unverified."""

_CREDIBILITY = DIMENSIONS.index("credibility")


class State(NamedTuple):
    """One memory after all its events. Times are epoch seconds, or NEVER (infinity).

    `entry`: the current line. `importance`: the value at the time `accessed`. `fresh_at`: when it was last stored or
    verified. `ends_at` and `end`: when and why it ended, or will end without further events. `end` is "faded",
    "expired" or one of DECIDED; None if `ends_at` is NEVER. `fading_at` and `promotion_at`: when its reviews become
    pending. `origin`: OWN, IMPORT, or MEMBER with a role. `unscored_until`: until then, a person must decide about it.
    """

    entry: Entry
    first_at: float
    tags: tuple[str, ...]
    score: float
    duration: str
    category: str
    verified: bool
    importance: float
    accessed: float
    fresh_at: float
    ends_at: float
    end: str | None
    superseded_by: tuple[str, ...] = ()
    fading_at: float = NEVER
    promotion_at: float = NEVER
    origin: str = OWN
    unscored_until: float = 0.0


def importance_at(state: State, now: float) -> float:
    """Return the importance of a memory at the time `now`, even if the memory has ended."""
    return faded(state.importance, state.category, state.duration, now - state.accessed)


def is_unscored(state: State, now: float) -> bool:
    """Return whether a person must still decide about a memory. Until then it is never injected."""
    return now < state.unscored_until


def is_unverified(state: State) -> bool:
    """Return whether a memory still needs verification, since its credibility is low or an agent stored it."""
    dims = state.entry.dims
    is_doubted = dims is not None and dims[_CREDIBILITY] < CREDIBLE_FROM
    by_agent = state.entry.source == "background_ai" and state.category != "episode"
    return not state.verified and (is_doubted or by_agent)


def may_go_first(newer: State, older: State) -> bool:
    """Return whether a memory is allowed to rank above an older memory that it contradicts."""
    if newer.origin != OWN and older.origin == OWN:
        return False
    of_user = older.entry.source == "user" and older.origin == OWN and not is_unverified(older)
    return not (is_unverified(newer) and (older.category in UNFADING or older.verified or of_user))


def lives(state: State, now: float) -> bool:
    """Return whether the memory is active at `now`."""
    return now < state.ends_at and state.end not in DECIDED


BAND_CORE, BAND_CONFIRMED, BAND_OTHER, BAND_EPISODE = 1, 2, 3, 4
"""Bands: core or system; about the user, verified, or score 8 or higher; other facts; episodes."""

ASKED_FROM = 8.0
MIN_NEWEST = 3
MOST = 20
SHARE = 10
"""A list reserves one line in 10 for conversations: at least 3 lines (short lists: fewer), and at most 20."""


Place = tuple[int, float, bool, float, float, str]
"""Sort key: band, negated importance, False for the user's own, negated last access, negated time of storing, id."""


def band(state: State) -> int:
    """Return a memory's band, the first sort key of lists; at least BAND_OTHER if it is not the user's own."""
    if state.category == "episode":
        return BAND_EPISODE
    if state.origin != OWN:
        return BAND_OTHER
    if state.category in UNFADING:
        return BAND_CORE
    return BAND_CONFIRMED if state.verified or state.score >= ASKED_FROM or state.entry.type == "user" else BAND_OTHER


class Freshness(NamedTuple):
    """Minimum age in seconds for a note on a memory's age (0: always, None: never). `types` overrides it by type."""

    threshold: float | None = DAY
    types: Mapping[str, float | None] = MappingProxyType({})


def threshold_for(config: Freshness, type: str | None) -> float | None:  # noqa: A002 - the field's name
    """Return the threshold for a type of memory, or the common threshold if the type has none."""
    return config.threshold if type is None else config.types.get(type, config.threshold)


def age_text(age: float) -> str:
    """Return an age in words: in minutes below 2 hours, in hours below 48 hours, otherwise in days."""
    if age < 2 * MINUTE:
        return "1 minute"
    if age < 2 * HOUR:
        return f"{int(age // MINUTE)} minutes"
    if age < 2 * DAY:
        return f"{int(age // HOUR)} hours"
    return f"{int(age // DAY)} days"


def old_age(modified: float | None, threshold: float | None, now: float) -> str:
    """Return the age in words of a memory recorded at `modified`, if it has reached its threshold, else ''."""
    if modified is None or threshold is None or (threshold != 0 and now - modified < threshold):
        return ""
    return age_text(now - modified)
