"""The order of what matters: four bands, and how much room conversations have beside facts."""

from promptx_mem.core.decay import LASTING
from promptx_mem.core.origin import OWN
from promptx_mem.core.state import State

LASTS, ASKED, OTHER, TALK = 1, 2, 3, 4
"""Core and system; what the user asked for, confirmed or scored high; other facts; conversations."""

ASKED_FROM = 8.0
NEWEST = 3
MOST = 20
SHARE = 10
"""Of so many lines one is a conversation's, but the newest three are always there, and never more than 20."""


def band(state: State) -> int:
    """Return the band of a memory; what is not the user's own is in the third at most, whatever it claims."""
    if state.category == "episode":
        return TALK
    if state.origin != OWN:
        return OTHER
    if state.category in LASTING:
        return LASTS
    return ASKED if state.verified or state.score >= ASKED_FROM else OTHER


def talks_beside(facts: int) -> int:
    """Return how many conversations stand beside so many facts."""
    return max(NEWEST, min(MOST, facts // (SHARE - 1)))


def shares(count: int, facts: int, talks: int) -> tuple[int, int]:
    """Return how many facts and how many conversations `count` places hold; all where there are places for all."""
    if facts + talks <= count:
        return facts, talks
    room = min(talks, max(min(NEWEST, count // NEWEST), min(MOST, count // SHARE)))
    return min(facts, count - room), room
