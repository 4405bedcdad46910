"""MEMORY.md, built from the cache and replaced if its content changes. Updates ignore errors, except `put`."""

import contextlib
import datetime
import os

from promptx_mem.core import state as freshness
from promptx_mem.core.digest import MAX_LINES, Digest, IndexItem, annotation, as_of, render_index
from promptx_mem.core.json_text import dumps, load_object
from promptx_mem.core.state import OWN, is_unverified
from promptx_mem.core.text import pattern
from promptx_mem.errors import PromptxMemError, StoreError
from promptx_mem.search import history, importance
from promptx_mem.search.cache import DAMAGE, Cache, changed, is_any_contradicted
from promptx_mem.search.writes import write
from promptx_mem.store import checks, disk, files, intent
from promptx_mem.store.layout import Layout
from promptx_mem.usecases.context import Context

_BEGINS = "# Memory index\n<!-- as of "


def refresh(context: Context, cache: Cache, now: datetime.datetime | None = None) -> bool:
    """Replace MEMORY.md if its content changes. Return whether it was replaced. Errors are ignored.

    The caller holds the lock. If the cache is not current, nothing happens, and MEMORY.md stays marked as out of date.
    """
    with contextlib.suppress(OSError, *DAMAGE):
        if not changed(cache):
            try:
                return put(context, cache, (now or context.now()).replace(microsecond=0))[1]
            except StoreError:  # the file belongs to another program: leave it
                intent.note_index_current(context.layout)
    return False


def refresh_after(context: Context, cache: Cache, ident: str, now: datetime.datetime) -> tuple[str, ...]:
    """Update MEMORY.md after the memory `ident` was stored. Return a warning if MEMORY.md has no room for it."""
    with contextlib.suppress(OSError, StoreError, *DAMAGE):
        hidden = _put_count(context, cache, ident, now)
        if not hidden:
            digest, is_new = put(context, cache, moment := now.replace(microsecond=0))
            hidden = digest.hidden if digest.limit is not None and ident not in digest.ids else 0
            if hidden and is_new and digest.end is not None:
                # the rank after which MEMORY.md shows no memory, for `_put_count`
                begin, shown = f"{_BEGINS}{moment.isoformat()} -->\n", len(digest.ids)
                last = {"begin": begin, "moment": moment.timestamp(), "journal": cache.meta("journal"), "shown": shown}
                write(cache, lambda: cache.set_meta(index=dumps({**last, "end": digest.end})))
        if hidden:
            return (f"MEMORY.md is full: this memory is one of {hidden} that it does not show; recall finds it",)
    return ()


_COUNT = r" (\d+) memories are not shown\."
_FRESH = 3600
"""In this number of seconds after a build, a hidden new memory changes only the count. Later, ages are updated."""


def _put_count(context: Context, cache: Cache, ident: str, now: datetime.datetime) -> int:
    """If MEMORY.md has no room for a new memory, add 1 to the file's number of hidden memories. Return the new number.

    Return 0 and change nothing if the memory could fit, or if MEMORY.md must be built again for another reason.
    """
    if not (noted := cache.meta("index")):
        return 0
    known, state = load_object(noted) or {}, cache.state(ident)
    old = read(context.layout) or ""
    found = pattern(_COUNT).search(old, old.rfind("\n> "))
    if state is None or found is None or known["journal"] != cache.meta("journal"):
        return 0
    own, moment, hidden = context.origin.is_own, float(known["moment"]), int(found[1]) + 1
    place = importance.ranked(0, state, moment, own=own).place
    if place <= tuple(known["end"]) or place[0] == freshness.BAND_EPISODE or not 0 <= now.timestamp() - moment < _FRESH:
        return 0
    total = importance.active(cache, moment) - len(importance.unscored_memories(cache, moment))
    if total != known["shown"] + hidden or len(str(hidden)) != len(found[1]) or not old.startswith(known["begin"]):
        return 0
    text = f"{old[: found.start(1)]}{hidden}{old[found.end(1) :]}"
    disk.replace(context.layout.memory_md, text.encode(), context.layout.mode)
    if not changed(cache):
        intent.note_index_current(context.layout)
    return hidden


