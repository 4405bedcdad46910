"""Opening of the cache. Before use, the cache is updated from the files."""

import contextlib
import sqlite3

from promptx_mem.errors import BusyError, StoreError
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.search.cache import Cache, Progress, changed, connect
from promptx_mem.store.layout import Layout

if TYPE_CHECKING:
    from promptx_mem.search.follow import Changes
    from promptx_mem.store.writer import Writer


# A recall of an unchanged store does not need `build`, `follow`, `recalls` and `writes`: they are imported when needed.


is_hurried = False
"""True while a hook runs (see `memory.hurried`)."""


def open_current(where: Layout, progress: "Progress | None" = None) -> Cache:
    """Open the cache for reading. Lines appended by promptx-mem are indexed; after other changes, the cache is rebuilt.

    Raises OSError or StoreError only if the store's files cannot be read; BusyError if a hook would wait too long.
    """
    cache = open_if_current(where)
    if cache is None:
        from promptx_mem.search import build
        from promptx_mem.store import disk

        if is_hurried and disk.is_large(where):
            build.start(where)
            raise BusyError("the store's cache is being rebuilt in the background", hint="try again in a few seconds")
        cache = build.rebuild(where, progress)
        cache.is_new = True
    return cache


def open_if_current(where: Layout) -> Cache | None:
    """Open the cache, and index appended lines if needed. Return None if a rebuild is needed."""
    cache = connect(where)
    if cache is None:
        return None
    with contextlib.suppress(sqlite3.Error, OSError, StoreError, ValueError):
        different = changed(cache)
        if not different:
            return cache
        is_new = different != {"recalled"}  # a process that only reads memories appends to this file
        if not is_new:
            from promptx_mem.search.recalls import catch_up_recalls
            from promptx_mem.search.writes import write

            if write(cache, lambda: catch_up_recalls(cache)):
                return cache
        if add_appended(cache, {}):
            cache.is_new = is_new
            return cache
    cache.close()
    return None


def add_appended(cache: Cache, changes: "Changes") -> bool:
    """Index appended lines. `changes` are a writer's own appends. Return False if a rebuild is needed."""
    from promptx_mem.search.follow import follow
    from promptx_mem.search.writes import write

    with contextlib.suppress(sqlite3.Error, OSError, StoreError, ValueError):
        return write(cache, lambda: follow(cache, changes))
    return False


def catch_up(cache: Cache, writer: "Writer") -> None:
    """Index the lines that `writer` has just appended; after other changes, rebuild the cache."""
    if not add_appended(cache, writer.changes):
        with contextlib.suppress(sqlite3.Error, OSError, StoreError, BusyError, ValueError):
            cache.become(open_current(cache.layout))
