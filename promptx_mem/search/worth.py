"""What matters most at a moment, best first, and how many memories live then: neither reads the whole store.

Each band of `core.order` is walked by itself. In it memories of one importance, category and duration fade alike, so
among them the one accessed last is worth most. Each such class is walked by an index from there on, and a class is
begun only when its importance, which is an upper bound of what anything in it is worth later, can still win.

A class is left where the rest of it has ended: what was accessed so long ago lives no more, but for what was stored
while the clock was behind and has not been used since. Lines of that kind have an index and a walk of their own.
"""

import contextlib
import heapq
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from promptx_mem.core import order, origin
from promptx_mem.core.decay import NEVER, ending, faded
from promptx_mem.core.durations import amount_seconds, end_of, steady
from promptx_mem.core.state import State, is_unscored, lives
from promptx_mem.core.times import DAY, parse_at
from promptx_mem.search import moments
from promptx_mem.search.cache import Cache
from promptx_mem.search.codes import word
from promptx_mem.search.criteria import UNDECIDED

if TYPE_CHECKING:
    from promptx_mem.search.recalls import Before

MAX_ROWS = 4_000
"""Rows of a band read at most, however odd the store: then what was found so far is the answer, the same every time."""

BEHIND = """extra GLOB '*"behind": true*'"""
_PACE = "band DESC, importance, category, duration, accessed, first_at"
INDEXES = (
    f"CREATE INDEX memories_pace ON memories({_PACE}, id DESC) WHERE {UNDECIDED}",
    f"CREATE INDEX memories_behind ON memories({_PACE}, id DESC) WHERE {UNDECIDED} AND {BEHIND}",
    f"CREATE INDEX memories_ending ON memories(ends_at) WHERE {UNDECIDED}",
    f"CREATE INDEX memories_talks ON memories(ends_at) WHERE band = {order.TALK} AND {UNDECIDED}",
)

COLUMNS = (
    "id, text, tags, topic, type, importance, category, duration, accessed, fresh_at, ends_at, origin, band, first_at, "
    "unscored_until"
)
_SELECT = f"SELECT {COLUMNS} FROM memories WHERE {UNDECIDED} AND band = ?"  # noqa: S608 - constants
_ORDER = "ORDER BY importance DESC, category DESC, duration DESC, accessed DESC, first_at DESC, id LIMIT ?"
FIRST = f"{_SELECT} {_ORDER}"
# SQLite begins such a search at equality, not below it: -9e999, below every time, spares it the class just walked.
NEXT = f"{_SELECT} AND (importance, category, duration, accessed) < (?,?,?,-9e999) {_ORDER}"
_WITHIN = "ORDER BY accessed DESC, first_at DESC, id LIMIT ? OFFSET ?"
MORE = f"{_SELECT} AND (importance, category, duration) = (?,?,?) {_WITHIN}"
ALL = (FIRST, NEXT, MORE)
ALL_BEHIND = tuple(
    sql.replace("FROM memories", "FROM memories INDEXED BY memories_behind").replace(
        "band = ?", f"band = ? AND {BEHIND}"
    )
    for sql in ALL
)
_TALKING = (
    f"FROM memories WHERE band = {order.TALK} AND {UNDECIDED} AND ends_at > ?1 AND ifnull(unscored_until, 0) <= ?1"
)
_NEWEST = f"SELECT {COLUMNS} {_TALKING} ORDER BY first_at DESC, id LIMIT ?2"
_AT_ONCE = 2
_MOVE_FROM = 500


Key = tuple[float, str | int, str | int]
"""Importance, category and duration of a class, as the cache keeps them."""


class Worth(NamedTuple):
    """A living memory and what it is worth; times are epoch seconds."""

    id: str
    text: str
    tags: tuple[str, ...]
    topic: str | None
    type: str | None
    importance: float
    accessed: float
    fresh_at: float
    origin: str = origin.OWN
    band: int = order.OTHER
    noted: float = 0.0


class _Class:
    """Memories that fade alike, walked from the one accessed last; read in portions, each twice the one before."""

    def __init__(self, rows: list[sqlite3.Row], now: float, *, behind: bool) -> None:
        self.key = _key(rows[0])
        self.rows = [row for row in rows if _key(row) == self.key]
        self.complete = len(self.rows) < _AT_ONCE
        self.ended_before = -NEVER if behind else now - _longest(self.key, now) - 1.0
        self.at = 0


