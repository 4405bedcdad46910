"""One memory by its id, active or ended, with its history: `show ID` and `recall ID`."""

from typing import TYPE_CHECKING

from promptx_mem.core.ids import PREFIX
from promptx_mem.core.times import epoch
from promptx_mem.search import history, memories
from promptx_mem.search.ranking import Hit

if TYPE_CHECKING:
    from promptx_mem.core.state import State
    from promptx_mem.search.cache import Cache
    from promptx_mem.usecases.recall.cues import Cues

LEAST = len("m_") + 1
SURE = len("m_") + 4
"""Characters of an id from which on its beginning is taken for one, and also where it stands in some text."""

_MOST = 10_000
_MOST_LINKED = 1_000
_OTHERS = ("topics", "dates", "type", "category", "session", "min_score", "since", "until")


def is_id(words: str) -> bool:
    """Tell whether a text is an id, or how one begins."""
    return len(words) >= LEAST and PREFIX.fullmatch(words.lower()) is not None


def find(cache: "Cache", words: str) -> list[Hit]:
    """The memories whose id is, or begins with, all that a text is; none where it is no id, or none of this store."""
    prefix = words.lower()
    if not is_id(prefix):
        return []
    states = [cache.state(ident) for ident in cache.matching(prefix, _MOST)]
    hits = [Hit(0, state, via=["id"]) for state in states if state is not None and state.end != "purged"]
    return [] if hits and len(prefix) < SURE and memories.is_in_a_text(cache, prefix) else hits


def not_applied(cues: "Cues", tags: tuple[str, ...]) -> str:
    """Name the cues and filters that an id leaves without effect; empty where there are none."""
    fields = [name for name in _OTHERS if getattr(cues, name) not in (None, ())]
    names = ["--" + name.removesuffix("s").replace("_", "-") for name in fields] + [f"#{tag}" for tag in tags]
    return f"an id is looked up by itself: {', '.join(names)} had no effect" if names else ""


def chain(cache: "Cache", ident: str) -> "list[State]":
    """Return a memory with all it replaced and all that replaced it, oldest first, the active one last."""
    states: dict[str, State] = {}
    waiting = [ident]
    while waiting and len(states) < _MOST_LINKED:
        current = waiting.pop()
        state = cache.state(current) if current not in states else None
        if state is None or state.end == "purged":
            continue
        states[current] = state
        waiting += [*state.superseded_by, *history.superseded(cache, current)]
    # one that came back over what had superseded it is newer than its line says
    return sorted(
        states.values(), key=lambda state: (not state.superseded_by, epoch(state.entry.at or ""), state.entry.id)
    )
