"""What memories are made of: their lines, read where they lie, and the events on them."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping

from promptx_mem.core.journal import Event
from promptx_mem.search import history
from promptx_mem.search.cache import Cache
from promptx_mem.store import archive, episodes, files, sources
from promptx_mem.store.sources import Line


def of(cache: Cache, idents: Iterable[str]) -> Iterator[tuple[str, list[Line], list[Event]]]:
    """Give each memory's id, its lines with those that supersede it, and the events on it."""
    places = {ident: _places(cache.db, ident) for ident in idents}
    wanted = [place[:2] for spans in places.values() for place in spans if not place[2]]
    pieces = dict(zip(wanted, files.read_pieces(cache.layout.declarative, wanted), strict=True))
    for ident, spans in places.items():
        events = history.events_of(cache.db, ident)
        lines = [line for place in spans for line in _read_lines(cache, *place, pieces)]
        yield ident, list(sources.settled(lines, events)), events


def _places(db: sqlite3.Connection, ident: str) -> list[tuple[int, int, str]]:
    spans = db.execute("SELECT start, start + size, archived FROM lines WHERE id=?", (ident,)).fetchall()
    for one in (ident, *history.former(db, ident)):
        spans += db.execute("SELECT start, start + size, archived FROM lines WHERE supersedes=?", (one,)).fetchall()
    return [(start, stop, archived) for start, stop, archived in spans]


def _read_lines(
    cache: Cache, start: int, stop: int, archived: str, pieces: Mapping[tuple[int, int], bytes]
) -> list[Line]:
    where = cache.layout
    if archived == episodes.NAME:
        return sources.episode_lines(files.read(where.episodes, start, stop - start) or b"", start)
    data = archive.read_permitted(where, archived)[start:stop] if archived else pieces[start, stop]
    return sources.read_lines(data, cache.meta("seen_at"), archived).lines
