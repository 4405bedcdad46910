"""Lists of memories for reviews and other use cases, and pairs of memories that could contradict each other.

A pair waits 30 days for an answer.
"""

import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from promptx_mem.core.entry import Entry
from promptx_mem.core.ids import make_id
from promptx_mem.core.journal import ALIASED, Event
from promptx_mem.core.state import DECIDED, MEMBER, OWN, State, is_unscored, lives, may_go_first
from promptx_mem.core.times import DAY, iso
from promptx_mem.record import TYPE_CHECKING, NamedTuple
from promptx_mem.search.cache import LIVING, UNDECIDED, Cache, row_of, select, to_state

if TYPE_CHECKING:
    from promptx_mem.core.digest import IndexItem
    from promptx_mem.core.life import PendingReview

# A recall reads pairs. It does not need `history`: that module is imported where it is needed.

CLOSEST = 5
OPEN_DAYS = 30
"""Number of days for which a suspected contradiction waits for an answer. After that, only their order stays."""

_UPDATES = (
    "SELECT DISTINCT other.id FROM lines JOIN lines AS other USING (supersedes) WHERE lines.id = ? AND other.id != ?"
)

UPDATES = "updates of one memory"
"""The reason if both memories replace the same memory, as after a merge of two machines."""


States = Mapping[str, tuple[int, State]]
"""Rowids and memories, by id."""


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


def with_ids(cache: Cache, ids: Collection[str], now: float, days: float = OPEN_DAYS) -> list[Pair]:
    """Return the unanswered pairs of the last `days` that contain one of these ids, the earliest first."""
    return _open(cache, _naming(cache, ids), now, days=days)


def replacing(cache: Cache, ident: str, now: float) -> dict[str, str]:
    """Return the ids of newer memories that could replace a memory, each with the difference between the two."""
    found = with_ids(cache, [ident], now)
    return {pair.newer.entry.id: pair.reason for pair in found if pair.older.entry.id == ident}


def still_contradicted(
    cache: Cache, old: Entry, text: str, now: float
) -> tuple[list[tuple[Entry, str]], dict[str, str]]:
    """Return the memories that contradict the memory `old` and the text that replaces it, with reasons.

    The second result has the ids, with reasons, of those instead that are newer than `old` and contradict a part that
    the text keeps.
    """
    from promptx_mem.core.statements import common_clauses
    from promptx_mem.search.memories import difference

    again, corrected = [], {}
    same = common_clauses(text, old.text)
    for pair in with_ids(cache, [old.id], now):
        if pair.older.entry.id == old.id:
            other, aliases = pair.newer.entry, (pair.newer.entry.aka, old.aka)
            why = difference(other.text, text, aliases)
            if difference(other.text, same, aliases) or (why and not difference(text, old.text)):
                corrected[other.id] = pair.reason
                continue
        else:
            other, aliases = pair.older.entry, (old.aka, pair.older.entry.aka)
            why = difference(text, other.text, aliases) or difference(same, other.text, aliases)
        again += [(other, why)] if why else []
    return again, corrected


def between(cache: Cache, states: States, now: float) -> list[Pair]:
    """Return the unanswered pairs of two of these memories, the earliest first. Only events about `states` are read."""
    return _open(cache, [row for row in _naming(cache, states, "newer") if row["older"] in states], now, states)


_NOTED = " _(noted "
_ABOVE = 1e-3
"""Seconds added to the time of the newer of two memories, so that it is ranked directly above the older one."""


def arranged(cache: Cache, items: "list[IndexItem]", states: States, now: float) -> "list[IndexItem]":
    """Mark contradicting memories with their dates in MEMORY.md.

    If a pair `is_ordered`, rank the newer memory directly above the older one.
    """
    from promptx_mem.core.digest import rank

    by_id = {item.id: item for item in items}
    for pair in between(cache, states, now):
        newer, older = by_id[pair.newer.entry.id], by_id[pair.older.entry.id]
        above, below = f"; see also {older.id}", f"; see also {newer.id}"
        if pair.is_ordered:
            best = min(newer, older, key=rank)
            newer, older = (
                one._replace(band=best.band, importance=best.importance, own=best.own, at=best.at, noted=noted)
                for one, noted in ((newer, best.noted + _ABOVE), (older, best.noted))
            )
            above, below = "", f"; older: see {newer.id}"
        for item, state, note in ((newer, pair.newer, above), (older, pair.older, below)):
            day = f"{iso(state.first_at)[:10]}{note}"  # an earlier note of this kind is replaced
            dated = f"{item.annotation.partition(_NOTED)[0]}{_NOTED}{day})_"
            by_id[item.id] = item._replace(annotation=dated)
    return list(by_id.values())


