"""The most important memories at a given time, and the number of active memories.

Importance only decreases with time, so the stored value is an upper limit at any later time. Rows are read in order of
stored importance, the greatest first, until no further row can be among the `count` best.
"""

from bisect import insort
from collections.abc import Sequence

from promptx_mem.core import state as order
from promptx_mem.core.state import State, faded, is_unscored, lives
from promptx_mem.record import TYPE_CHECKING, Any, NamedTuple
from promptx_mem.search.cache import UNDECIDED, Cache, to_state

if TYPE_CHECKING:
    from promptx_mem.search.history import Before


_ORDER = "importance DESC, accessed DESC, first_at DESC, id"
_READ = "category, duration, ends_at, unscored_until, end"
INDEXES = (
    f"CREATE INDEX memories_important ON memories(band, {_ORDER}, {_READ}) WHERE {UNDECIDED}",
    f"CREATE INDEX memories_ending ON memories(ends_at) WHERE {UNDECIDED}",
    f"CREATE INDEX memories_talks ON memories(ends_at) WHERE band = {order.TALK} AND {UNDECIDED}",
)
"""SQL for the indexes. The first has every column that the ranking needs, so that only the best rows are read."""

_ACTIVE = f"{UNDECIDED} AND ends_at > ? AND ifnull(unscored_until, 0) <= ?"
FACTS = f"band < {order.TALK} AND {_ACTIVE}"
TALKS = f"band = {order.TALK} AND {_ACTIVE}"


class Ranked(NamedTuple):
    """A memory with its sort values at a given time. The values are limited if the store is not the user's."""

    rowid: int
    state: State
    importance: float
    band: int
    accessed: float
    noted: float

    @property
    def place(self) -> tuple[int, float, float, float, str]:
        """Return the sort key. The most important memory has the lowest key."""
        return self.band, -self.importance, -self.accessed, -self.noted, self.state.entry.id


def ranked(rowid: int, state: State, now: float, *, own: bool) -> Ranked:
    """Return a memory with its sort values at `now`. `core.state` limits them if the store is not the user's."""
    if own:
        importance = faded(state.importance, state.category, state.duration, now - state.accessed)
        return Ranked(rowid, state, importance, order.band(state), state.accessed, state.first_at)
    accessed, band = min(state.accessed, now), max(order.band(state), order.OTHER)
    importance = order.worth(state.importance, state.category, state.duration, now - accessed)
    return Ranked(rowid, state, importance, band, accessed, min(state.first_at, now))


def best(
    cache: Cache, where: str, params: Sequence[Any], count: int, now: float, *, own: bool, narrow: bool = False
) -> list[Ranked]:
    """Return the `count` most important of the memories that meet an SQL condition.

    With `narrow`, they are sorted without an index, since few rows match.
    """
    if count <= 0:
        return []
    fade = faded if own else order.worth
    found: list[tuple[int, float, float, float, str, int]] = []
    beaten: set[tuple[int, float, str, str]] = set()
    cursor = cache.db.cursor()
    cursor.row_factory = None
    query = (
        f"SELECT rowid, band, importance, accessed, category, duration, first_at, id FROM memories "  # noqa: S608 - conditions of ours
        f"WHERE {where} ORDER BY {'+' if narrow else ''}band, {_ORDER}"
    )
    for rowid, band, stored, last, category, duration, first, ident in cursor.execute(query, params):
        kind = (band, stored, category, duration)
        if kind in beaten:  # later rows of the same kind were accessed earlier, so they are not better
            continue
        accessed, noted, rank = (
            (last, first, band) if own else (min(last, now), min(first, now), max(band, order.OTHER))
        )
        full = len(found) == count
        if own and full and (band, -stored, -accessed, -noted, ident) > found[-1]:
            break
        place = (rank, -fade(stored, category, duration, now - accessed), -accessed, -noted, ident, rowid)
        if full and place >= found[-1]:
            if last <= now:
                beaten.add(kind)
            continue
        del found[count - 1 :]
        insort(found, place)
    states = cache.states_at([rowid for *_, rowid in found])
    return [ranked(rowid, states[rowid], now, own=own) for *_, rowid in found]


def facts(cache: Cache, now: float, count: int, *, own: bool = True, before: "Before | None" = None) -> list[Ranked]:
    """Return the `count` most important active facts. For memories in `before`, their earlier states are used."""
    most = best(cache, FACTS, (now, now), count + (len(before.ids) if before else 0), now, own=own)
    return sorted(_earlier(most, now, before, own=own), key=lambda one: one.place)[:count]


def talks(cache: Cache, now: float, count: int, *, own: bool = True, before: "Before | None" = None) -> list[Ranked]:
    """Return the newest active conversations (`core.state.NEWEST`), and the `count` most important conversations."""
    sql = f"SELECT * FROM memories WHERE {TALKS} ORDER BY first_at DESC, id LIMIT ?"  # noqa: S608 - constants
    rows = cache.db.execute(sql, (now, now, order.NEWEST))
    newest = _earlier([ranked(row["rowid"], to_state(row), now, own=own) for row in rows], now, before, own=own)
    most = best(cache, TALKS, (now, now), count + (len(before.ids) if before else 0), now, own=own)
    important = sorted(_earlier(most, now, before, own=own), key=lambda one: one.place)[:count]
    return list({one.rowid: one for one in (*newest, *important)}.values())


def _earlier(found: list[Ranked], now: float, before: "Before | None", *, own: bool) -> list[Ranked]:
    """Replace memories by their states in `before`, and leave out those that were not active then."""
    states = before.states([one.state.entry.id for one in found]) if before else {}
    past = ((one, states.get(one.state.entry.id)) for one in found)
    return [
        one if state is None else ranked(one.rowid, state, now, own=own)
        for one, state in past
        if state is None or (lives(state, now) and not is_unscored(state, now))
    ]


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
