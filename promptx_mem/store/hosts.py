"""`.hosts/`: the hooks' notes on each session of a host (docs/file-format.md).

Losing a line does little harm, so it is written without lock and sync.
"""

import contextlib
import datetime
from collections.abc import Iterator

from promptx_mem.core.ids import digest
from promptx_mem.core.json_text import objects
from promptx_mem.core.text import pattern
from promptx_mem.errors import StoreError
from promptx_mem.record import Any
from promptx_mem.store import files
from promptx_mem.store.files import Inside
from promptx_mem.store.layout import Layout
from promptx_mem.store.violations import append_unlocked, encode

Record = dict[str, Any]

MAX_DAYS = 30
MAX_BYTES, MAX_TOTAL = 200_000, 300_000
"""Maximum size in bytes of one session's notes, and of all earlier notes when a session begins."""

USED = "used"
"""The event that records which injected memories the agent used."""

GIVEN, ASKED = "given", "asked"
"""Events: memories were injected, and the agent was asked whether it has something to store."""

TASK = "task"
"""The event that records the start of a subagent, with the ids of the calls that may have started it."""

_DAY = "reviews.txt"
"""The file with the last day on which a message at the start of a session mentioned pending reviews."""

_NAME = r"s_[0-9a-f]{10}\.jsonl"


def path(layout: Layout, session: str) -> Inside:
    """Return the file of a session, by a hash of its name, which may not be a valid file name."""
    return layout.hosts / f"s_{digest(session.encode('utf-8', 'surrogatepass'), 5)}.jsonl"


def events(layout: Layout, session: str) -> list[Record]:
    """Return the records of a session, in order. Empty if they cannot be read."""
    return _records(path(layout, session))


def sessions(layout: Layout) -> Iterator[tuple[str, list[Record]]]:
    """Yield each session of the last 30 days by its name, with its notes."""
    for name in sorted(filter(pattern(_NAME).fullmatch, files.names(layout.hosts))):
        records = _records(layout.hosts / name)
        named = next((record["session"] for record in records if isinstance(record.get("session"), str)), "")
        yield str(named), records


def _records(file: Inside) -> list[Record]:
    with contextlib.suppress(OSError, StoreError):
        return objects(files.read(file, 0, MAX_BYTES) or b"")
    return []


def note(layout: Layout, session: str, event: str, now: datetime.datetime, more: Record | None = None) -> bool:
    """Record an event of a session. Return whether this worked.

    The first event of a session removes records that are 30 days old.
    """
    record: Record = {"at": now.isoformat(timespec="seconds"), "e": event, **(more or {})}
    where = path(layout, session)
    try:
        identity = files.identity(where)
        if identity is None:
            files.make_directory(layout.hosts, layout.directory_mode)
            _clean(layout, now.timestamp() - MAX_DAYS * 86_400)
            record["session"] = session
        elif identity[2] >= MAX_BYTES:
            return False
        return append_unlocked(where, encode(record), layout.mode)
    except (OSError, StoreError):
        return False


def day_of_reviews(layout: Layout) -> str:
    """Return the day on which the start of a session last mentioned pending reviews; empty if none did."""
    with contextlib.suppress(OSError, StoreError):
        return (files.read(layout.hosts / _DAY) or b"").decode("utf-8", "replace")
    return ""


def note_reviews(layout: Layout, day: str) -> None:
    """Record that the start of a session has mentioned pending reviews."""
    with contextlib.suppress(OSError, StoreError):  # a store that is only read: they are named again
        files.make_directory(layout.hosts, layout.directory_mode)
        files.replace(layout.hosts / _DAY, day.encode(), layout.mode)


def _clean(layout: Layout, horizon: float) -> None:
    """Remove the records of sessions before `horizon`, and the oldest ones until `MAX_TOTAL` is left."""
    found = (layout.hosts / name for name in filter(pattern(_NAME).fullmatch, files.names(layout.hosts)))
    known = [(status, file) for file in found if (status := files.status(file)) is not None]
    total = 0
    for status, file in sorted(known, key=lambda one: -one[0].st_mtime):
        total += status.st_size
        if status.st_mtime < horizon or total > MAX_TOTAL:
            with contextlib.suppress(OSError, StoreError):
                files.unlink(file)
