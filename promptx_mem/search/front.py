"""The front: the facts that a ranking put first, kept so that the next ranking need not walk the bands again.

A memory is worth less from step to step unless something happens to it. So what stood behind the last of the front
stands behind that mark at every later moment too, and whatever is new or changed joins the front where it might stand
before it. Of the front, ranked anew, all that stand before the mark therefore stand where a full ranking has them.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from promptx_mem.core import order

if TYPE_CHECKING:
    from promptx_mem.core.state import State

SCHEMA = "CREATE TABLE front(row INTEGER PRIMARY KEY);"

SPARE = 64
"""More than are shown, so that some may fade before the bands are walked again."""

Place = tuple[int, float, float, float, str]
"""Where a fact stands, the least first: band, importance, last access and when it was noted (negated), id."""


class Mark(NamedTuple):
    """When the front was taken, epoch seconds, and the place of its last; None where it held all that lived."""

    since: float
    last: Place | None


def place_of(state: "State") -> Place:
    """The first place that a memory can have, now or later, if nothing more happens to it."""
    return order.band(state), -state.importance, -state.accessed, -state.first_at, state.entry.id


def mark(db: sqlite3.Connection) -> Mark | None:
    """The mark of the front; None where none was taken."""
    row = db.execute("SELECT value FROM meta WHERE key = 'front'").fetchone()
    if row is None:
        return None
    since, last = json.loads(row[0])
    return Mark(since, None if last is None else tuple(last))


def take(db: sqlite3.Connection, ids: Iterable[str], new: Mark) -> None:
    """Begin a front anew."""
    db.execute("DELETE FROM front")
    db.executemany(
        "INSERT OR IGNORE INTO front SELECT row FROM lines WHERE id = ? AND row IS NOT NULL LIMIT 1",
        [(ident,) for ident in ids],
    )
    db.execute("INSERT OR REPLACE INTO meta VALUES ('front', ?)", (json.dumps(new),))


def join(db: sqlite3.Connection, rows: Sequence[tuple[int, "State"]]) -> None:
    """Let those into the front that are new or changed and may stand before its mark."""
    if not rows or (now := mark(db)) is None:
        return
    db.executemany(
        "INSERT OR IGNORE INTO front VALUES (?)",
        [(rowid,) for rowid, state in rows if now.last is None or place_of(state) < now.last],
    )
