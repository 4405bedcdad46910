"""A recall whose query is the id of a memory or a prefix of ids."""

from promptx_mem.core.description import Description
from promptx_mem.core.ids import is_prefix
from promptx_mem.core.times import epoch
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.search import history, pairs
from promptx_mem.search.ranking import Hit
from promptx_mem.usecases import export

if TYPE_CHECKING:
    from promptx_mem.core.state import State
    from promptx_mem.search.cache import Cache
    from promptx_mem.usecases.recall.question import StoreQuery

_MOST = 10_000
_MOST_LINKED = 1_000


def find(cache: "Cache", words: str) -> list[Hit]:
    """Return the memories, except purged ones, with this id or prefix; none if `words` is not an id or prefix."""
    prefix = words.lower()
    if not is_prefix(prefix):
        return []
    states = [cache.state(ident) for ident in pairs.matching(cache, prefix, _MOST)]
    return [Hit(0, state, via=["id"]) for state in states if state is not None and state.end != "purged"]


def whole(query: "StoreQuery", hit: Hit) -> Description:
    """Describe a memory with every field, its events, and the memories that it replaced or that replaced it."""
    state = hit.state
    ids = [ident for ident in (state.entry.was, state.entry.id) if ident]
    acts = {ident: sorted(history.events(query.cache, ident), key=lambda event: event.k) for ident in ids}
    everything = export.full_memory(query.context, state, query.question.criteria.now, acts)
    others = [other for other in _chain(query.cache, state.entry.id) if other.entry.id != state.entry.id]
    for _, lines, _ in history.lines_and_events(query.cache, [state.entry.id]):  # a member can have edited the text
        edited = [
            line.entry for line in lines if line.entry.id == state.entry.id and line.entry.text != state.entry.text
        ]
        others += (state._replace(entry=entry, end="superseded", ends_at=0.0) for entry in edited)
    more = {**query.to_description(hit), "history": [query.to_description(Hit(0, other)) for other in others]}
    everything.update(more)  # type: ignore[typeddict-item] # the keys are some of its keys
    return everything


def _chain(cache: "Cache", ident: str) -> "list[State]":
    """Return a memory with its predecessors and successors: the oldest first, and those not replaced last."""
    states: dict[str, State] = {}
    waiting = [ident]
    while waiting and len(states) < _MOST_LINKED:
        current = waiting.pop()
        state = cache.state(current) if current not in states else None
        if state is None or state.end == "purged":
            continue
        states[current] = state
        waiting += [*state.superseded_by, *pairs.superseded(cache, current)]
    # the active memory is last even if its line is old, because it could have been restored
    return sorted(
        states.values(), key=lambda state: (not state.superseded_by, epoch(state.entry.at or ""), state.entry.id)
    )