def waiting(cache: Cache, now: float) -> list[Pair]:
    """Return all unanswered pairs, the earliest first."""
    return _open(cache, cache.db.execute("SELECT * FROM suspected ORDER BY event"), now)


def answered(cache: Cache, ident: str) -> set[str]:
    """Return the ids of memories that do not contradict this memory, according to somebody's answer."""
    named = [row for row in _latest(_naming(cache, [ident])) if row["answered"]]
    return {other for row in named for other in (row["newer"], row["older"]) if other != ident}


def _naming(cache: Cache, ids: Collection[str], *columns: str) -> list[sqlite3.Row]:
    """Return the rows of `suspected` with one of these ids in a column (`newer` or `older`), in order of events."""
    queries = (f"SELECT * FROM suspected WHERE {name} IN ({{}})" for name in columns or ("newer", "older"))  # noqa: S608 - names of ours
    rows = {row["event"]: row for query in queries for row in select(cache.db, query, ids)}
    return [rows[number] for number in sorted(rows)]


def missed(cache: Cache, count: int, now: float, is_own: Callable[[State], bool]) -> list[Pair]:
    """Find pairs that no event names yet, among the `count` newest memories, memories similar to them, and UPDATES.

    `remember` finds the pairs of a memory that it stores, but not of a line added by an import, an edit of the file or
    a merge. Only memories for which `is_own` returns True are compared.
    """
    from promptx_mem.search import memories

    known = {frozenset(ids) for ids in cache.db.execute("SELECT newer, older FROM suspected")}
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


def _latest(rows: Iterable[sqlite3.Row]) -> list[sqlite3.Row]:
    """Return the row of the event with the greatest `k` for each pair of memories."""
    latest: dict[frozenset[str], sqlite3.Row] = {}
    for row in rows:
        key = frozenset((row["newer"], row["older"]))
        rival = latest.get(key, row)
        if rival is row or (row["k"], row["hash"]) > (rival["k"], rival["hash"]):
            latest[key] = row
    return sorted(latest.values(), key=lambda row: row["k"])


def _open(
    cache: Cache, rows: Iterable[sqlite3.Row], now: float, states: States | None = None, *, days: float = OPEN_DAYS
) -> list[Pair]:
    """Return the unanswered pairs of the last `days`. Without `states`, the memories are read."""
    kept = [row for row in _latest(rows) if not row["answered"] and now - row["opened"] < days * DAY]
    found = states or cache.states_by_id({row[name] for row in kept for name in ("newer", "older")})
    out = []
    for row in kept:
        newer, older = found.get(row["newer"]), found.get(row["older"])
        if newer and older and _is_open(newer[1], older[1], now):
            out.append(Pair(newer[1], older[1], (newer[0], older[0]), row["reason"], row["opened"], row["k"]))
    return out


def _is_open(newer: State, older: State, now: float) -> bool:
    """Return whether two memories can contradict each other. If a text was edited in the file, compare again."""
    if not (_counts(newer, now) and _counts(older, now)):
        return False
    return not (_is_edited(newer) or _is_edited(older)) or bool(_reason(newer, older))


def _counts(state: State, now: float) -> bool:
    """Return whether a memory can contradict another. The summary of a conversation cannot."""
    return lives(state, now) and not is_unscored(state, now) and state.category != "episode"


def _is_edited(state: State) -> bool:
    return make_id(state.entry.text, state.entry.salt) != state.entry.id


def _reason(newer: State, older: State) -> str:
    from promptx_mem.search.memories import difference

    return difference(newer.entry.text, older.entry.text, (newer.entry.aka, older.entry.aka))


def open_reviews(cache: Cache, now: float) -> list[tuple[State, "PendingReview"]]:
    """Return the memories with a review pending at `now`, and the review, the one pending longest first."""
    from promptx_mem.core.life import pending_review  # not needed for contradictions

    order = "ORDER BY min(ifnull(fading_at, 9e999), ifnull(promotion_at, 9e999)), id"
    states = cache.states_where(f"fading_at <= ? OR promotion_at <= ? {order}", now, now)
    return [(state, question) for state in states if (question := pending_review(state, now))]


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


