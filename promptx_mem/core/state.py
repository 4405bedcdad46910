"""State: what the fold says of one memory, good for any later moment without its events."""

from typing import NamedTuple

from promptx_mem.core.decay import NEVER, faded
from promptx_mem.core.entry import DIMENSIONS, Entry
from promptx_mem.core.origin import OWN

DECIDED = frozenset({"forgotten", "deleted", "superseded", "purged"})
"""Ends that someone decided: they hold at every moment, also where a clock was ahead when it happened."""


WAYS = (*sorted(DECIDED), "faded", "expired")
"""All the ways in which a memory ends."""


CREDIBLE_FROM = 3.0
"""A credibility below it makes a memory unverified."""

_CREDIBILITY = DIMENSIONS.index("credibility")


class State(NamedTuple):
    """One memory after all its events. Times are epoch seconds, NEVER (infinity) where they do not come.

    `entry` is the line that won. `importance` is as of `accessed`. `fresh_at`: last noted or verified.
    `ends_at`, `end`: when and why it ended, or will if nothing more happens ("faded", "expired", or one of
    DECIDED; None with NEVER). `fading_at`, `promotion_at`: when its reviews open. `origin`: own, or import as long as
    nobody has said that it is the user's. `unscored_until`: until then it waits for a person's answer.
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


class Review(NamedTuple):
    """A question open since `opened`: is it core ("promotion"), is it still of value ("fading").

    `other` is the newer memory that may contradict it ("contradiction").
    """

    kind: str
    opened: float
    other: State | None = None


def importance_at(state: State, now: float) -> float:
    """Return what the memory is worth at `now`, whether or not it still lives."""
    return faded(state.importance, state.category, state.duration, now - state.accessed)


def is_unscored(state: State, now: float) -> bool:
    """Return whether a person has yet to answer for the memory: it is shown marked and last, and never injected."""
    return now < state.unscored_until


def is_unverified(state: State) -> bool:
    """Return whether nobody has verified a memory that is not credible or was noted by an agent."""
    dims = state.entry.dims
    is_doubted = dims is not None and dims[_CREDIBILITY] < CREDIBLE_FROM
    by_agent = state.entry.source == "background_ai" and state.category != "episode"
    return not state.verified and (is_doubted or by_agent)


def lives(state: State, now: float) -> bool:
    """Tell whether the memory has not ended by `now`."""
    return now < state.ends_at and state.end not in DECIDED


def has_lapsed(state: State) -> bool:
    """Tell whether an episode that ended did so by time alone: it can still be found, and be forgotten."""
    return state.category == "episode" and state.end not in DECIDED


def review(state: State, now: float) -> Review | None:
    """Return the review that is open at `now`; fading goes first, since it has a time limit."""
    if not lives(state, now) or is_unscored(state, now):
        return None
    if state.fading_at <= now:
        return Review("fading", state.fading_at)
    if state.promotion_at <= now:
        return Review("promotion", state.promotion_at)
    return None
