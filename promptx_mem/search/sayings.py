"""What was said, as a search finds it: the episode whose messages hold the words, or the conversation that goes on.

Messages are weighed among themselves; an episode counts by the best of its messages. What waits in working memory has
no episode yet: it is shown under the name of its conversation, and never unasked.
"""

from typing import TYPE_CHECKING, NamedTuple

from promptx_mem.core.entry import LONG, Entry
from promptx_mem.core.slices import PAUSE, SCORE, TAG, Message, first_words
from promptx_mem.core.state import State, is_unscored
from promptx_mem.search import lexical, rows
from promptx_mem.search.hit import Hit
from promptx_mem.search.ranking import MESSAGES

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from promptx_mem.search.cache import Cache
    from promptx_mem.search.criteria import Criteria, Span
    from promptx_mem.search.query import Query

WAITING = "waiting"
"""Stands for the number of a slice that is not made yet."""

_EACH = 4


class Talk(NamedTuple):
    """A slice, or with the number 0 what waits; `id` of its episode."""

    unit: str
    number: int
    id: str | None


class _Match(NamedTuple):
    score: float
    weak: bool
    message: int


class Search(NamedTuple):
    """A search in the index `talks`, beside that in the memories of `db`."""

    talks: "Cache"
    db: "sqlite3.Connection"
    criteria: "Criteria"

    def add(self, hits: dict[int, Hit], queries: "Sequence[Query]", limit: int) -> None:
        """Add the conversations in which the words were said to `hits`, by rowid; those that wait are below 0."""
        for talk, match in self._matches(queries, limit).items():
            hit = self._hit(hits, talk)
            if hit is None:
                continue
            words = sum(hit.terms.values())
            if MESSAGES.weight * match.score > words:
                hit.terms = {MESSAGES.name: MESSAGES.weight * match.score}
            hit.weak = match.weak and (hit.weak or not words)
            hit.via.append("messages")
            hit.message = match.message

    def of_dates(self, hits: list[Hit]) -> list[Hit]:
        """Hits of dates, and the conversations of which some was said then, in the order of noting."""
        where, params = _when(self.criteria)
        if not where:
            return hits
        by_row = {hit.rowid: hit for hit in hits}
        query = f"SELECT rowid FROM memories WHERE {where}"  # noqa: S608 - conditions of ours
        rowids = [row[0] for row in self.talks.db.execute(query, params)]
        for talk in dict.fromkeys(talk for talk, _ in _by_message(self.talks.db, rowids).values()):
            hit = self._hit(by_row, talk)
            if hit is not None and not hit.via:
                hit.via = ["date"]
        ordered = sorted(by_row.values(), key=lambda hit: (hit.state.first_at, abs(hit.rowid)))
        ordered = ordered[::-1] if self.criteria.newest else ordered
        return sorted(ordered, key=lambda hit: is_unscored(hit.state, self.criteria.now))

    def _matches(self, queries: "Sequence[Query]", limit: int) -> dict[Talk, _Match]:
        db = self.talks.db
        where, params = _when(self.criteria)
        best: dict[Talk, _Match] = {}
        for query in queries:
            matches = lexical.search(db, query, limit=_EACH * limit, where=where, params=params)
            talks = _by_message(db, [match.rowid for match in matches])
            for match in matches:
                if match.rowid not in talks:
                    continue
                talk, number = talks[match.rowid]
                rival = best.get(talk)
                if rival is None or match.score > rival.score:
                    best[talk] = _Match(match.score, match.weak and (rival is None or rival.weak), number)
        return best

    def _hit(self, hits: dict[int, Hit], talk: Talk) -> Hit | None:
        """The hit of a conversation, a new one if need be; None where the filters keep it out."""
        if not talk.number:
            return self._of_waiting(hits, talk.unit)
        where, params = self.criteria.where(dated=False)
        query = f"SELECT * FROM memories WHERE {rows.BY_ID} AND {where}"  # noqa: S608 - conditions of ours
        row = self.db.execute(query, (talk.id, *params)).fetchone()
        return None if row is None else hits.setdefault(row["rowid"], Hit(row["rowid"], rows.to_state(row)))

    def _of_waiting(self, hits: dict[int, Hit], unit: str) -> Hit | None:
        db, criteria = self.talks.db, self.criteria
        for hit in hits.values():
            if hit.state.entry.id == unit:
                return hit
        session, rolled = db.execute("SELECT session, rolled FROM units WHERE unit = ?", (unit,)).fetchone()
        admits = (
            criteria.talks
            and criteria.category in (None, "episode")
            and criteria.type is None
            and criteria.session in (None, session)
            and (criteria.min_score or 0.0) <= SCORE
            and set(criteria.tags) <= {TAG}
        )
        if not admits:
            return None
        query = "SELECT text, day, spoken FROM memories WHERE unit = ? AND number > ? ORDER BY number"
        messages = db.execute(query, (unit, rolled)).fetchall()
        number = -1 - sum(1 for rowid in hits if rowid < 0)
        return hits.setdefault(number, Hit(number, _state(unit, session, messages)))


