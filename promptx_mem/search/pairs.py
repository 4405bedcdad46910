"""Memories for reviews, and pairs of memories that could contradict each other. A pair waits 30 days for an answer."""

from collections.abc import Callable, Collection, Iterable

from promptx_mem.core.ids import make_id
from promptx_mem.core.journal import ALIASED, CONTRADICTED, Event, event_hash, parse_event
from promptx_mem.core.state import MEMBER, State, is_unscored, lives, may_go_first
from promptx_mem.core.state import review as open_review
from promptx_mem.core.times import DAY, epoch
from promptx_mem.record import NamedTuple
from promptx_mem.search.cache import LIVING, Cache, select

OPEN_DAYS = 30
"""Number of days for which a suspected contradiction waits for an answer. After that, both memories stay unchanged."""

_OF_IDS = f"SELECT raw FROM acts JOIN events ON number = event WHERE id IN ({{}}) AND kind = '{CONTRADICTED}'"  # noqa: S608 - a constant

_ALL = f"SELECT raw FROM events WHERE kind = '{CONTRADICTED}'"  # noqa: S608 - a constant


_UPDATES = (
    "SELECT DISTINCT other.id FROM lines JOIN lines AS other USING (supersedes) WHERE lines.id = ? AND other.id != ?"
)

UPDATES = "updates of one memory"
"""The reason if both memories replace the same one, as after a merge of two machines."""


class Pair(NamedTuple):
    """Two active memories that could contradict each other. `k` orders pairs; `opened` is in epoch seconds."""

    newer: State
    older: State
    rows: tuple[int, int]
    reason: str
    opened: float
    k: int

    @property
    def is_ordered(self) -> bool:
        """Return whether the newer memory is allowed to rank above the older memory."""
        return may_go_first(self.newer, self.older)


def with_ids(cache: Cache, ids: Collection[str], now: float) -> list[Pair]:
    """Return the unanswered pairs that contain one of these ids, the earliest first."""
    return _open(cache, set(map(tuple, select(cache.db, _OF_IDS, ids))), now)


def waiting(cache: Cache, now: float) -> list[Pair]:
    """Return all unanswered pairs, the earliest first."""
    return _open(cache, cache.db.execute(_ALL), now)


def answered(cache: Cache, ident: str) -> set[str]:
    """Return the ids of memories that do not contradict this memory, according to somebody's answer."""
    latest = _latest(select(cache.db, _OF_IDS, [ident]))
    return {other for event in latest if event.verified is False for other in event.ids if other != ident}


def missed(cache: Cache, count: int, now: float, is_own: Callable[[State], bool]) -> list[Pair]:
    """Find pairs that no event names yet, among the `count` newest memories and those similar to them.

    `remember` finds the pairs of a memory that it stores. It does not see a line that an import, an edit of the file or
    a merge has added. Only memories for which `is_own` returns True are compared.
    """
    from promptx_mem.search import memories

    known = {frozenset(event.ids) for event in _latest(cache.db.execute(_ALL))}
    found = []
    for state in cache.states_where(f"{LIVING} AND category <> 'episode' ORDER BY first_at DESC LIMIT ?", now, count):
        if not (_counts(state, now) and is_own(state)):
            continue
        updates = (
            [ident for (ident,) in cache.db.execute(_UPDATES, [state.entry.id] * 2)] if state.entry.supersedes else []
        )
        similar = (other for other, _ in memories.around(cache, state.entry.text, state.entry.aka))
        for other in [*(other for _, other in cache.states_by_id(updates).values()), *similar]:
            ids = frozenset((state.entry.id, other.entry.id))
            if len(ids) == 1 or ids in known or not (_counts(other, now) and is_own(other)):
                continue
            known.add(ids)
            older, newer = sorted((state, other), key=lambda one: (one.first_at, one.entry.k or 0))
            if why := UPDATES if other.entry.id in updates else _reason(newer, older):
                found.append(Pair(newer, older, (0, 0), why.partition(":")[0], now, 0))
    return found


