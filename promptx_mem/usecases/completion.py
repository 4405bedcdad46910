"""Values for shell completion: ids, tags, topic paths. Completion never rebuilds an outdated cache."""

import contextlib
from collections.abc import Callable

from promptx_mem.core.durations import NAMES as DURATIONS
from promptx_mem.errors import PromptxMemError
from promptx_mem.search import cues, current
from promptx_mem.search.cache import DAMAGE, Cache
from promptx_mem.usecases.context import Context

MOST = 50

Offer = tuple[str, str]
"""A word that completes the typed text, with a description."""


def active_ids(context: Context, begun: str) -> list[Offer]:
    """Return the ids that begin with `begun` and belong to active memories, newest first per store, with the texts."""
    return _of_each(context, lambda cache, now: cues.newest(cache, begun, now, MOST, lives=True))


def ended_ids(context: Context, begun: str) -> list[Offer]:
    """Return the ids that begin with `begun` and belong to ended memories that were not purged."""
    return _of_each(context, lambda cache, now: cues.newest(cache, begun, now, MOST, lives=False))


def tags(context: Context, begun: str) -> list[Offer]:
    """Return the tags (without #) that begin with `begun`, the most used first per store."""
    folded = begun.casefold()
    return _of_each(context, lambda cache, _: [(tag, "") for tag in cues.labels(cache, cues.TAGS, folded, MOST)])


def topics(context: Context, begun: str) -> list[Offer]:
    """Return the topic paths that begin with `begun`."""
    return _of_each(context, lambda cache, _: [(path, "") for path in cues.labels(cache, cues.PATHS, begun, MOST)])


def tags_or_ids(context: Context, begun: str) -> list[Offer]:
    """Return tags if the typed text begins with #, or ids if it begins with `m_`."""
    if begun.startswith("#"):
        return [(f"#{tag}", "") for tag, _ in tags(context, begun[1:])]
    return active_ids(context, begun) if begun.startswith("m_") else []


def of_text(context: Context, begun: str) -> list[Offer]:
    """Return tags, or the values of `duration:`."""
    if begun.startswith("#"):
        return tags_or_ids(context, begun)
    return [(f"duration:{name}", "") for name in DURATIONS] if begun.startswith("d") else []


def _of_each(context: Context, read: Callable[[Cache, float], list[Offer]]) -> list[Offer]:
    """Return at most MOST words from stores with current caches. Skip other stores, since a rebuild takes too long."""
    out: dict[Offer, None] = {}
    for one in context.both():
        with contextlib.suppress(PromptxMemError, OSError, *DAMAGE):
            if (cache := current.open_if_current(one.layout)) is not None:
                with cache:
                    out |= dict.fromkeys(read(cache, one.moment))
    return list(out)[:MOST]
