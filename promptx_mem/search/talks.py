"""The index of what was said, message by message, in a file of its own: memories are weighed without it.

A message is there once, with its text; what a conversation's file says now is what the index holds. So it may be
deleted at any time, and is made where somebody asks for the first time.
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from promptx_mem.core.ids import digest
from promptx_mem.core.slices import PURGED, Message, Unit, is_unit
from promptx_mem.errors import StoreError
from promptx_mem.search import lexical, place
from promptx_mem.search.cache import DAMAGE, Cache, connect
from promptx_mem.store import conversations, files, shelved
from promptx_mem.store.files import Identity
from promptx_mem.store.layout import Layout

if TYPE_CHECKING:
    from promptx_mem.search.rows import Progress

SCHEMA = (
    lexical.SCHEMA
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
"""`memories` are messages here: the lexical index reads texts from a table of that name."""

INDEXES = (
    "CREATE INDEX memories_number ON memories(unit, number)",
    "CREATE INDEX memories_spoken ON memories(spoken)",
)

_REPORTED = 200

Stamps = Mapping[str, str]
"""How the files of each unit are, by its name."""


def open_current(where: Layout, progress: "Progress | None" = None) -> Cache | None:
    """The index, brought up to date; None where nothing was said. Raises OSError where conversations cannot be read."""
    folders = [files.identities(folder) for folder in where.talks]
    if not any(folders):
        return None
    mark = digest(repr([sorted(folder.items()) for folder in folders]).encode("utf-8", "surrogatepass"), 10)
    cache = connect(where, place.TALKS)
    if cache is not None:
        with contextlib.suppress(*DAMAGE, OSError, StoreError):
            if cache.meta("files") == mark:
                return cache
            stamps = _stamps(folders)
            with cache.writing():
                cache.db.execute("PRAGMA secure_delete=ON")  # what was destroyed is not left in free pages
                _fill(cache.db, where, _changed(cache.db, stamps), progress)
                cache.set_meta(files=mark)
            if cache.hold():
                return cache
        cache.close()
    return rebuild(where, _stamps(folders), mark, progress)


def catch_up(where: Layout) -> None:
    """Take out of the index, where there is one, what conversations hold no more; where that fails, all of it."""
    cache = connect(where, place.TALKS)
    if cache is None:
        remove(where)
        return
    cache.close()
    with contextlib.suppress(*DAMAGE, OSError, StoreError):
        if (cache := open_current(where)) is not None:
            cache.close()
            return
    remove(where)


def remove(where: Layout) -> None:
    """Remove the index: it is made anew."""
    for spot in place.places(where, place.TALKS):
        with contextlib.suppress(OSError):
            os.unlink(spot.path)


def rebuild(where: Layout, stamps: Stamps, mark: str, progress: "Progress | None" = None) -> Cache:
    """Index all that was said anew; in memory where no place is writable."""
    from promptx_mem.search import build

    changed: _Changed = {name: (stamp, {}) for name, stamp in stamps.items()}
    with build.uncollected():
        with (
            contextlib.suppress(OSError, StoreError, sqlite3.Error),
            build.new_file(where, place.TALKS) as (spot, temporary, db),
        ):
            inode = os.lstat(temporary).st_ino
            _make(Cache(where, db), where, changed, mark, progress)
            os.replace(temporary, spot.path)
            place.note(spot, inode)
            db.close()
            cache = connect(where, place.TALKS)
            if cache is not None and cache.meta("files") == mark:
                return cache
        cache = Cache(where, sqlite3.connect(":memory:", isolation_level=None))
        _make(cache, where, changed, mark, progress)
        return cache


def _make(cache: Cache, where: Layout, changed: "_Changed", mark: str, progress: "Progress | None") -> None:
    cache.db.executescript(SCHEMA)
    cache.db.execute("BEGIN")
    _fill(cache.db, where, changed, progress)
    for index in INDEXES:
        cache.db.execute(index)
    cache.set_meta(files=mark)
    cache.db.execute("COMMIT")


def _stamps(folders: Sequence[Mapping[str, Identity]]) -> dict[str, str]:
    parts: dict[str, str] = {}
    for names, suffix in zip(folders, (conversations.SUFFIX, shelved.SUFFIX), strict=True):
        for name, identity in names.items():
            unit = name.removesuffix(suffix)
            if unit not in (name, conversations.EPISODES) and is_unit(unit):
                parts[unit] = f"{parts.get(unit, '')}{suffix}{identity}"
    return parts


_Stored = dict[int, tuple[int, str, str | None]]
"""What is indexed of a unit: rowid, text and day of each message by its number."""

_Row = tuple[int, str, str, int, str | None, float]
"""A message as it is stored: rowid, text, unit, number, day, and when it was said."""

_Changed = dict[str, tuple[str, _Stored]]
"""The units that are to be read, each with its stamp, empty where it is gone, and what is indexed of it."""


def _changed(db: sqlite3.Connection, stamps: Stamps) -> _Changed:
    old = {row["unit"]: row["stamp"] for row in db.execute("SELECT unit, stamp FROM units")}
    names = [name for name in {**old, **stamps} if old.get(name) != stamps.get(name)]
    out: _Changed = {}
    for name in names:
        rows = db.execute("SELECT number, rowid, text, day FROM memories WHERE unit = ?", (name,))
        out[name] = stamps.get(name, ""), {row[0]: tuple(row)[1:] for row in rows}
    return out


def _fill(db: sqlite3.Connection, where: Layout, changed: _Changed, progress: "Progress | None") -> None:
    """Bring some units up to date: what is new comes behind everything, in the order in which it was said."""
    units = {name: _read(where, name) if stamp else _nothing(name) for name, (stamp, _) in changed.items()}
    fresh: dict[str, dict[int, Message]] = {}
    for name, unit in units.items():
        stored = changed[name][1]
        texts = {number: message for number, message in unit.messages.items() if message.text != PURGED}
        lost = {n: row for n, row in stored.items() if n not in texts or texts[n].text != row[1]}
        lexical.remove(db, (lexical.Doc(rowid, text, day=day, session=name) for rowid, text, day in lost.values()))
        db.executemany("DELETE FROM memories WHERE rowid = ?", [(row[0],) for row in lost.values()])
        fresh[name] = {n: message for n, message in texts.items() if n not in stored or n in lost}
    _note(db, changed, units.values())
    top = db.execute("SELECT max(rowid) FROM memories").fetchone()[0] or 0
    names = sorted(fresh, key=lambda name: min((one.times()[0] for one in fresh[name].values()), default=0.0))
    items = [(name, number, fresh[name][number]) for name in names for number in sorted(fresh[name])]
    rows = [
        (rowid, _storable(message.text), name, number, (message.at or "")[:10] or None, message.times()[0])
        for rowid, (name, number, message) in enumerate(items, top + 1)
    ]
    db.executemany("INSERT INTO memories VALUES (?,?,?,?,?,?)", rows)
    lexical.add(db, _documents(rows, progress))


def _documents(rows: Sequence["_Row"], progress: "Progress | None") -> Iterator[lexical.Doc]:
    for number, (rowid, text, name, _, day, _) in enumerate(rows):
        if progress is not None and number % _REPORTED == 0:
            progress(number, len(rows))
        yield lexical.Doc(rowid, text, day=day, session=name)


def _note(db: sqlite3.Connection, changed: _Changed, units: Iterable[Unit]) -> None:
    """Note of units where their slices begin and end, and what was made of them."""
    for unit in units:
        db.execute("DELETE FROM slices WHERE unit = ?", (unit.id,))
        db.execute("DELETE FROM units WHERE unit = ?", (unit.id,))
        if stamp := changed[unit.id][0]:
            numbers = (unit.rolled(), len(unit.waiting()))
            db.execute("INSERT INTO units VALUES (?,?,?,?,?)", (unit.id, stamp, unit.session, *numbers))
        parts = [(unit.id, n, part.first, part.last, unit.episodes.get(n)) for n, part in unit.slices.items()]
        db.executemany("INSERT INTO slices VALUES (?,?,?,?,?)", parts)


def _read(where: Layout, name: str) -> Unit:
    with contextlib.suppress(OSError, StoreError):
        return conversations.read(where, name)
    return _nothing(name)


def _nothing(name: str) -> Unit:
    return Unit(name, None, {}, {})


def _storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
