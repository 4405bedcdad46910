"""`.recalled`: the recalls on this machine, one event per line as in the journal. Recalls count immediately.

Lines are appended without a lock, and errors are ignored. If a line is lost, its recalls do not count. A writer that
holds the lock moves lines of past days to the journal. The lines stay the same, so a repeated move has no effect.
"""

import contextlib
import datetime
import os
from collections.abc import Sequence

from promptx_mem.core.ids import is_id
from promptx_mem.core.journal import RECALLED, Event, format_event, parse_event
from promptx_mem.core.text import lines_at
from promptx_mem.errors import StoreError
from promptx_mem.places import is_private
from promptx_mem.store import files
from promptx_mem.store.layout import Layout

MAX_BYTES = 1_000_000
"""Maximum size in bytes. At this size nothing is recorded until a writer has moved lines to the journal."""

READ_BYTES = 2 * MAX_BYTES
"""Maximum number of bytes that are read. promptx-mem never writes a larger file."""

CARRY_BYTES = 200_000
"""Size in bytes above which the next writer moves lines to the journal, without waiting for `decay`."""

LOOK_BACK = 65_536
"""Number of bytes at the end (about 3,000 ids) that are searched for today's recalls. A duplicate id is harmless."""

_TRIES = 50


def note(layout: Layout, now: datetime.datetime, ids: Sequence[str], host: str) -> None:
    """Record a recall of `ids` not yet recorded for this day, unless the session is private. Errors are ignored."""
    if is_private():
        return
    with contextlib.suppress(OSError, StoreError):
        for _ in range(_TRIES):
            if _note(layout, now, ids, host):
                return


def parse(data: bytes) -> list[Event]:
    """Return the recalls in `data`, and skip invalid lines."""
    parsed = (event_of(line) for line in data.decode("utf-8", "replace").split("\n") if line)
    return [event for event in parsed if event is not None]


def read(layout: Layout) -> bytes:
    """Return the complete lines of `.recalled`; only its beginning if it is too large.

    Empty if the file cannot be read, since reading the store must not fail.
    """
    data = b""
    with contextlib.suppress(OSError, StoreError):
        data = files.read(layout.recalled, 0, READ_BYTES) or b""
    return data[: data.rfind(b"\n") + 1]


def event_of(line: str) -> Event | None:
    """Return the recall in a line; None if the line is invalid or another event."""
    event = parse_event(line)
    return event if event is not None and event.kind == RECALLED else None


def _note(layout: Layout, now: datetime.datetime, ids: Sequence[str], host: str) -> bool:
    """Record ids. Return False if a retry is needed, since another process has just renamed the file."""
    if not layout.exists():
        return True
    at = now.isoformat(timespec="seconds")
    with files.opened(layout.recalled, os.O_RDWR | os.O_APPEND, layout.mode) as fd:
        size = os.fstat(fd).st_size
        if size >= MAX_BYTES:
            return True
        tail = os.pread(fd, LOOK_BACK, max(size - LOOK_BACK, 0))
        known = {ident: lines_at(ident.encode(), tail).values() for ident in ids if is_id(ident)}
        today = f'"at":"{at[:10]}T'.encode()
        fresh = tuple(ident for ident, lines in known.items() if not any(today in line for line in lines))
        if not fresh:
            return True
        guard = b"" if not tail or tail.endswith(b"\n") else b"\n"
        event = Event(int(now.timestamp() * 1e6), host, at, RECALLED, fresh)
        files.write_all(fd, guard + format_event(event).encode() + b"\n")
        return files.is_still(layout.recalled, fd)
