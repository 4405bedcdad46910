"""The index of the messages in saved conversations (a separate file), and the search in this index.

The index contains exactly the messages in the conversations' files, each once, with its text. So this file can be
deleted at any time; the next search builds it again. Words are weighed only by their frequencies in messages. An
episode (the memory of a part of a conversation) has the score of its best message. Messages that are not summarised as
an episode yet (working memory) are shown under the name of their conversation, and never injected.
"""

import contextlib
import os
import sqlite3
from collections.abc import Collection, Mapping, Sequence

from promptx_mem.core.entry import LONG, Entry
from promptx_mem.core.ids import short_hash
from promptx_mem.core.slices import PAUSE, PURGED, SCORE, TAG, Message, Unit, first_words, is_unit
from promptx_mem.core.state import State, is_unscored
from promptx_mem.errors import StoreError
from promptx_mem.record import TYPE_CHECKING, NamedTuple
from promptx_mem.search import candidates, index_write, postings
from promptx_mem.search.cache import BY_ID, DAMAGE, TALKS, Cache, Progress, connect, places, select, to_state
from promptx_mem.search.index_write import Doc
from promptx_mem.search.ranking import MESSAGES, Hit, specificity
from promptx_mem.search.tokens import is_dense
from promptx_mem.store import conversations, files
from promptx_mem.store.files import Identity
from promptx_mem.store.layout import Layout

if TYPE_CHECKING:
    from promptx_mem.search.query import Criteria, Query, Span


SCHEMA = (
    index_write.SCHEMA
    + """
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE memories(
    rowid INTEGER PRIMARY KEY, text TEXT NOT NULL, unit TEXT NOT NULL, number INTEGER NOT NULL, day TEXT,
    spoken REAL NOT NULL);
CREATE TABLE units(
    unit TEXT PRIMARY KEY, stamp TEXT NOT NULL, session TEXT, rolled INTEGER NOT NULL, waiting INTEGER NOT NULL)
    WITHOUT ROWID;
CREATE TABLE slices(
    unit TEXT NOT NULL, number INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, id TEXT,
    PRIMARY KEY(unit, number)) WITHOUT ROWID;
"""
)
"""The table `memories` contains messages here, since the search reads texts from a table of this name."""

INDEXES = ("CREATE INDEX memories_number ON memories(unit, number)", "CREATE INDEX memories_spoken ON memories(spoken)")

_REPORTED = 200
QUICK = 2_000_000
"""Size in bytes up to which conversations are indexed in about two seconds."""


def open_index(where: Layout, progress: "Progress | None" = None) -> Cache | None:
    """Return the updated index; None if there are no messages. Raises OSError if a folder cannot be read."""
    folders = [conversations.identities(folder) for folder in where.talks]
    if not any(folders):
        return None
    mark = short_hash(repr([sorted(folder.items()) for folder in folders]), 10)
    cache = connect(where, TALKS)
    if cache is not None:
        with contextlib.suppress(*DAMAGE, OSError, StoreError):
            if cache.meta("files") == mark:
                return cache
            from promptx_mem.search.writes import write

            cache.db.execute("PRAGMA secure_delete=ON")  # destroyed text is not left in free pages
            stored = cache
            if write(stored, lambda: _fill(stored, _changed(stored.db, _stamps(folders)), mark, progress)):
                return cache
        cache.close()
    return _rebuild(where, {name: (stamp, {}) for name, stamp in _stamps(folders).items()}, mark, progress)


def open_if_made(where: Layout) -> Cache | None:
    """Return the existing index, not updated; None if there is no index, or a purge is not finished."""
    return None if files.identity(where.purge) is not None else connect(where, TALKS)


def open_if_quick(where: Layout) -> Cache | None:
    """Update and return the index; None if this would take long, or fails."""
    with contextlib.suppress(*DAMAGE, OSError, StoreError):
        made = open_if_made(where)
        if made is not None:
            made.close()
        sizes = sum(identity[2] for folder in where.talks for identity in conversations.identities(folder).values())
        if files.identity(where.purge) is None and (made is not None or sizes <= QUICK):
            return open_index(where)
    return None


def catch_up_index(where: Layout) -> None:
    """Remove deleted messages from an existing index. If this fails, remove the index."""
    if (cache := connect(where, TALKS)) is not None:
        cache.close()
        with contextlib.suppress(*DAMAGE, OSError, StoreError):
            if (cache := open_index(where)) is not None:
                cache.close()
                return
    for spot in places(where, TALKS):
        with contextlib.suppress(OSError):
            os.unlink(spot.path)


