"""compact: lines and events of ended memories go to archive/; everything else stays, byte for byte (SPEC 8)."""

from typing import TYPE_CHECKING

from promptx_mem.core.events import fold_all, lives
from promptx_mem.core.journal import parse_event
from promptx_mem.store import append, archive, rewrite, sources
from promptx_mem.store.store import Writer

if TYPE_CHECKING:
    from promptx_mem.memory import Memory

Ranges = list[tuple[int, int]]


def compact(memory: "Memory", writer: Writer) -> int:
    """Archive what has ended by now, under the lock; returns the bytes gained. Nothing is done where nothing has."""
    where = writer.layout
    rewrite.recover(where)
    append.settle(where)
    everything = sources.read(where)
    now = memory.now().timestamp()
    states = fold_all((line.entry for line in everything.lines), everything.events)
    ended = {ident for ident, state in states.items() if not lives(state, now)}
    lines: Ranges = [
        (line.start, line.end) for line in everything.lines if not line.archived and line.entry.id in ended
    ]
    events = _ended_events(everything.journal, ended)
    # Events first: a line whose events are archived is read with them, so a crash between the two changes nothing.
    gained = 0
    host = memory.host()
    for path, data, ranges, kind in (
        (where.journal, everything.journal, events, archive.EVENTS),
        (where.declarative, everything.declarative, lines, archive.LINES),
    ):
        if ranges:
            stamp = f"{memory.now():%Y%m%d-%H%M%S-%f}-{host}"
            archive.write(where, stamp, b"".join(_whole(data[start:stop]) for start, stop in ranges), kind)
            gained += rewrite.without(where, path, data, ranges)
    return gained


def _ended_events(journal: bytes, ended: set[str]) -> Ranges:
    """Where the events lie that act on ended memories alone."""
    ranges: Ranges = []
    start = 0
    for raw in journal.split(b"\n"):
        stop = start + len(raw) + 1
        event = parse_event(raw.decode("utf-8", "replace")) if raw else None
        if event is not None and ended.issuperset((*event.ids, *event.supersedes)):
            ranges.append((start, min(stop, len(journal))))
        start = stop
    return ranges


def _whole(raw: bytes) -> bytes:
    return raw if raw.endswith(b"\n") else raw + b"\n"
