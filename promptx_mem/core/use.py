"""What a recall does to a memory, without its events: the state after it, where the recall is the last of all."""

from promptx_mem.core.decay import FADING_BELOW, NEVER, asked_after, ending, faded, tidy
from promptx_mem.core.origin import MEMBER
from promptx_mem.core.state import State, lives


def recalled(state: State, time: float) -> State | None:
    """Return the state after a recall at `time`; None where only the whole fold can tell."""
    if state.entry.behind or time < state.accessed or state.origin.startswith(MEMBER):
        return None
    if not lives(state, time):
        return state
    importance = tidy(faded(state.importance, state.category, state.duration, time - state.accessed))
    below = time + asked_after(importance, state.category, state.duration)
    if state.fading_at <= time and importance < FADING_BELOW and below != NEVER:
        below = state.fading_at
    changed = state._replace(importance=importance, accessed=time, fading_at=below)
    if state.end == "expired":  # a date, an amount, or an episode's 14 days: no use moves these
        return changed
    ends_at, end = ending(importance, state.category, state.duration, accessed=time, since=time, due=None)
    return changed._replace(ends_at=ends_at, end=end)
