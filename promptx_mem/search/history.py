"""Lines and events in the cache: the positions of each memory's lines in the files, and each memory's events."""

import os
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain

from promptx_mem.core.journal import Event, parse_event
from promptx_mem.places import members_folder
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.search.cache import Cache

if TYPE_CHECKING:
    from promptx_mem.store.layout import Layout
    from promptx_mem.store.members import Members
    from promptx_mem.store.parsing import Line


LinePlace = tuple[int, int, str]
"""A line's start and end in bytes, and its file: declarative.md (""), the episodes or an unpacked archive file."""


def insert_lines(db: sqlite3.Connection, lines: "Iterable[Line]", rowids: Mapping[str, int]) -> None:
    """Record the positions of lines. `rowids` maps ids to rowids in `memories`. It omits ids without a row."""
    db.executemany(
        "INSERT INTO lines VALUES (?,?,?,?,?,nullif(?,''),nullif(?,''),?)",
        sorted(
            (
                entry.id, start, end - start, archived or "", int(has_time), entry.supersedes or "", entry.was or "",
                rowids.get(entry.id),
            )
            for entry, start, end, archived, has_time in lines
        ),
    )  # fmt: skip


def events(cache: Cache, ident: str) -> list[Event]:
    """Return the events of a memory, including events with its former ids, in no particular order.

    An event that a merge of two journals has put into the file twice is returned once.
    """
    query = "SELECT DISTINCT raw FROM acts JOIN events ON number = event WHERE id = ?"
    return [event for name in (ident, *former_ids(cache.db, ident)) for event in parsed(cache, query, name)]


def parsed(cache: Cache, query: str, *params: object) -> list[Event]:
    """Return the events in the rows of a query."""
    return [event for (raw,) in cache.db.execute(query, params) if (event := parse_event(raw)) is not None]


def former_ids(db: sqlite3.Connection, ident: str) -> list[str]:
    """Return a memory's former ids (`was`) that no line has. Events with these ids apply to the memory."""
    query = (
        "SELECT DISTINCT was FROM lines AS one WHERE id = ? AND was IS NOT NULL "
        "AND NOT EXISTS (SELECT 1 FROM lines WHERE id = one.was)"
    )
    return [row[0] for row in db.execute(query, (ident,))]


def current_ids(db: sqlite3.Connection, ident: str) -> list[str]:
    """Return the current ids of the memories that had this id in the first version of promptx-mem."""
    return [row[0] for row in db.execute("SELECT DISTINCT id FROM lines WHERE was = ?", (ident,))]


def lines_and_events(cache: Cache, idents: Iterable[str]) -> "Iterator[tuple[str, list[Line], list[Event]]]":
    """Yield each memory's id, lines and events. The lines include lines that supersede the memory."""
    from promptx_mem.store import parsing

    places: dict[str, list[LinePlace]] = {}
    for ident in idents:
        over = (line_places(cache, name, "supersedes") for name in (ident, *former_ids(cache.db, ident)))
        places[ident] = [*line_places(cache, ident), *chain.from_iterable(over)]
    wanted = [(start, stop) for spans in places.values() for start, stop, archived in spans if not archived]
    pieces = dict(zip(wanted, parsing.read_ranges(cache.layout.declarative, wanted), strict=True))
    for ident, spans in places.items():
        acts = events(cache, ident)
        lines = [line for place in spans for line in _read_lines(cache, place, pieces)]
        yield ident, list(parsing.with_adopted_times(lines, acts)), acts


def _read_lines(cache: Cache, place: LinePlace, pieces: Mapping[tuple[int, int], bytes]) -> "list[Line]":
    from promptx_mem.store import files, parsing

    start, stop, archived = place
    where = cache.layout
    if archived == parsing.EPISODES:
        return parsing.episode_lines(files.read(where.episodes, start, stop - start) or b"", start)
    if archived:
        from promptx_mem.store import archive
    data = archive.read_permitted(where, archived)[start:stop] if archived else pieces[start, stop]
    return parsing.read_lines(data, cache.meta("seen_at"), archived).lines


def line_places(cache: Cache, ident: str, column: str = "id") -> list[LinePlace]:
    """Return the positions of a memory's lines. With `column` "supersedes", of lines that supersede the memory."""
    query = f"SELECT start, start + size, archived FROM lines WHERE {column} = ?"  # noqa: S608 - a name of ours
    return [tuple(row) for row in cache.db.execute(query, (ident,))]


def has_events(cache: Cache, ident: str) -> bool:
    """Return whether there are events about an id, even if no line has this id."""
    return cache.has("acts WHERE id = ?", ident)


def has_event(cache: Cache, event: Event) -> bool:
    """Return whether the cache has an event."""
    query = "SELECT raw FROM acts JOIN events ON number = event WHERE id = ? AND kind = ?"
    return event in parsed(cache, query, event.ids[0], event.kind)


def is_any_recalled_since(cache: Cache, moment: float) -> bool:
    """Return whether any memory was recalled at `moment` or later."""
    return cache.has("events WHERE recalled_at >= ?", moment)


def senders(layout: "Layout", idents: Collection[str] | None = None) -> "Members | None":
    """Return the records of members who sent memories; None for a store that was never synced with a server."""
    folder = members_folder()
    if not os.path.lexists(str(layout.team)) and (folder is None or not os.path.isdir(folder)):
        return None
    from promptx_mem.store import members

    return members.read(layout, idents)