def _latest(rows: Iterable[Iterable[str]]) -> list[Event]:
    """Return the event with the greatest `k` for each pair of memories."""
    latest: dict[frozenset[str], Event] = {}
    for (raw,) in rows:
        event = parse_event(raw)
        if event is None or len(event.ids) != 2:
            continue
        key = frozenset(event.ids)
        rival = latest.get(key, event)
        if rival is event or (event.k, event_hash(event)) > (rival.k, event_hash(rival)):
            latest[key] = event
    return sorted(latest.values(), key=lambda event: event.k)


def _open(cache: Cache, raws: Iterable[Iterable[str]], now: float) -> list[Pair]:
    latest = _latest(raws)
    events = [one for one in latest if one.verified is not False and now - epoch(one.at) < OPEN_DAYS * DAY]
    found = cache.states_by_id({ident for event in events for ident in event.ids})
    out = []
    for event in events:
        newer, older = (found.get(ident) for ident in event.ids)
        if newer and older and _is_open(newer[1], older[1], now):
            rows = (newer[0], older[0])
            out.append(Pair(newer[1], older[1], rows, event.reason or "", epoch(event.at), event.k))
    return out


def _is_open(newer: State, older: State, now: float) -> bool:
    """Return whether two memories can contradict each other. If one was edited in the file, compare the texts again."""
    if not (_counts(newer, now) and _counts(older, now)):
        return False
    return not (_is_edited(newer) or _is_edited(older)) or bool(_reason(newer, older))


def _counts(state: State, now: float) -> bool:
    """Return whether a memory can contradict another. The summary of a conversation cannot: it states no one fact."""
    return lives(state, now) and not is_unscored(state, now) and state.category != "episode"


def _is_edited(state: State) -> bool:
    return make_id(state.entry.text, state.entry.salt) != state.entry.id


def _reason(newer: State, older: State) -> str:
    from promptx_mem.core.contradictions import reason
    from promptx_mem.search.tokens import simplified

    new, old = (simplified(state.entry.text) for state in (newer, older))
    return reason(new, old, (tuple(map(simplified, newer.entry.aka)), tuple(map(simplified, older.entry.aka))))


def open_reviews(cache: Cache, now: float) -> list[State]:
    """Return the memories with a review pending at `now`. The review that has been pending longest comes first."""
    order = "ORDER BY min(ifnull(fading_at, 9e999), ifnull(promotion_at, 9e999)), id"
    states = cache.states_where(f"fading_at <= ? OR promotion_at <= ? {order}", now, now)
    return [state for state in states if open_review(state, now) is not None]


def due(cache: Cache, before: float, now: float, count: int) -> list[State]:
    """Return the `count` oldest memories that are active at `now` and were not stored or verified after `before`."""
    condition = f"fresh_at <= ? AND {LIVING} AND category <> 'episode' ORDER BY fresh_at, id LIMIT ?"
    return cache.states_where(condition, before, now, count)


def offered_aliases(cache: Cache) -> set[str]:
    """Return the ids of memories whose aliases were changed, or for which a review asked for aliases."""
    sql = "SELECT acts.id FROM acts JOIN events ON events.number = acts.event WHERE events.kind = ?"
    return {ident for (ident,) in cache.db.execute(sql, (ALIASED,))}


def of_members(cache: Cache) -> int:
    """Return the number of memories that other members of the team have sent."""
    sql = "SELECT count(*) FROM memories WHERE origin >= ? AND origin < ?"
    return int(cache.db.execute(sql, (MEMBER, MEMBER + "\x7f")).fetchone()[0])


def closest(cache: Cache, text: str, now: float, *, without: str, count: int) -> list[State]:
    """Return the active memories that best match the words of a text, except the memory with the id `without`."""
    from promptx_mem.search import candidates
    from promptx_mem.search.query import parse_query

    query = parse_query(text, literal=True)
    matches = candidates.search(cache.db, query, limit=count + 1, where="ends_at > ?", params=(now,))
    states = (cache.state_at(match.rowid) for match in matches)
    living = (state for state in states if lives(state, now) and not is_unscored(state, now))
    return [state for state in living if state.entry.id != without][:count]
