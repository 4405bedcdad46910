"""The facts that matter most, as `worth` ranks them, from the front where that tells: for who asks again and again."""

import contextlib
import sqlite3
from itertools import islice
from typing import TYPE_CHECKING

from promptx_mem.core import order
from promptx_mem.search import front, worth
from promptx_mem.search.cache import Cache
from promptx_mem.search.criteria import UNDECIDED
from promptx_mem.search.worth import Worth

if TYPE_CHECKING:
    from promptx_mem.search.recalls import Before

OF_FRONT = (
    f"SELECT {worth.COLUMNS} FROM front CROSS JOIN memories ON memories.rowid = front.row "  # noqa: S608 - constants
    f"WHERE {UNDECIDED} AND band < {order.TALK} AND ends_at > ?1 AND ifnull(unscored_until, 0) <= ?1"
)
_GROWN = 3
"""So many times its spare rows a front may hold before it is cut: each is ranked anew by every writer."""


def facts(cache: Cache, now: float, count: int, *, own: bool = True, instead: "Before | None" = None) -> list[Worth]:
    """The same as `worth.facts`; where that has to walk the bands, the front is taken anew."""
    if not own:
        return worth.facts(cache, now, count, own=own, instead=instead)
    most = count + (len(instead.ids) if instead else 0)
    ranked = _of_front(cache, now, most)
    if ranked is None:
        ranked = _walked(cache, now, most)
    return worth.with_others(ranked[:most], now, count, instead)


def _of_front(cache: Cache, now: float, count: int) -> list[Worth] | None:
    """The best of the front that surely are the best of all; None where they are too few, or it is of a later time."""
    mark = front.mark(cache.db)
    if mark is None or now < mark.since or _has_matured(cache, mark.since, now):
        return None
    rows = cache.db.execute(OF_FRONT, (now,)).fetchall()
    pairs = sorted((worth.place_of(row, now), row) for row in rows)  # an id ends the place: no rows are compared
    sure = [row for place, row in pairs if mark.last is None or place <= mark.last]
    if mark.last is not None and len(sure) < count:
        return None
    if len(sure) > count + _GROWN * front.SPARE:
        _take(cache, [worth.of_row(row, now) for row in sure[: count + front.SPARE]], now, is_all=False)
    return [worth.of_row(row, now) for row in sure[:count]]


def _has_matured(cache: Cache, since: float, now: float) -> bool:
    """Return whether a memory was unscored when the front was taken and no longer is."""
    sql = "SELECT 1 FROM memories WHERE unscored_until > ? AND unscored_until <= ? LIMIT 1"
    return cache.db.execute(sql, (since, now)).fetchone() is not None


def _walked(cache: Cache, now: float, count: int) -> list[Worth]:
    """Walk the bands, and note what comes first as the front, unless so much had to be read that it may not be all."""
    ranking, walks = worth.walk(cache, now)
    ranked = list(islice(ranking, count + front.SPARE))
    if all(walk.read < worth.MAX_ROWS for walk in walks):
        _take(cache, ranked, now, is_all=len(ranked) < count + front.SPARE)
    return ranked


def _take(cache: Cache, ranked: list[Worth], now: float, *, is_all: bool) -> None:
    last = None if is_all else _place(ranked[-1])
    with contextlib.suppress(sqlite3.Error):
        with cache.writing():
            front.take(cache.db, [entry.id for entry in ranked], front.Mark(now, last))
        cache.hold()


def _place(entry: Worth) -> front.Place:
    return entry.band, *worth.key_of(entry)
