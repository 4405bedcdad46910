"""Writes to the cache.

After the commit of a write, SQLite's lock is kept until the stamp describes the new file.
"""

import contextlib
import os
import sqlite3
import stat
import time
from binascii import crc32
from collections.abc import Callable, Iterable

from promptx_mem.core.journal import CONTRADICTED, RECALLED, Event, event_hash, format_event
from promptx_mem.core.state import NEVER
from promptx_mem.core.times import epoch
from promptx_mem.record import Any
from promptx_mem.search.cache import OPEN, Cache, Place, is_ours, safe_inode, stamp_of

ADOPTED = 2
"""Value of `seen` for a hand-written line after an event has recorded its time. Before that, the value is 0."""


def write(cache: Cache, change: Callable[[], bool | None]) -> bool:
    """Run `change` as one transaction, then lock the cache for reading. If `change` returns False, undo it.

    Return whether the change was made and no other program has changed the file. After the commit, SQLite's lock is
    kept until the stamp describes the new file. Raises sqlite3.Error, for example if another program has changed the
    file before.
    """
    _let_go(cache)
    if cache.place is not None:
        cache.db.execute("PRAGMA locking_mode=EXCLUSIVE")
    cache.db.execute("BEGIN IMMEDIATE")
    try:
        if cache.place is not None and safe_inode(cache.place) != cache.inode:
            raise sqlite3.DatabaseError("another program has changed the cache")
        is_kept = change() is not False
        cache.db.execute("COMMIT" if is_kept else "ROLLBACK")
        if is_kept and cache.place is not None:
            write_stamp(cache.place, cache.inode)
    finally:
        _let_go(cache)
    return is_kept and cache.hold()


def _let_go(cache: Cache) -> None:
    if cache.db.in_transaction:
        cache.db.execute("ROLLBACK")
    if cache.place is not None:
        cache.db.execute("PRAGMA locking_mode=NORMAL")
        cache.db.execute("SELECT 1 FROM meta LIMIT 1").fetchone()  # the lock is released by the next access


def write_stamp(place: Place, inode: int) -> None:
    """Record the cache's state in its stamp after a write, unless the cache was replaced.

    The caller must still hold SQLite's lock. Set the modification time of the cache to the past. Then every later write
    changes the time, even a write within the same tick of the file system's clock.
    """
    past = int(time.time()) - 10 - os.urandom(1)[0]
    with contextlib.suppress(OSError):
        if os.lstat(place.path).st_ino != inode:
            return
        os.utime(place.path, (past, past), follow_symlinks=False)
        status = os.lstat(place.path)
        if status.st_ino != inode:
            return
        fd = os.open(place.stamp, os.O_WRONLY | os.O_CREAT | OPEN, 0o600)
        try:
            now = os.fstat(fd)
            if is_ours(now, stat.S_IFREG):
                os.write(fd, stamp_of(status))
                if now.st_mode != status.st_mode:
                    os.fchmod(fd, stat.S_IMODE(status.st_mode))
        finally:
            os.close(fd)


def or_empty(moment: float) -> float | str:
    """Return the SQL parameter for a time. For NEVER, this is an empty text, which the statement replaces by NULL."""
    return "" if moment == NEVER else moment


def file_meta(name: str, stamp: str, data: bytes) -> dict[str, Any]:
    """Return the values that identify an indexed file: its stamp, and the size and checksum of its content."""
    return {name: stamp, f"{name}_size": len(data), f"{name}_crc": crc32(data)}


def appended(cache: Cache, name: str, data: bytes) -> bytes | None:
    """Return the part of `data` that was appended since the file was indexed; None after any other change."""
    size, crc = (int(cache.meta(f"{name}_{part}") or 0) for part in ("size", "crc"))
    return data[size:] if len(data) >= size and crc32(data[:size]) == crc else None


def insert_events(db: sqlite3.Connection, events: Iterable[Event]) -> None:
    """Record events, each with every id to which the event applies."""
    first = (db.execute("SELECT max(number) FROM events").fetchone()[0] or 0) + 1
    numbered = list(enumerate(events, first))
    db.executemany(
        "INSERT INTO events VALUES (?,?,?,nullif(?,''))",
        [(n, one.kind, format_event(one), epoch(one.at) if one.kind == RECALLED else "") for n, one in numbered],
    )
    acts = {(ident, number) for number, event in numbered for ident in (*event.ids, *event.supersedes)}
    db.executemany("INSERT INTO acts VALUES (?,?)", sorted(acts))  # sorted like the table, so that its pages are filled
    doubts = [(n, one) for n, one in numbered if one.kind == CONTRADICTED and len(one.ids) == 2]
    db.executemany(
        "INSERT INTO suspected VALUES (?,?,?,?,?,?,?,?)",
        [(n, *e.ids, e.k, event_hash(e), epoch(e.at), e.verified is False, e.reason or "") for n, e in doubts],
    )
    adopted = dict.fromkeys(ident for _, event in numbered if event.kind == "adopted" for ident in event.ids)
    db.executemany("UPDATE lines SET seen = ? WHERE id = ? AND seen = 0", [(ADOPTED, ident) for ident in adopted])