def _when(criteria: "Criteria") -> tuple[str, list[float]]:
    """The condition on messages that says when they were said; empty where any time will do."""
    parts: list[tuple[str, tuple[float, ...]]] = []
    if criteria.spans:
        inside = " OR ".join("(spoken >= ? AND spoken < ?)" for _ in criteria.spans)
        parts.append((f"({inside})", tuple(end for span in criteria.spans for end in span)))
    parts += [("spoken >= ?", (criteria.since,))] if criteria.since is not None else []
    parts += [("spoken < ?", (criteria.until,))] if criteria.until is not None else []
    return " AND ".join(sql for sql, _ in parts), [value for _, values in parts for value in values]


def _state(unit: str, session: str | None, messages: "list[sqlite3.Row]") -> State:
    """What an episode of the messages that wait would be."""
    from promptx_mem.core.decay import NEVER, initial
    from promptx_mem.core.times import iso

    spoken = max(row["spoken"] for row in messages)
    at = iso(spoken)
    entry = Entry(
        text=f"[{at[:10]} {at[11:16]}] {first_words([Message('user', row['text']) for row in messages])}",
        tags=(TAG,),
        score=SCORE,
        duration=LONG,
        id=unit,
        at=at,
        category="episode",
        source="system",
        session=session,
        slice=f"{unit}:{WAITING}",
    )
    worth = initial(SCORE, "episode")
    return State(
        entry, spoken, entry.tags, SCORE, LONG, "episode", False, worth, spoken, spoken, NEVER, None
    )  # fmt: skip


def _by_message(db: "sqlite3.Connection", rowids: list[int]) -> dict[int, tuple[Talk, int]]:
    """To which conversation messages belong, and their numbers in it."""
    out = {}
    query = (
        "SELECT memories.unit, memories.number, rolled, slices.number, id FROM memories JOIN units USING (unit) "
        "LEFT JOIN slices ON slices.unit = memories.unit AND memories.number BETWEEN first AND last "
        "WHERE memories.rowid = ?"
    )
    for rowid in rowids:
        unit, message, rolled, number, ident = db.execute(query, (rowid,)).fetchone()
        if number is not None or message > rolled:
            out[rowid] = Talk(unit, number or 0, ident), message
    return out


def waiting(talks: "Cache") -> int:
    """How many conversations wait for their episodes."""
    return int(talks.db.execute("SELECT count(*) FROM units WHERE waiting > 0").fetchone()[0])


def stretch(talks: "Cache", unit: str, before: float) -> "Span | None":
    """The last stretch of a conversation without a pause of four hours, before a moment."""
    query = "SELECT spoken FROM memories WHERE unit = ? AND spoken < ? ORDER BY spoken DESC"
    first = last = None
    for (spoken,) in talks.db.execute(query, (unit, before)):
        if first is not None and first - spoken >= PAUSE:
            break
        first, last = spoken, last or spoken
    return None if first is None or last is None else (first, last + 1)


def newest(talks: "Cache", unit: str, since: float) -> tuple[str, str | None] | None:
    """The conversation in which something was said last, and its session, without what one of them said `since`."""
    query = "SELECT unit FROM memories WHERE NOT (unit = ? AND spoken >= ?) ORDER BY spoken DESC LIMIT 1"
    row = talks.db.execute(query, (unit, since)).fetchone()
    if row is None:
        return None
    session = talks.db.execute("SELECT session FROM units WHERE unit = ?", (row["unit"],)).fetchone()
    return row["unit"], session["session"]