def closest(cache: Cache, text: str, now: float, *, without: str) -> list[State]:
    """Return the CLOSEST active memories that best match the words of a text, but not the one with the id `without`."""
    from promptx_mem.search import candidates
    from promptx_mem.search.query import parse_query

    query = parse_query(text, literal=True)
    matches = candidates.search(cache.db, query, limit=CLOSEST + 1, where="ends_at > ?", params=(now,))
    states = cache.states_at([match.rowid for match in matches])
    found = (states[match.rowid] for match in matches)
    living = (state for state in found if lives(state, now) and not is_unscored(state, now))
    return [state for state in living if state.entry.id != without][:CLOSEST]


def purged(cache: Cache) -> list[str]:
    """Return the ids of purged memories whose lines a merge has brought back."""
    lines = "SELECT DISTINCT id FROM lines WHERE row IS NULL"  # `row` is also NULL for replaced lines
    purges = "SELECT 1 FROM acts JOIN events ON number = event WHERE id = ? AND kind = 'purged' LIMIT 1"
    return [ident for (ident,) in cache.db.execute(lines) if cache.db.execute(purges, (ident,)).fetchone()]


def is_archived(cache: Cache, ident: str) -> bool:
    """Return whether the memory exists but has no line in declarative.md."""
    row = row_of(cache.db, ident)
    return row is not None and bool(row["archived"])


def superseded_ids(cache: Cache, ident: str) -> tuple[str, ...]:
    """Return the ids of the memories that a memory superseded."""
    cursor = cache.db.execute("SELECT id FROM memories WHERE instr(' ' || superseded_by || ' ', ?)", (f" {ident} ",))
    return tuple(row["id"] for row in cursor)


def chain(cache: Cache, state: State) -> tuple[str, ...]:
    """Return the ids of the memories that supersede a memory, directly or not.

    If the memory is restored, it supersedes all of them. Example: R replaced A and B. Then A was restored, which
    superseded R. The result for B has R, but not A.
    """
    ids: dict[str, None] = {}
    waiting = list(state.superseded_by)
    while waiting:
        if (ident := waiting.pop()) not in ids and ident != state.entry.id:
            ids[ident] = None
            further = cache.state(ident)
            if further is not None and further.superseded_by:
                back = superseded(cache, ident)
                others = filter(None, map(cache.state, further.superseded_by))
                written = {other.entry.id for other in others if other.entry.supersedes == ident}
                waiting += [over for over in further.superseded_by if over not in back or over in written]
    return tuple(ids)


def heir(cache: Cache, state: State, now: float) -> Entry | None:
    """Return the active memory that has replaced an ended one, or None."""
    if lives(state, now):
        return None
    states = map(cache.state, chain(cache, state))
    return next((other.entry for other in states if other is not None and lives(other, now)), None)


def unsummarised(cache: Cache, since: float, now: float) -> list[State]:
    """Return the active episodes that have no summary yet and were recorded at `since` or later, the oldest first."""
    recent = f"{UNDECIDED} AND category = 'episode' AND first_at >= ? AND ends_at > ?"
    is_missing = "instr(extra, '\"slice\"') AND NOT instr(extra, '\"profile\"')"
    states = cache.states_where(f"{recent} AND {is_missing} ORDER BY first_at, id", since, now)
    return [state for state in states if lives(state, now) and not is_unscored(state, now)]


def citing(cache: Cache, now: float) -> list[State]:
    """Return the active memories that cite files, the oldest first."""
    return cache.states_where(f"instr(extra, '\"cites\"') AND {LIVING} ORDER BY rowid", now)


def with_words(cache: Cache, words: Collection[str], score: float, now: float) -> list[State]:
    """Return the active memories with at least this score and one of the words, the oldest first.

    The words are in lower case. A word that begins with a space is also found at the beginning of a text.
    """
    any_word = " OR ".join(["instr(' ' || lower(text), ?)"] * len(words))
    return cache.states_where(f"score >= ? AND ({any_word}) AND {LIVING} ORDER BY rowid", score, *words, now)


