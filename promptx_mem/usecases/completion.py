"""Values for shell completion: ids, tags, topic paths, conversations. Completion never rebuilds an outdated cache."""

import contextlib
from collections.abc import Callable

from promptx_mem.errors import PromptxMemError
from promptx_mem.search import cues, current, pairs
from promptx_mem.search.cache import DAMAGE, Cache
from promptx_mem.search.importance import unscored_memories
from promptx_mem.usecases.context import Context

MOST = 50

Offer = tuple[str, str]
"""A word that completes the typed text, with a description."""


def living(context: Context, begun: str) -> list[Offer]:
    """Return the ids that begin with `begun` and belong to active memories, newest first, with the texts."""
    return _of_each(context, lambda cache, now: cues.newest(cache, begun, now, MOST, lives=True))


def ended(context: Context, begun: str) -> list[Offer]:
    """Return the ids that begin with `begun` and belong to ended memories that were not purged."""
    return _of_each(context, lambda cache, now: cues.newest(cache, begun, now, MOST, lives=False))


def waiting(context: Context, begun: str) -> list[Offer]:
    """Return the ids that begin with `begun` and belong to memories with pending reviews."""

    def read(cache: Cache, now: float) -> list[Offer]:
        entries = [state.entry for state in (*unscored_memories(cache, now), *pairs.open_reviews(cache, now))]
        return [(entry.id, entry.text) for entry in entries if entry.id.startswith(begun)]

    return _of_each(context, read)


def tags(context: Context, begun: str) -> list[Offer]:
    """Return the tags (without #) that begin with `begun`, the most used first."""
    return _of_each(context, lambda cache, _: [(tag, "") for tag in cues.tags_from(cache, begun.casefold(), MOST)])


def topics(context: Context, begun: str) -> list[Offer]:
    """Return the topic paths that begin with `begun`."""
    return _of_each(context, lambda cache, _: [(path, "") for path in cues.paths_from(cache, begun, MOST)])


def conversations(context: Context, begun: str) -> list[Offer]:
    """Return the names of stored conversations that begin with `begun`, the latest first."""
    from promptx_mem.store import conversations as kept

    units = [unit for one in _stores(context) for unit in sorted(kept.units(one.layout), reverse=True)]
    return [(unit, "") for unit in units if unit.startswith(begun)][:MOST]


def _of_each(context: Context, read: Callable[[Cache, float], list[Offer]]) -> list[Offer]:
    """Return words from stores with current caches. Skip other stores: to rebuild a cache would make a person wait."""
    out: dict[Offer, None] = {}
    for one in _stores(context):
        with contextlib.suppress(PromptxMemError, OSError, *DAMAGE):
            if (cache := current.open_if_current(one.layout)) is not None:
                with cache:
                    out |= dict.fromkeys(read(cache, one.now().timestamp()))
    return list(out)[:MOST]


def _stores(context: Context) -> list[Context]:
    return [one for one in context.both() if one.layout.exists()]