def _rebuild(where: Layout, changed: "_Changed", mark: str, progress: "Progress | None") -> Cache:
    """Index all messages again: in memory if no folder for caches is writable."""
    from promptx_mem.search import build

    with build.uncollected():
        with (
            contextlib.suppress(OSError, StoreError, sqlite3.Error),
            build.new_file(where, TALKS) as (spot, temporary, db),
        ):
            _make(Cache(where, db), changed, mark, progress)
            cache = build.publish(where, spot, temporary, db, TALKS)
            if cache is not None and cache.meta("files") in ("", mark):
                return cache
        cache = Cache(where, sqlite3.connect(":memory:", isolation_level=None))
        _make(cache, changed, mark, progress)
        return cache


def _make(cache: Cache, changed: "_Changed", mark: str, progress: "Progress | None") -> None:
    cache.db.executescript(SCHEMA)
    cache.db.execute("BEGIN")
    _fill(cache, changed, mark, progress)
    for index in INDEXES:
        cache.db.execute(index)
    cache.db.execute("COMMIT")


def _stamps(folders: Sequence[Mapping[str, Identity]]) -> dict[str, str]:
    """Return a text for each conversation that changes with the conversation's files."""
    parts: dict[str, str] = {}
    for names, suffix in zip(folders, (conversations.SUFFIX, conversations.SHELF_SUFFIX), strict=True):
        for name, identity in names.items():
            unit = name.removesuffix(suffix)
            if unit not in (name, conversations.EPISODES) and is_unit(unit):
                parts[unit] = f"{parts.get(unit, '')}{suffix}{identity}"
    return parts


_Stored = dict[int, tuple[int, str, str | None]]
"""The indexed messages of a unit (one conversation): rowid, text and day of each message, by its number."""

_Changed = dict[str, tuple[str, _Stored]]
"""The units to read again: for each, the new stamp (empty if the unit was deleted), and the indexed messages."""


def _changed(db: sqlite3.Connection, stamps: Mapping[str, str]) -> _Changed:
    old = {row["unit"]: row["stamp"] for row in db.execute("SELECT unit, stamp FROM units")}
    names = [name for name in {**old, **stamps} if old.get(name) != stamps.get(name)]
    out: _Changed = {}
    for name in names:
        rows = db.execute("SELECT number, rowid, text, day FROM memories WHERE unit = ?", (name,))
        out[name] = stamps.get(name, ""), {row[0]: tuple(row)[1:] for row in rows}
    return out


def _fill(cache: Cache, changed: _Changed, mark: str, progress: "Progress | None") -> None:
    """Update the index for changed conversations. New messages are appended in order of time."""
    db = cache.db
    fresh: dict[str, dict[int, Message]] = {}
    for name, (now, stored) in changed.items():
        unit, stamp = Unit(name, None, {}, {}), now
        try:
            unit = conversations.read(cache.layout, name) if stamp else unit
        except (OSError, StoreError):  # without the stamps, the next search reads the file again
            mark, stamp = "", "unread"
        texts = {number: message for number, message in unit.messages.items() if message.text != PURGED}
        lost = {n: row for n, row in stored.items() if n not in texts or texts[n].text != row[1]}
        index_write.remove(db, (Doc(rowid, text, day=day, session=name) for rowid, text, day in lost.values()))
        db.executemany("DELETE FROM memories WHERE rowid = ?", [(row[0],) for row in lost.values()])
        fresh[name] = {n: message for n, message in texts.items() if n not in stored or n in lost}
        db.execute("DELETE FROM slices WHERE unit = ?", (name,))
        db.execute("DELETE FROM units WHERE unit = ?", (name,))
        if stamp:
            numbers = (unit.rolled(), len(unit.waiting()))
            db.execute("INSERT INTO units VALUES (?,?,?,?,?)", (name, stamp, unit.session, *numbers))
        parts = [(name, n, part.first, part.last, unit.episodes.get(n)) for n, part in unit.slices.items()]
        db.executemany("INSERT INTO slices VALUES (?,?,?,?,?)", parts)
    top = db.execute("SELECT max(rowid) FROM memories").fetchone()[0] or 0
    names = sorted(fresh, key=lambda name: min((one.times()[0] for one in fresh[name].values()), default=0.0))
    items = [(name, number, fresh[name][number]) for name in names for number in sorted(fresh[name])]
    rows = [
        (rowid, one.text.encode("utf-8", "replace").decode(), name, n, (one.at or "")[:10] or None, one.times()[0])
        for rowid, (name, n, one) in enumerate(items, top + 1)
    ]
    db.executemany("INSERT INTO memories VALUES (?,?,?,?,?,?)", rows)
    reported = index_write.reported(rows, progress, _REPORTED)
    index_write.add(db, (Doc(rowid, text, day=day, session=name) for rowid, text, name, _, day, _ in reported))
    cache.set_meta(files=mark)


WAITING = "waiting"
"""Text that replaces the number in the name of a slice that is not summarised yet."""

_EACH = 4