class _Walk:
    """One band, best first; with `behind` its lines that were stored while the clock was behind, and no others."""

    def __init__(self, cache: Cache, band: int, now: float, *, own: bool, behind: bool) -> None:
        self.db = cache.db
        self.behind = behind
        self.first, self.next, self.more = ALL_BEHIND if behind else ALL
        self.band = band
        self.now = now
        self.own = own
        self.read = 0
        self.heap: list[tuple[float, float, float, str, Worth, _Class]] = []

    def __iter__(self) -> Iterator[Worth]:
        """Give the living memories; ties by the last access, when they were noted, then by id."""
        waiting = self._class(self.first, ())
        while True:
            while waiting is not None and (not self.heap or self._bound(waiting) >= -self.heap[0][0]):
                self._push(waiting)
                waiting = self._class(self.next, waiting.key)
            if not self.heap:
                return
            *_, entry, best = heapq.heappop(self.heap)
            best.at += 1
            self._push(best)
            yield entry

    def _bound(self, walked: _Class) -> float:
        """What nothing in a class is worth more than."""
        return walked.key[0] if self.own else min(walked.key[0], origin.MOST)

    def _push(self, walked: _Class) -> None:
        """Queue a class by its next living memory; one that has none left drops out."""
        while (row := self._row(walked)) is not None and row["accessed"] > walked.ended_before:
            if row["ends_at"] > self.now >= (row["unscored_until"] or 0.0):
                entry = of_row(row, self.now, own=self.own)
                heapq.heappush(self.heap, (*key_of(entry), entry, walked))
                return
            walked.at += 1

    def _row(self, walked: _Class) -> sqlite3.Row | None:
        have = len(walked.rows)
        if walked.at == have and not walked.complete:
            batch = self._fetch(self.more, (*walked.key, have, have))
            walked.rows += batch
            walked.complete = len(batch) < have
        return walked.rows[walked.at] if walked.at < len(walked.rows) else None

    def _class(self, sql: str, key: Key | tuple[()]) -> _Class | None:
        rows = self._fetch(sql, (*key, _AT_ONCE))
        return _Class(rows, self.now, behind=self.behind) if rows else None

    def _fetch(self, sql: str, values: tuple[object, ...]) -> list[sqlite3.Row]:
        if self.read >= MAX_ROWS:
            return []
        rows: list[sqlite3.Row] = self.db.execute(sql, (self.band, *values)).fetchall()
        self.read += len(rows)
        return rows


def best(cache: Cache, now: float, count: int, *, own: bool = True) -> list[Worth]:
    """The `count` living memories that matter most at `now`, in the order of `core.order`'s bands.

    `own` False: they came with a clone, and what they claim lifts them no further than `core.origin` lets it.
    """
    talking, _ = _walked(cache, order.TALK, now, own=own)
    return list(islice(chain(walk(cache, now, own=own)[0], talking), count))


def facts(cache: Cache, now: float, count: int, *, own: bool = True, instead: "Before | None" = None) -> list[Worth]:
    """Like `best`, without conversations. `instead` gives some memories other states than the cache does."""
    more = len(instead.ids) if instead else 0
    ranked = list(islice(walk(cache, now, own=own)[0], count + more))
    return with_others(ranked, now, count, instead, own=own)


def with_others(
    ranked: list[Worth], now: float, count: int, instead: "Before | None", *, own: bool = True
) -> list[Worth]:
    """The best `count` of `ranked`, which has as many more as are given other states."""
    if not instead or not any(entry.id in instead.ids for entry in ranked):
        return ranked[:count]
    additions = [entry for entry in _instead(instead, ranked, now, own=own) if entry.band != order.TALK]
    rest = [entry for entry in ranked if entry.id not in instead.ids]
    return sorted([*rest, *additions], key=lambda entry: (entry.band if own else 0, *key_of(entry)))[:count]


def talks(cache: Cache, now: float, count: int, *, own: bool = True, instead: "Before | None" = None) -> list[Worth]:
    """The newest three living conversations, and those worth most, `count` of these at most."""
    rows = cache.db.execute(_NEWEST, (now, order.NEWEST)).fetchall()
    newest = [of_row(row, now, own=own) for row in rows]
    more = len(instead.ids) if instead else 0
    best = list(islice(_walked(cache, order.TALK, now, own=own)[0], count + more))
    others = _instead(instead, [*newest, *best], now, own=own) if instead else []
    replacements = {entry.id: entry for entry in others}
    ranked = sorted((replacements.get(entry.id, entry) for entry in best), key=key_of)[:count]
    return list({entry.id: replacements.get(entry.id, entry) for entry in (*newest, *ranked)}.values())


def _instead(instead: "Before", ranked: list[Worth], now: float, *, own: bool) -> list[Worth]:
    states = instead.states(dict.fromkeys(entry.id for entry in ranked)).values()
    return [
        of_row(_columns(state), now, own=own) for state in states if lives(state, now) and not is_unscored(state, now)
    ]


def rank(cache: Cache, now: float, count: int, *, own: bool = True) -> tuple[list[Worth], int]:
    """Like `facts`, and how many rows were read for it."""
    ranked, walks = walk(cache, now, own=own)
    ranking = list(islice(ranked, count))
    return ranking, sum(walk.read for walk in walks)


