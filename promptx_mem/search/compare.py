"""Whether the cache says what the files say: row by row against one that is made anew in memory."""

import os
import sqlite3
from collections.abc import Mapping
from typing import Literal, NamedTuple

from promptx_mem.search import build, importance, place
from promptx_mem.search.cache import Cache, connect, is_current
from promptx_mem.search.rows import Progress
from promptx_mem.store.layout import Layout
from promptx_mem.store.sources import Sources


class Comparison(NamedTuple):
    """What became of it; `differences` names ids whose rows differ, and tables that do."""

    outcome: Literal["absent", "unusable", "behind", "compared"]
    differences: tuple[str, ...] = ()


def compare(
    where: Layout, everything: Sources, stamps: Mapping[str, str], now: float, progress: Progress | None = None
) -> Comparison:
    """Compare the cache, where it claims to be current, with `everything`, read when the files were as `stamps` say."""
    present = connect(where)
    if present is None:
        return Comparison("unusable" if any(os.path.lexists(spot.path) for spot in place.places(where)) else "absent")
    try:
        if not is_current(present):
            return Comparison("behind")
        fresh = build.in_memory(where, everything, {**stamps, "seen_at": present.meta("seen_at")}, progress)
        try:
            return Comparison("compared", tuple(_differences(present, fresh, now)))
        finally:
            fresh.close()
    except sqlite3.Error as error:
        return Comparison("compared", (f"it cannot be read ({error})",))
    finally:
        present.close()


def _differences(present: Cache, fresh: Cache, now: float) -> list[str]:
    lying = "SELECT 1 FROM lines WHERE lines.id = memories.id AND lines.row = memories.rowid"
    rows = f"SELECT *, EXISTS ({lying}) FROM memories ORDER BY id"  # noqa: S608 - a constant
    old, new = ({row["id"]: tuple(row)[1:] for row in cache.db.execute(rows)} for cache in (present, fresh))
    # A line by hand takes the file's time until the next writing command fixes it; that time moves.
    unseen = {ident for _, ident in present.unseen()}
    differ = [ident for ident in sorted(old.keys() | new.keys()) if old.get(ident) != new.get(ident)]
    out = [ident for ident in differ if ident not in unseen]
    lines = "SELECT id, start, size, archived FROM lines ORDER BY 1, 2, 3, 4"
    if [tuple(row) for row in present.db.execute(lines)] != [tuple(row) for row in fresh.db.execute(lines)]:
        out.append("where lines lie")
    if not unseen and importance.active(present, now) != importance.active(fresh, now):
        out.append("how many live")
    return out