class SliceId(NamedTuple):
    """A slice of a conversation, and the id of its episode. Number 0 means the messages that are not summarised yet."""

    unit: str
    number: int
    id: str | None


class MessageSearch(NamedTuple):
    """A search in the index `talks` of messages. The episodes of the messages are in `db`."""

    talks: "Cache"
    db: "sqlite3.Connection"
    criteria: "Criteria"

    def add(self, hits: dict[int, Hit], queries: "Sequence[Query]", limit: int) -> None:
        """Add to `hits` the conversations with words of the queries.

        Messages without an episode get a negative rowid.
        """
        for talk, (match, number) in self._matches(queries, limit).items():
            hit = self._hit(hits, talk)
            if hit is None:
                continue
            words = sum(hit.terms.values())
            if MESSAGES.weight * match.score > words:
                hit.terms = {MESSAGES.name: MESSAGES.weight * match.score}
            hit.weak = match.weak and (hit.weak or not words)
            hit.via.append("messages")
            hit.message = number

    def of_dates(self, hits: list[Hit]) -> list[Hit]:
        """Return the hits, and the conversations with messages of the search's dates, in order of time."""
        where, params = self.criteria.when("spoken")
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

    def _matches(self, queries: "Sequence[Query]", limit: int) -> dict[SliceId, tuple[candidates.Match, int]]:
        db = self.talks.db
        where, params = self.criteria.when("spoken")
        best: dict[SliceId, tuple[candidates.Match, int]] = {}
        for query in queries:
            matches = candidates.search(db, query, limit=_EACH * limit, where=where, params=params)
            talks = _by_message(db, [match.rowid for match in matches])
            for match in matches:
                if match.rowid not in talks:
                    continue
                talk, number = talks[match.rowid]
                rival, _ = best.get(talk, (None, 0))
                if rival is None or match.score > rival.score:
                    best[talk] = match._replace(weak=match.weak and (rival is None or rival.weak)), number
        return best

    def _hit(self, hits: dict[int, Hit], talk: SliceId) -> Hit | None:
        """Return the hit of a conversation; None if the filters exclude the conversation. Add a new hit to `hits`."""
        if not talk.number:
            return self._of_waiting(hits, talk.unit)
        where, params = self.criteria.where(dated=False)
        query = f"SELECT * FROM memories WHERE {BY_ID} AND {where}"  # noqa: S608 - conditions of ours
        row = self.db.execute(query, (talk.id, *params)).fetchone()
        return None if row is None else hits.setdefault(row["rowid"], Hit(row["rowid"], to_state(row)))

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
        return hits.setdefault(number, Hit(number, _waiting_state(unit, session, messages)))


def _waiting_state(unit: str, session: str | None, messages: "list[sqlite3.Row]") -> State:
    """Return a state, like the state of an episode, for a conversation's messages that are not summarised yet."""
    from promptx_mem.core.state import NEVER, initial
    from promptx_mem.core.times import iso

    spoken = max(row["spoken"] for row in messages)
    at = iso(spoken)
    text = f"[{at[:10]} {at[11:16]}] {first_words([Message('user', row['text']) for row in messages])}"
    entry = Entry(
        text, (TAG,), SCORE, LONG, unit, at, category="episode", source="system", session=session,
        slice=f"{unit}:{WAITING}",
    )  # fmt: skip
    worth = initial(SCORE, "episode")
    return State(entry, spoken, entry.tags, SCORE, LONG, "episode", False, worth, spoken, spoken, NEVER, None)


def _by_message(db: "sqlite3.Connection", rowids: list[int]) -> dict[int, tuple[SliceId, int]]:
    out = {}
    query = (
        "SELECT memories.unit, memories.number, rolled, slices.number, id FROM memories JOIN units USING (unit) "
        "LEFT JOIN slices ON slices.unit = memories.unit AND memories.number BETWEEN first AND last "
        "WHERE memories.rowid = ?"
    )
    for rowid in rowids:
        unit, message, rolled, number, ident = db.execute(query, (rowid,)).fetchone()
        if number is not None or message > rolled:
            out[rowid] = SliceId(unit, number or 0, ident), message
    return out


def waiting(talks: "Cache") -> int:
    """Return the number of conversations with messages that are not summarised yet."""
    return int(talks.db.execute("SELECT count(*) FROM units WHERE waiting > 0").fetchone()[0])


def stretch(talks: "Cache", unit: str, before: float) -> "Span | None":
    """Return the time span of a conversation's messages after the last pause of four hours, up to the time `before`."""
    query = "SELECT spoken FROM memories WHERE unit = ? AND spoken < ? ORDER BY spoken DESC"
    first = last = None
    for (spoken,) in talks.db.execute(query, (unit, before)):
        if first is not None and first - spoken >= PAUSE:
            break
        first, last = spoken, last or spoken
    return None if first is None or last is None else (first, last + 1)


