"""The conversion of a memory into its rows in the tables of the cache (`build.SCHEMA`)."""

import sqlite3
from collections.abc import Iterable, Sequence
from itertools import repeat
from operator import attrgetter

from promptx_mem.core.entry import FIELDS, Entry
from promptx_mem.core.ids import make_id
from promptx_mem.core.json_text import dumps
from promptx_mem.core.state import OWN, State, band
from promptx_mem.record import Any
from promptx_mem.search import index_write
from promptx_mem.search.cache import COLUMNS, Progress
from promptx_mem.search.tokens import LONGEST_TEXT as INDEXED
from promptx_mem.search.tokens import simplified
from promptx_mem.search.writes import or_empty

_REPORTED = 1_000
_EXTRA = tuple(field.name for field in FIELDS if not field.column)
_DEFAULTS = Entry._field_defaults
_NO_EXTRA = tuple(_DEFAULTS[key] for key in _EXTRA)
_get_extra = attrgetter(*_EXTRA)


_NULLABLE = {
    "hash", "type", "topic", "session", "end", "fading_at", "promotion_at", "extra", "origin", "unscored_until"
}  # fmt: skip
_PARAMETERS = tuple("nullif(?, '')" if name in _NULLABLE else "?" for name in COLUMNS.split(", "))
"""SQL for COLUMNS. In `_NULLABLE`, '' becomes NULL, since binding None takes five times as long."""


def _columns(state: State, *, archived: bool) -> tuple[Any, ...]:
    """Return the values of a memory's row, without rowid. An empty text stands for NULL."""
    entry, first_at, tags, score, duration, category, verified, importance, accessed, fresh_at, ends_at = state[:11]
    own = make_id(entry.text)
    return (
        entry.id, "" if own == entry.id else own, storable(entry.text), " ".join(tags), score, duration, category,
        entry.type or "", entry.topic or "", entry.session or "", entry.source, int(verified),
        entry.at or "", first_at, importance, accessed, fresh_at, ends_at, state.end or "",
        " ".join(state.superseded_by), or_empty(state.fading_at), or_empty(state.promotion_at), int(archived),
        _extra(entry), "" if state.origin == OWN else state.origin, band(state), state.unscored_until or "",
    )  # fmt: skip


def _extra(entry: Entry) -> str:
    values = _get_extra(entry)
    if values == _NO_EXTRA:
        return ""
    changed = {key: value for key, value in zip(_EXTRA, values, strict=True) if value != _DEFAULTS[key]}
    return dumps(changed, ascii_only=False, space=" ")


def storable(text: str) -> str:
    """Return a text that SQLite accepts: lone surrogates, which only a hand-edited line can have, become U+FFFD."""
    if text.isascii() or text.isprintable():  # a surrogate is not printable
        return text
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def sort_key(state: State, lie: tuple[str, int] | None = None) -> tuple[float, int, str, int]:
    """Return a key that sorts memories in the order in which they were recorded.

    `lie` is the value that `build.tie_keys` returns for this memory, or None.
    """
    head, number = lie or (state.entry.id, 0)
    return state.first_at, state.entry.k or 0, head, number


def document(rowid: int, state: State) -> index_write.Doc:
    """Return the document for the index, with at most INDEXED characters."""
    entry = state.entry
    text, day = storable(entry.text[:INDEXED]), (entry.at or "")[:10] or None
    return index_write.Doc(rowid, text, state.tags, entry.topic, day, entry.session, entry.aka)


def insert(db: sqlite3.Connection, items: Sequence[tuple[int, State, bool]], progress: Progress | None = None) -> None:
    """Add memories (rowid, state, archived) to the cache and the index."""
    db.executemany(
        f"INSERT INTO memories(rowid, {COLUMNS}) VALUES (?, {', '.join(_PARAMETERS)})",  # noqa: S608 - constants
        [(rowid, *_columns(state, archived=archived)) for rowid, state, archived in items],
    )
    states = [(rowid, state) for rowid, state, _ in items]
    _insert_tags(db, states)
    _insert_topics(db, states)
    # In one call, since this fills an empty index fastest.
    reported = index_write.reported(items, progress, _REPORTED)
    index_write.add(db, (document(rowid, state) for rowid, state, _ in reported))


def _insert_tags(db: sqlite3.Connection, items: Iterable[tuple[int, State]]) -> None:
    rowids: dict[str, list[int]] = {}
    for rowid, state in items:
        for tag in state.tags:
            rowids.setdefault(tag.casefold(), []).append(rowid)
    for tag in sorted(rowids):  # in the order of the table, so that rows are appended
        for form in {tag, simplified(tag)}:
            db.executemany("INSERT OR IGNORE INTO tags VALUES (?,?)", zip(repeat(form), rowids[tag]))


def _insert_topics(db: sqlite3.Connection, items: Iterable[tuple[int, State]]) -> None:
    """Record the topics of memories. In the table, `bound` is 1 for own paths, 0 for parents and related paths."""
    items = [(rowid, state) for rowid, state in items if state.entry.topic or state.entry.related]
    if not items:
        return
    from promptx_mem.core.topics import format_path, parse_path

    bindings = [
        (format_path(path[:length]), int(is_own and length == len(path)), state.first_at, rowid)
        for rowid, state in items
        for names, is_own in (((state.entry.topic or "", *state.entry.topics), True), (state.entry.related, False))
        for path in map(parse_path, names)
        for length in range(1, len(path) + 1)
    ]
    db.executemany("INSERT OR IGNORE INTO topics VALUES (?,?,?,?)", bindings)


def update(db: sqlite3.Connection, rowid: int, old: State, new: State, *, archived: bool) -> None:
    """Change the row of a memory, and its index entry, tags and topics if they have changed."""
    old_document, new_document = document(rowid, old), document(rowid, new)
    if old_document != new_document:
        index_write.remove(db, [old_document])
    names = ", ".join(f"{name} = {value}" for name, value in zip(COLUMNS.split(", "), _PARAMETERS, strict=True))
    values = (*_columns(new, archived=archived), rowid)
    db.execute(f"UPDATE memories SET {names} WHERE rowid=?", values)  # noqa: S608 - constants
    topics = [(state.entry.topic, state.entry.topics, state.entry.related, state.first_at) for state in (old, new)]
    if topics[0] != topics[1]:
        db.execute("DELETE FROM topics WHERE row=?", (rowid,))
        _insert_topics(db, [(rowid, new)])
    if old_document != new_document:
        index_write.add(db, [new_document])
        db.execute("DELETE FROM tags WHERE row=?", (rowid,))
        _insert_tags(db, [(rowid, new)])
