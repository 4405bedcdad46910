"""Bring MEMORY.md up to date where a fault, or somebody's edit, has left it behind; nothing here waits or fails.

That it is behind is told by one byte of `.intent`, which every append sets and whoever has refreshed MEMORY.md clears.
"""

import contextlib
import os
from typing import TYPE_CHECKING

from promptx_mem.errors import PromptxMemError
from promptx_mem.search import current
from promptx_mem.search.cache import DAMAGE, Cache
from promptx_mem.store import intent
from promptx_mem.usecases import index

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context

BEHIND = "it is done, but MEMORY.md is behind until the next recall"

_NO_WAIT = 0.0


def by_writer(context: "Context", cache: Cache | None) -> tuple[str, ...]:
    """Under the lock, with what was committed in the cache; returns a warning where MEMORY.md stays behind."""
    if not intent.is_behind(context.layout):
        return ()
    if cache is not None:
        index.refresh(context, cache)
    return (BEHIND,) if intent.is_behind(context.layout) else ()


def by_reader(context: "Context", cache: Cache) -> None:
    """Where MEMORY.md is behind, or was there before the cache was made anew, and nobody is writing."""
    where = context.layout
    if context.config.problem is not None:
        return
    if intent.is_behind(where) or (cache.is_new and os.path.lexists(where.memory_md)):
        with contextlib.suppress(OSError, PromptxMemError, *DAMAGE):
            context.store.write(lambda _: index.refresh(context, cache), wait=_NO_WAIT)


def now(context: "Context") -> tuple[str, ...]:
    """For who has opened no cache; returns a warning where MEMORY.md stays behind."""
    if not intent.is_behind(context.layout):
        return ()
    faults = contextlib.suppress(OSError, PromptxMemError, *DAMAGE)
    with faults, current.open_current(context.layout) as cache:
        by_reader(context, cache)
    return (BEHIND,) if intent.is_behind(context.layout) else ()
