"""Values for shell completion: ids, tags, topic paths, conversations. Completion never rebuilds an outdated cache."""

import contextlib
from collections.abc import Callable, Iterator

from promptx_mem.errors import PromptxMemError
from promptx_mem.record import TYPE_CHECKING, NamedTuple
from promptx_mem.search import current, labels, memories
from promptx_mem.search.cache import DAMAGE, Cache, unscored_memories

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context

MOST = 50


class Offer(NamedTuple):
    """A word that completes the typed text, with a description."""

    word: str
    about: str = ""


def living(context: "Context", begun: str) -> list[Offer]:
    """Return the ids that begin with `begun` and belong to active memories, newest first, with the texts."""
    return _of_each(context, lambda cache, now: _ids(memories.newest(cache, begun, now, MOST, lives=True)))


def ended(context: "Context", begun: str) -> list[Offer]:
    """Return the ids that begin with `begun` and belong to ended memories that were not purged."""
    return _of_each(context, lambda cache, now: _ids(memories.newest(cache, begun, now, MOST, lives=False)))


def waiting(context: "Context", begun: str) -> list[Offer]:
    """Return the ids that begin with `begun` and belong to memories with pending reviews."""

    def read(cache: Cache, now: float) -> list[Offer]:
        states = [*unscored_memories(cache, now), *memories.open_reviews(cache, now)]
        return _ids([(s.entry.id, s.entry.text) for s in states if s.entry.id.startswith(begun)][:MOST])

    return _of_each(context, read)


def tags(context: "Context", begun: str) -> list[Offer]:
    """Return the tags (without #) that begin with `begun`, the most used first."""
    return _of_each(context, lambda cache, _: [Offer(tag) for tag in labels.tags_from(cache, begun.casefold(), MOST)])


def topics(context: "Context", begun: str) -> list[Offer]:
    """Return the topic paths that begin with `begun`."""
    return _of_each(context, lambda cache, _: [Offer(path) for path in labels.paths_from(cache, begun, MOST)])


def conversations(context: "Context", begun: str) -> list[Offer]:
    """Return the names of stored conversations that begin with `begun`, the latest first."""
    from promptx_mem.store import conversations as kept

    return [
        Offer(unit)
        for one in _stores(context)
        for unit in sorted(kept.units(one.layout), reverse=True)
        if unit.startswith(begun)
    ][:MOST]


def _ids(pairs: list[tuple[str, str]]) -> list[Offer]:
    return [Offer(ident, text) for ident, text in pairs]


def _of_each(context: "Context", read: Callable[[Cache, float], list[Offer]]) -> list[Offer]:
    """Return words from stores with current caches. Skip other stores: to rebuild a cache would make a person wait."""
    out: dict[Offer, None] = {}
    for one in _stores(context):
        with contextlib.suppress(PromptxMemError, OSError, *DAMAGE):
            cache = current.open_if_current(one.layout)
            if cache is not None:
                with cache:
                    out |= dict.fromkeys(read(cache, one.now().timestamp()))
    return list(out)[:MOST]


def _stores(context: "Context") -> "Iterator[Context]":
    return (one for one in context.both() if one.layout.exists())
