"""The most important memories at a given time, and the number of active memories.

Importance only decreases with time, so the stored value is an upper limit at any later time. Rows are read in order of
stored importance, the greatest first, until no further row can be among the `count` best.
"""

from collections.abc import Iterable, Sequence

from promptx_mem.core import state as order
from promptx_mem.core.state import Place, State, faded, is_unscored, lives
from promptx_mem.record import TYPE_CHECKING, Any, NamedTuple
from promptx_mem.search.cache import UNDECIDED, Cache, to_state

if TYPE_CHECKING:
    from promptx_mem.search.recalls import Before


_ORDER = "importance DESC, accessed DESC, first_at DESC, id"
_READ = "category, duration, ends_at, unscored_until, end, origin"
INDEXES = (
    f"CREATE INDEX memories_important ON memories(band, {_ORDER}, {_READ}) WHERE {UNDECIDED}",
    f"CREATE INDEX memories_ending ON memories(ends_at) WHERE {UNDECIDED}",
    f"CREATE INDEX memories_ended ON memories(end) WHERE NOT {UNDECIDED}",
    f"CREATE INDEX memories_talks ON memories(ends_at) WHERE band = {order.BAND_EPISODE} AND {UNDECIDED}",
)
"""SQL for the indexes. The first has every column that the ranking needs, so that only the best rows are read."""

_ACTIVE = f"{UNDECIDED} AND ends_at > ? AND ifnull(unscored_until, 0) <= ?"
FACTS = f"band < {order.BAND_EPISODE} AND {_ACTIVE}"
TALKS = f"band = {order.BAND_EPISODE} AND {_ACTIVE}"


class Ranked(NamedTuple):
    """A memory with its sort key at a given time. The most important memory has the lowest key."""

    rowid: int
    state: State
    place: Place


Placed = tuple[int, float, bool, float, float, str, Sequence[Any]]
"""A sort key (`core.state.Place`), followed by its row."""

_ROW = "rowid, accessed, first_at, id, band, importance, category, duration, origin IS NOT NULL"
_PORTION = 25
"""Minimum number of rows that are read and sorted at once."""


def _placed(rows: Iterable[Sequence[Any]], now: float, *, own: bool) -> list[Placed]:
    """Return each row (columns _ROW) with its sort key. If the store is not the user's, the values are limited."""
    placed: list[Placed] = []
    fade = faded if own else order.faded_limited
    for row in rows:
        _, accessed, noted, ident, band, stored, category, duration, other = row
        if not own:
            accessed, noted, band = min(accessed, now), min(noted, now), max(band, order.BAND_OTHER)
        importance = fade(stored, category, duration, now - accessed)
        placed.append((band, -importance, bool(other), -accessed, -noted, ident, row))
    return placed


def ranked(rowid: int, state: State, now: float, *, own: bool) -> Ranked:
    """Return a memory with its sort key at `now`. If the store is not the user's, its values are limited."""
    kind = (order.band(state), state.importance, state.category, state.duration, state.origin != order.OWN)
    [placed] = _placed([(rowid, state.accessed, state.first_at, state.entry.id, *kind)], now, own=own)
    return Ranked(rowid, state, placed[:-1])


def best(
    cache: Cache, where: str, params: Sequence[Any], count: int, now: float, *, own: bool, narrow: bool = False
) -> list[Ranked]:
    """Return the `count` most important of the memories that meet an SQL condition.

    With `narrow`, the rows are sorted without an index. This is faster if few rows match, and necessary if the
    condition includes ended memories.
    """
    found: list[Placed] = []
    beaten: set[Sequence[Any]] = set()
    cursor = cache.db.cursor()
    cursor.row_factory = None
    index, plus = ("", "+") if narrow else ("INDEXED BY memories_important", "")
    cursor.execute(f"SELECT {_ROW} FROM memories {index} WHERE {where} ORDER BY {plus}band, {_ORDER}", params)  # noqa: S608 - conditions of ours
    while count > 0 and (rows := cursor.fetchmany(_PORTION + count // 4)):
        found += _placed([row for row in rows if row[4:] not in beaten], now, own=own)
        found.sort()
        # Later rows of the same kind (band, importance, category, duration, owner) were accessed earlier: not better.
        beaten.update(row[4:] for *_, row in found[count:] if row[1] <= now)
        del found[count:]
        _, accessed, noted, ident, band, stored, *_ = rows[-1]
        if own and len(found) == count and (band, -stored, False, -accessed, -noted, ident) > found[-1]:
            break
    states = cache.states_at([row[0] for *_, row in found])
    return [Ranked(one[-1][0], states[one[-1][0]], one[:-1]) for one in found]


def facts(cache: Cache, now: float, count: int, *, own: bool = True, before: "Before | None" = None) -> list[Ranked]:
    """Return the `count` most important active facts. For memories in `before`, use their earlier states."""
    most = best(cache, FACTS, (now, now), count + (len(before.ids) if before else 0), now, own=own)
    return _earlier(most, now, before, own=own)[:count]


def talks(cache: Cache, now: float, count: int, *, own: bool = True, before: "Before | None" = None) -> list[Ranked]:
    """Return the newest active conversations (`core.state.MIN_NEWEST`), and the `count` most important ones."""
    sql = f"SELECT * FROM memories WHERE {TALKS} ORDER BY first_at DESC, id LIMIT ?"  # noqa: S608 - constants
    rows = cache.db.execute(sql, (now, now, order.MIN_NEWEST))
    newest = _earlier([ranked(row["rowid"], to_state(row), now, own=own) for row in rows], now, before, own=own)
    most = best(cache, TALKS, (now, now), count + (len(before.ids) if before else 0), now, own=own)
    important = _earlier(most, now, before, own=own)[:count]
    return list({one.rowid: one for one in (*newest, *important)}.values())


def _earlier(found: list[Ranked], now: float, before: "Before | None", *, own: bool) -> list[Ranked]:
    """Replace memories by their states in `before`, and omit inactive and unscored states. The best comes first."""
    states = before.states([one.state.entry.id for one in found]) if before else {}
    if not states:
        return found
    past = ((one, states.get(one.state.entry.id)) for one in found)
    kept = [
        one if state is None else ranked(one.rowid, state, now, own=own)
        for one, state in past
        if state is None or (lives(state, now) and not is_unscored(state, now))
    ]
    return sorted(kept, key=lambda one: one.place)


def active(cache: Cache, now: float) -> int:
    """Return the number of memories active at `now`: the memories that nobody has ended, minus the expired ones."""
    sql = f"SELECT count(*) FROM memories WHERE {UNDECIDED} AND ends_at > 0 AND ends_at <= ?"  # noqa: S608 - a constant
    return int(cache.meta("living") or 0) - int(cache.db.execute(sql, (now,)).fetchone()[0])


def active_talks(cache: Cache, now: float) -> int:
    """Return the number of conversations active at `now`. A conversation is active for 14 days."""
    return int(cache.db.execute(f"SELECT count(*) FROM memories WHERE {TALKS}", (now, now)).fetchone()[0])  # noqa: S608 - constants


def unscored_memories(cache: Cache, now: float) -> list[State]:
    """Return the active unscored memories, the oldest first. A person must still decide about them."""
    sql = "SELECT * FROM memories INDEXED BY memories_unscored WHERE unscored_until > ? ORDER BY +rowid"
    return [state for state in map(to_state, cache.db.execute(sql, (now,))) if lives(state, now)]