def newest_conversation(talks: "Cache", unit: str, since: float) -> tuple[str, str | None] | None:
    """Return the unit with the newest message, and its session. Ignore messages of `unit` at `since` or later."""
    query = (
        "SELECT unit, (SELECT session FROM units WHERE units.unit = memories.unit) FROM memories "
        "WHERE NOT (unit = ? AND spoken >= ?) ORDER BY spoken DESC LIMIT 1"
    )
    row = talks.db.execute(query, (unit, since)).fetchone()
    return row and tuple(row)


class Past(NamedTuple):
    """A past conversation. `ids` are the ids of its episodes. `first` is the text of its first message.

    `spoken` and `id` are the time and episode id of one message.
    """

    unit: str
    spoken: float
    id: str | None
    ids: tuple[str, ...]
    first: str


NEAR = 2
"""Number of neighbours on each side of a message. Rare words of the neighbours also count for the message."""

RARE, RARE_SHARE = 3, 10
"""Limits for a rare word: at most RARE conversations, or one conversation in RARE_SHARE, contain it."""

LEAST_WORDS, LEAST_SHARE = 2.0, 0.3
"""Minimum number of rare words that a prompt and a past conversation share, and minimum share of the prompt's words."""


def last_conversations(talks: "Cache", without: str, count: int) -> list[Past]:
    """Return the `count` conversations with the newest messages, the newest first, except the unit `without`."""
    rows: dict[str, int] = {}
    query = "SELECT unit, rowid FROM memories WHERE unit <> ? ORDER BY spoken DESC, number DESC"
    for unit, rowid in talks.db.execute(query, (without,)):
        rows.setdefault(unit, rowid)
        if len(rows) == count:
            break
    return list(filter(None, (_past(talks.db, rowid) for rowid in rows.values())))


def sharing_rare_words(
    talks: "Cache", query: "Query", without: str, common: "Collection[str]", *, asked: bool
) -> Past | None:
    """Return the past conversation that shares the most rare words with a prompt.

    If several share the same number of words, return the newest. If too few words are shared, return None. `without` is
    the unit of the prompt's own conversation. `common` words do not count. If `asked`, one word can be enough, and need
    not be rare.
    """
    content = {
        term
        for term, part, word in query.terms
        if part == 1.0 and len(term) > 1 and specificity(term, word) == 1.0 and not {term, word} & {*common}
    }
    units = int(talks.db.execute("SELECT count(*) FROM units").fetchone()[0])
    terms_at: dict[tuple[str, int], tuple[int, set[str]]] = {}
    for term in content:
        for rowid, unit, number in _containing(talks.db, term, units if asked else max(RARE, units // RARE_SHARE)):
            if unit != without:
                terms_at.setdefault((unit, number), (rowid, set()))[1].add(term)
    best = 0.0, 0
    for (unit, number), (rowid, _) in terms_at.items():
        around = (terms_at[near][1] for n in range(-NEAR, NEAR + 1) if (near := (unit, number + n)) in terms_at)
        best = max(best, (_words(set().union(*around)), rowid))
    enough = max(1.0 if asked else LEAST_WORDS, LEAST_SHARE * _words(content))
    return _past(talks.db, best[1]) if best[0] >= enough else None


def _words(terms: "Collection[str]") -> float:
    """Count the words in `terms`, without parts of longer words. Two different Chinese characters count as one word."""
    dense = {char for term in terms if is_dense(term) for char in term}
    others = [term for term in terms if not is_dense(term)]
    return len(dense) / 2 + sum(not any(term in other for other in others if other != term) for term in others)


def _containing(db: sqlite3.Connection, term: str, most: int) -> list[tuple[int, str, int]]:
    """Return rowid, unit and number of the messages with a term; nothing if more than `most` units contain it."""
    found: list[tuple[int, str, int]] = []
    units = set()
    query = "SELECT rowid, unit, number FROM memories WHERE rowid IN ({})"
    for row in select(db, query, postings.rowids(db, term)):
        found.append(tuple(row))
        units.add(row["unit"])
        if len(units) > most:
            return []
    return found


def _past(db: sqlite3.Connection, rowid: int) -> Past | None:
    talk = _by_message(db, [rowid]).get(rowid)
    if talk is None:
        return None
    ((unit, _, ident), _) = talk
    ids = db.execute("SELECT id FROM slices WHERE unit = ? AND id IS NOT NULL ORDER BY number", (unit,))
    (spoken,) = db.execute("SELECT spoken FROM memories WHERE rowid = ?", (rowid,)).fetchone()
    (first,) = db.execute("SELECT text FROM memories WHERE unit = ? ORDER BY number LIMIT 1", (unit,)).fetchone()
    return Past(unit, spoken, ident, tuple(one for (one,) in ids), first)