def facts_at(cache: Cache, where: str, params: Sequence[object]) -> dict[str, tuple[int, State]]:
    """Return rowid and state of the memories that meet an SQL condition, by id. Conversations are left out."""
    sql = f"SELECT * FROM memories WHERE {where} AND category <> 'episode'"  # noqa: S608 - conditions of ours
    return {row["id"]: (row["rowid"], to_state(row)) for row in cache.db.execute(sql, params)}


def of_role(cache: Cache, role: str) -> list[State]:
    """Return the memories that a role of the team has sent."""
    return cache.states_where("origin = ? ORDER BY rowid", f"{MEMBER}{role}")


class Holder(NamedTuple):
    """The memory that already contains a text. If it has ended, `why` is a clause with the reason."""

    id: str
    why: str = ""
    origin: str = OWN


def by_text(cache: Cache, now: float) -> dict[str, Holder]:
    """Return all memories by the hash of their current text."""
    cursor = cache.db.execute(
        "SELECT coalesce(hash, id) AS text_id, id, end, ends_at, origin FROM memories ORDER BY id DESC"
    )
    return {
        row["text_id"]: Holder(
            row["id"],
            f"it has ended ({row['end']})" if row["end"] in DECIDED or row["ends_at"] <= now else "",
            row["origin"] or OWN,
        )
        for row in cursor
    }


def line_ids(cache: Cache) -> set[str]:
    """Return every line's id, and its id in the first version (`was`). Events with either id apply to the line."""
    rows = cache.db.execute("SELECT id FROM lines UNION SELECT was FROM lines WHERE was IS NOT NULL")
    return {ident for (ident,) in rows}


def has_line(cache: Cache, ident: str) -> bool:
    """Return whether any line has this id."""
    return cache.has("lines WHERE id = ?", ident)


def written_by_hand(cache: Cache) -> list[Entry]:
    """Return the entries of hand-written lines without a time."""
    return [state.entry for state in cache.states_where("rowid IN (SELECT row FROM lines WHERE seen <> 1)")]


def events_of_kind(cache: Cache, *kinds: str) -> list[Event]:
    """Return all events of these kinds."""
    from promptx_mem.search import history

    condition = " OR ".join(f"kind = '{kind}'" for kind in kinds)
    return history.parsed(cache, f"SELECT raw FROM events WHERE {condition}")  # noqa: S608 - kinds of ours


def purged_ids(cache: Cache) -> set[str]:
    """Return the ids of all purged memories, with or without a line."""
    from promptx_mem.search import history

    # `acts` also has the memories that a purged memory had superseded. They were not purged.
    ids = {ident for event in events_of_kind(cache, "purged") for ident in event.ids}
    return ids | {name for ident in ids for name in history.current_ids(cache.db, ident)}


def superseded(cache: Cache, ident: str) -> list[str]:
    """Return the ids of the memories that a memory replaced when it was stored or restored."""
    from promptx_mem.search import history

    cursor = cache.db.execute("SELECT supersedes FROM lines WHERE id = ? AND supersedes IS NOT NULL", (ident,))
    acts = (event for event in history.events(cache, ident) if event.supersedes and event.ids[0] == ident)
    return [*(row[0] for row in cursor), *(old for event in acts for old in event.supersedes)]


def entries(cache: Cache, states: Iterable[State]) -> list[Entry]:
    """Return the lines of memories, as they were stored, that have the present texts."""
    from promptx_mem.search import history

    texts = {state.entry.id: state.entry.text for state in states}
    every = (line.entry for _, lines, _ in history.lines_and_events(cache, texts) for line in lines)
    return [entry for entry in every if texts.get(entry.id) == entry.text]


def matching(cache: Cache, prefix: str, limit: int = 10) -> list[str]:
    """Return up to `limit` ids that begin with `prefix`."""
    cursor = cache.db.execute(
        "SELECT DISTINCT id FROM lines WHERE id >= ? AND id < ? AND row IS NOT NULL ORDER BY id LIMIT ?",
        (prefix, prefix + "~", limit),
    )
    return [row[0] for row in cursor]


def is_any_to_archive(cache: Cache, now: float) -> bool:
    """Return whether there is something to archive: a memory that has ended by `now`, or conflict markers."""
    ended = f"memories WHERE archived = 0 AND NOT ({UNDECIDED} AND ends_at > ?)"
    return cache.has_conflicts() or cache.has(ended, now)
