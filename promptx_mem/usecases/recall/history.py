"""A memory with all that superseded it and all that it superseded, oldest first."""

from typing import TYPE_CHECKING

from promptx_mem.core.ids import ID, PREFIX
from promptx_mem.core.times import epoch
from promptx_mem.errors import NotFoundError, UsageError
from promptx_mem.search import lines

if TYPE_CHECKING:
    from promptx_mem.core.state import State
    from promptx_mem.search.cache import Cache

MOST = 1_000


def by_id(cache: "Cache", text: str) -> str | None:
    """The id that a text is, or the beginning of; None where it is a cue. Raises NotFoundError, UsageError."""
    prefix = text.strip().lower()
    if not PREFIX.fullmatch(prefix):
        return None
    ids = cache.matching(prefix)
    if len(ids) == 1:
        return ids[0]
    if ids:
        raise UsageError(f"{prefix} is the beginning of more than one id: {', '.join(ids[:5])}", code="ambiguous")
    if ID.fullmatch(prefix) and prefix not in cache.purged():
        raise NotFoundError(f"no memory has the id {prefix}", hint="promptx-mem recall --archived shows ids")
    return None


def chain(cache: "Cache", ident: str) -> "list[State]":
    """The states of a memory and of all that are linked to it by superseding, oldest first, the living one last."""
    states: dict[str, State] = {}
    waiting = [ident]
    while waiting and len(states) < MOST:
        current = waiting.pop()
        state = cache.state(current) if current not in states else None
        if state is None or state.end == "purged":
            continue
        states[current] = state
        waiting += [*state.superseded_by, *lines.superseded(cache, current)]
    # one that came back over what had superseded it is newer than its line says
    return sorted(
        states.values(), key=lambda state: (not state.superseded_by, epoch(state.entry.at or ""), state.entry.id)
    )
