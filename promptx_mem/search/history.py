"""What memories are made of, in the cache: where their lines lie, and the events on them."""

import sqlite3
from collections.abc import Container, Iterable, Mapping
from typing import TYPE_CHECKING

from promptx_mem.core.journal import RECALLED, Event, format_event, parse_event
from promptx_mem.core.times import epoch

if TYPE_CHECKING:
    from promptx_mem.store.sources import Line

ADOPTED = 2
"""Stands in `seen` for a line by hand, 0 before, whose time an event has fixed."""


def insert_lines(db: sqlite3.Connection, lines: "Iterable[Line]", rowids: Mapping[str, int]) -> None:
    """Note where lines lie; `rowids` are the rows of those memories that have one."""
    db.executemany(
        "INSERT INTO lines VALUES (?,?,?,?,?,?,?,?)",
        sorted(
            (
                entry.id, start, end - start, archived or "", int(has_time), entry.supersedes or None, entry.was,
                rowids.get(entry.id),
            )
            for entry, start, end, archived, has_time in lines
        ),
    )  # fmt: skip


def insert_events(db: sqlite3.Connection, events: Iterable[Event], loose: Container[Event] = ()) -> None:
    """Keep each event once, and under every memory it acts on its number; `loose` are those in `.recalled` alone."""
    first = (db.execute("SELECT max(number) FROM events").fetchone()[0] or 0) + 1
    numbered = list(enumerate(events, first))
    db.executemany(
        "INSERT INTO events VALUES (?,?,?,?,?)",
        [(n, event.kind, format_event(event), int(event in loose), _recalled_at(event)) for n, event in numbered],
    )
    acts = {(ident, number) for number, event in numbered for ident in (*event.ids, *event.supersedes)}
    db.executemany("INSERT INTO acts VALUES (?,?)", sorted(acts))  # in the order of the table: its pages are full
    adopted = dict.fromkeys(ident for _, event in numbered if event.kind == "adopted" for ident in event.ids)
    db.executemany("UPDATE lines SET seen = ? WHERE id = ? AND seen = 0", [(ADOPTED, ident) for ident in adopted])


def unseen(db: sqlite3.Connection) -> int:
    """How many lines by hand have no time yet that an event has fixed."""
    return int(db.execute("SELECT count(*) FROM lines WHERE seen = 0").fetchone()[0])


def _recalled_at(event: Event) -> float | None:
    return epoch(event.at) if event.kind == RECALLED else None


def events_of(db: sqlite3.Connection, ident: str) -> list[Event]:
    """What has happened to a memory, also under the ids that it had before."""
    raws = [
        row for name in (ident, *former(db, ident))
        for row in db.execute("SELECT raw FROM acts JOIN events ON number = event WHERE id=?", (name,))
    ]  # fmt: skip
    return [event for (raw,) in raws if (event := parse_event(raw)) is not None]


def former(db: sqlite3.Connection, ident: str) -> list[str]:
    """Ids of a memory's first line alone that no line has: what was said of them counts for the memory."""
    query = (
        "SELECT DISTINCT was FROM lines AS one WHERE id = ? AND was IS NOT NULL "
        "AND NOT EXISTS (SELECT 1 FROM lines WHERE id = one.was)"
    )
    return [row[0] for row in db.execute(query, (ident,))]


def present(db: sqlite3.Connection, ident: str) -> list[str]:
    """Ids of the entries whose first line alone had this id."""
    return [row[0] for row in db.execute("SELECT DISTINCT id FROM lines WHERE was = ?", (ident,))]