def walk(cache: Cache, now: float, *, own: bool = True) -> tuple[Iterator[Worth], list[_Walk]]:
    """Walk the bands of facts; of what is not own none goes before another."""
    bands = [_walked(cache, band, now, own=own) for band in (order.LASTS, order.ASKED, order.OTHER)]
    rows_of_bands = [ranked for ranked, _ in bands]
    walks = [walk for _, both in bands for walk in both]
    return (chain(*rows_of_bands) if own else heapq.merge(*rows_of_bands, key=key_of)), walks


def _walked(cache: Cache, band: int, now: float, *, own: bool) -> tuple[Iterator[Worth], list[_Walk]]:
    """Walk a band in both ways; what both meet is given once.

    Times ahead of now count as now in a store that is not own, so the two need not meet it one after the other.
    """
    walks = [_Walk(cache, band, now, own=own, behind=behind) for behind in (False, True)]
    return _once(heapq.merge(*walks, key=key_of)), walks


def _once(ranked: Iterable[Worth]) -> Iterator[Worth]:
    seen: set[str] = set()
    for entry in ranked:
        if entry.id not in seen:
            seen.add(entry.id)
            yield entry


def of_row(row: Sequence[Any] | sqlite3.Row, now: float, *, own: bool = True) -> Worth:
    """A row of `COLUMNS` as it is worth at a moment."""
    (ident, text, tags, topic, kind, importance, category, duration,
        accessed, fresh_at, _, whose, band, noted, _) = row  # fmt: skip
    fresh = moments.or_first(fresh_at, noted)
    if not own:
        accessed, noted, band = min(accessed, now), min(noted, now), max(band, order.OTHER)
    worth = (faded if own else origin.worth)(*_fading((importance, category, duration)), now - accessed)
    return Worth(
        ident, text, tuple(tags.split()), topic, kind, worth, accessed, fresh, whose or origin.OWN, band, noted
    )


def place_of(row: Sequence[Any] | sqlite3.Row, now: float) -> tuple[int, float, float, float, str]:
    """Where a row of `COLUMNS` of an own store stands at a moment, the least first."""
    ident, _, _, _, _, importance, category, duration, accessed, _, _, _, band, noted, _ = row
    worth = faded(*_fading((importance, category, duration)), now - accessed)
    return band, -worth, -accessed, -noted, ident


def _columns(state: State) -> tuple[Any, ...]:
    """A state as the columns that are selected here."""
    entry = state.entry
    return (
        entry.id, entry.text, " ".join(state.tags), entry.topic, entry.type,
        state.importance, state.category, state.duration, state.accessed, state.fresh_at, state.ends_at, state.origin,
        order.band(state), state.first_at, state.unscored_until,
    )  # fmt: skip


def key_of(entry: Worth) -> tuple[float, float, float, str]:
    return -entry.importance, -entry.accessed, -entry.noted, entry.id


def living(cache: Cache, now: float) -> int:
    """How many memories live at `now`: the count of an earlier moment, and what has ended since."""
    count, then = int(cache.meta("living") or 0), float(cache.meta("living_at") or 0)
    ended = cache.db.execute(
        f"SELECT count(*) FROM memories WHERE {UNDECIDED} AND ends_at > ? AND ends_at <= ?",  # noqa: S608 - constants
        sorted((then, now)),
    ).fetchone()[0]
    count += -ended if now >= then else ended
    if ended > _MOVE_FROM and now > then:
        with contextlib.suppress(sqlite3.Error):
            with cache.writing():
                cache.set_meta(living=count, living_at=now)
            cache.hold()
    return int(count)


def talking(cache: Cache, now: float) -> int:
    """How many conversations live at `now`: those of the last 14 days."""
    return int(cache.db.execute(f"SELECT count(*) {_TALKING}", (now,)).fetchone()[0])


def _key(row: Mapping[str, Any] | sqlite3.Row) -> Key:
    return row["importance"], row["category"], row["duration"]


def _fading(key: Key) -> tuple[float, str, str]:
    """What decides how the memories of a class fade: importance, category, duration."""
    importance, category, duration = key
    return importance, word("category", category), word("duration", duration)


def _longest(key: Key, now: float) -> float:
    """Seconds that a memory of a class lives at most after its last access; 0 or less where its date is over."""
    importance, category, duration = _fading(key)
    due = None if steady(duration) else amount_seconds(duration)
    if due is None and not steady(duration):
        # In the zone where a day ends last: the line's own zone decides, and it is one of them.
        end = end_of(duration, parse_at("1970-01-01T00:00:00-23:59"))
        due = None if end is None or end > now else -DAY
    return ending(importance, category, duration, accessed=0.0, since=0.0, due=due)[0]