def put(context: Context, cache: Cache, moment: datetime.datetime) -> tuple[Digest, bool]:
    """Write MEMORY.md if its content changes. Return the index and whether it was written.

    Raises StoreError if another program wrote the file.
    """
    where = context.layout
    old = read(where)
    digest = digest_of(context, cache, moment)
    if old is not None:
        if is_foreign(old):
            from promptx_mem.core.shell import join

            path = os.path.join(where.display(), os.path.basename(where.memory_md))
            hint = "move it away: " + join(["mv", path, f"{path}.old"])
            message = "MEMORY.md was not written by promptx-mem, so it was not changed"
            raise StoreError(message, code="foreign_index", hint=hint)
        before = as_of(old)
        if before and _body(old) == _body(digest.text) and digest_of(context, cache, before).text == old:
            intent.note_index_current(where)
            return digest, False
    disk.replace(where.memory_md, digest.text.encode(), where.mode)
    if not changed(cache):
        intent.note_index_current(where)
    return digest, True


def digest_of(context: Context, cache: Cache, moment: datetime.datetime) -> Digest:
    """Return the index for a moment."""
    now = moment.timestamp()
    config, own = context.config.freshness, context.origin.is_own
    # Recalls after `moment` are ignored, because only writers update MEMORY.md.
    before = None
    if history.is_any_recalled_since(cache, now):
        from promptx_mem.search.recalls import Before

        before = Before(cache, now)
    ranked = importance.facts(cache, now, MAX_LINES, own=own, before=before)
    ranked += importance.talks(cache, now, freshness.MOST, own=own, before=before)
    items = []
    for _, state, (band, most, other, accessed, noted, _) in ranked:
        entry = state.entry
        age = annotation(state.fresh_at, freshness.threshold_for(config, entry.type), now)
        origin, ranks = context.origin.of(state.origin), (band, -noted, not other)
        note = ("" if origin == OWN else f" _(origin: {origin})_") + " _(unverified)_" * is_unverified(state) + age
        items.append(IndexItem(entry.id, entry.text, state.tags, entry.topic, -most, -accessed, note, *ranks))
    if is_any_contradicted(cache):
        from promptx_mem.search.pairs import arranged

        items = arranged(cache, items, {one.state.entry.id: (one.rowid, one.state) for one in ranked}, now)
    total = importance.active(cache, now) - len(importance.unscored_memories(cache, now))
    return render_index(items, now=moment, total=total, talking=importance.active_talks(cache, now))


def read(where: Layout) -> str | None:
    """Return the text of MEMORY.md, or None if there is no such file."""
    data = files.read(where.memory_md)
    return None if data is None else data.decode("utf-8", "replace")


def is_foreign(text: str) -> bool:
    """Return whether another program wrote the text. A file that was emptied or cut by a power failure is ours."""
    return bool(text.strip()) and not text.startswith((_BEGINS, "\0")) and not _BEGINS.startswith(text)


def _body(text: str) -> str:
    return text.removeprefix(_BEGINS).partition("\n")[2]


BEHIND = "done, but MEMORY.md is out of date until the next recall"


def still_behind(context: Context) -> tuple[str, ...]:
    """Return a warning if MEMORY.md is out of date."""
    return (BEHIND,) if checks.is_index_outdated(context.layout) else ()


def by_writer(context: Context, cache: Cache) -> tuple[str, ...]:
    """Update MEMORY.md after the cache was updated. The caller holds the lock. Return a warning if this fails."""
    if not checks.is_index_outdated(context.layout):
        return ()
    refresh(context, cache)
    return still_behind(context)


def by_reader(context: Context, cache: Cache) -> None:
    """Update MEMORY.md if it is out of date or the cache was rebuilt, unless another process is writing."""
    where = context.layout
    if context.config.problem is not None:
        return
    if checks.is_index_outdated(where) or (cache.is_new and os.path.lexists(where.memory_md)):
        with contextlib.suppress(OSError, PromptxMemError, *DAMAGE):
            context.store.write(lambda _: refresh(context, cache), wait=0)


def update(context: Context) -> tuple[str, ...]:
    """Update MEMORY.md when no cache is open. Return a warning if this fails."""
    if checks.is_index_outdated(context.layout):
        with contextlib.suppress(OSError, PromptxMemError, *DAMAGE), context.cache() as cache:
            by_reader(context, cache)
    return still_behind(context)
