"""Opening of the cache. Before use, the cache is updated from the files."""

import contextlib
import sqlite3

from promptx_mem.errors import StoreError
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.search.cache import Cache, changed, connect
from promptx_mem.store.layout import Layout

if TYPE_CHECKING:
    from promptx_mem.search.cache import Progress
    from promptx_mem.search.follow import Changes
    from promptx_mem.store.writer import Writer


def open_current(where: Layout, progress: "Progress | None" = None) -> Cache:
    """Open the cache for reading. Lines appended by promptx-mem are indexed; after other changes, the cache is rebuilt.

    Raises OSError or StoreError only if the store's files cannot be read.
    """
    cache = open_if_current(where)
    if cache is None:
        cache = _rebuild(where, progress)
        cache.is_new = True
    return cache


def open_if_current(where: Layout) -> Cache | None:
    """Open the cache, and index appended lines if needed. Return None if only a rebuild can make it current."""
    cache = connect(where)
    if cache is None:
        return None
    with contextlib.suppress(sqlite3.Error, OSError, StoreError, ValueError):
        different = changed(cache)
        if not different:
            return cache
        is_new = different != {"recalled"}  # a process that only reads memories appends to this file
        if (not is_new and _add_recalls(cache)) or _follow(cache):
            cache.is_new = is_new
            return cache
    cache.close()
    return None


def open_for_writer(where: Layout) -> Cache:
    """Open the cache for a writer; rebuild it if it is not current. Raises errors as `open_current` does."""
    return open_if_current(where) or _rebuild(where)


def add_appended(cache: Cache, writer: "Writer") -> bool:
    """Index the lines that `writer` has just appended. If this fails, return False; the cache is then outdated."""
    with contextlib.suppress(sqlite3.Error, OSError, StoreError, ValueError):
        return _follow(cache, writer.changes)
    return False


def catch_up(cache: Cache, writer: "Writer") -> None:
    """Index the lines that `writer` has just appended; after other changes, rebuild the cache."""
    if add_appended(cache, writer):
        return
    with contextlib.suppress(sqlite3.Error, OSError, StoreError, ValueError):
        cache.become(open_current(cache.layout))


# A recall of an unchanged store does not need these modules, so they are imported only when needed.


def _rebuild(where: Layout, progress: "Progress | None" = None) -> Cache:
    from promptx_mem.search.build import rebuild

    return rebuild(where, progress)


def _add_recalls(cache: Cache) -> bool:
    from promptx_mem.search.history import catch_up_recalls

    return catch_up_recalls(cache)


def _follow(cache: Cache, changes: "Changes | None" = None) -> bool:
    from promptx_mem.search.follow import follow

    return follow(cache, changes or {})
