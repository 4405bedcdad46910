"""Recalls in the cache: they count from the moment they happen, also as long as they stand in `.recalled` alone."""

import zlib
from typing import TYPE_CHECKING, Any

from promptx_mem.core import use
from promptx_mem.core.journal import RECALLED, Event, format_event, parse_event
from promptx_mem.core.state import State, lives
from promptx_mem.core.times import epoch
from promptx_mem.search import history, memories, rows
from promptx_mem.search.cache import Cache, identity
from promptx_mem.store import members, recalled

if TYPE_CHECKING:
    from collections.abc import Iterable

    from promptx_mem.store.sources import Sources


def loose(everything: "Sources") -> set[Event]:
    """The events that stand in `.recalled` and not in the journal yet."""
    journal = set(everything.journal.decode("utf-8", "replace").split("\n"))
    return {event for event in recalled.events(everything.recalled) if format_event(event) not in journal}


def meta(data: bytes, stamp: str) -> dict[str, Any]:
    """What the cache notes of the file that held `data`, when it was as `stamp` says."""
    return {"recalled": stamp, "recalled_size": len(data), "recalled_crc": zlib.crc32(data)}


def catch_up(cache: Cache) -> bool:
    """Take in what was appended to `.recalled`, where nothing else was written; False where that takes a fold.

    Raises sqlite3.Error, ValueError.
    """
    with cache.writing() as write:
        write.keep = _catch_up(cache)
    return write.keep and cache.hold()


def _catch_up(cache: Cache) -> bool:
    db = cache.db
    stamp = identity(cache.layout.recalled)
    data = recalled.loose(cache.layout)
    size = int(cache.meta("recalled_size") or 0)
    if len(data) < size or zlib.crc32(data[:size]) != int(cache.meta("recalled_crc") or 0):
        return False
    last, living, at = (float(cache.meta(key) or 0) for key in ("k", "living", "living_at"))
    fresh = recalled.events(data[size:])
    used = memories.by_id(cache, {ident for event in fresh for ident in event.ids})
    for event in fresh:
        if event.k <= last:
            return False
        last = event.k
        for ident in event.ids:
            if ident not in used:
                return False
            rowid, old = used[ident]
            if (new := use.recalled(old, epoch(event.at))) is None:
                return False
            living += lives(new, at) - lives(old, at)
            used[ident] = rowid, new
    rows.use(db, list(used.values()))
    history.insert_events(db, fresh, set(fresh))
    cache.set_meta(k=max(int(cache.meta("k") or 0), *(event.k for event in fresh), 0), living=int(living))
    cache.set_meta(**meta(data, stamp))
    return True


def follow(cache: Cache, journal: list[Event]) -> tuple[list[Event], list[Event]] | None:
    """Split what is new: the events of the journal's tail, and the recalls of `.recalled`.

    None where a recall that was indexed stands nowhere any more. One that has moved into the journal is noted so.
    """
    db = cache.db
    lifted = [event for event in journal if event.kind == RECALLED and _is_there(cache, event)]
    db.executemany(
        "UPDATE events SET loose = 0 WHERE loose = 1 AND raw = ?", [(format_event(event),) for event in lifted]
    )
    stamp = identity(cache.layout.recalled)
    fresh: list[Event] = []
    if stamp != cache.meta("recalled"):
        data = recalled.loose(cache.layout)
        size = int(cache.meta("recalled_size") or 0)
        grown = len(data) >= size and zlib.crc32(data[:size]) == int(cache.meta("recalled_crc") or 0)
        recalls = recalled.events(data[size:] if grown else data)
        if not grown:
            raws = {raw for (raw,) in db.execute("SELECT raw FROM events WHERE loose = 1")}
            if raws - {format_event(event) for event in recalls}:
                return None
        fresh = [event for event in dict.fromkeys(recalls) if event not in journal and not _is_there(cache, event)]
        cache.set_meta(**meta(data, stamp))
    return [event for event in journal if event not in lifted], fresh


class Before:
    """The memories that were recalled at `moment` or later, as they are without these recalls.

    A recall takes nothing from what a memory is worth: what does not stand high with it does not without it.
    """

    def __init__(self, cache: Cache, moment: float) -> None:
        raws = cache.db.execute("SELECT raw FROM events WHERE recalled_at >= ?", (moment,))
        self.ids = frozenset(ident for (raw,) in raws if (event := parse_event(raw)) for ident in event.ids)
        self._cache, self._moment = cache, moment

    def states(self, ids: "Iterable[str]") -> dict[str, State]:
        """Fold those of `ids` that were recalled."""
        wanted = [ident for ident in ids if ident in self.ids]
        if not wanted:
            return {}
        from promptx_mem.core.events import fold_all
        from promptx_mem.search import parts

        out = {}
        noted = members.read(self._cache.layout, wanted)
        for ident, lines, events in parts.of(self._cache, wanted):
            kept = [one for one in events if one.kind != RECALLED or epoch(one.at) < self._moment]
            if state := fold_all((line.entry for line in lines), kept).get(ident):
                out[ident] = noted.mark({ident: state}, [line.entry for line in lines])[ident]
        return out


def _is_there(cache: Cache, event: Event) -> bool:
    cursor = cache.db.execute(
        "SELECT raw FROM acts JOIN events ON number = event WHERE id = ? AND kind = ?", (event.ids[0], event.kind)
    )
    return any(parse_event(raw) == event for (raw,) in cursor)
