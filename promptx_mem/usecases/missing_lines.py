"""Lines that are not in the two files any more: archived by compaction, or vanished with an editor's save."""

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from promptx_mem.core import chunks
from promptx_mem.core.events import fold_all
from promptx_mem.core.ids import PREFIX
from promptx_mem.core.journal import REPLACED, Event
from promptx_mem.core.line import parse_line
from promptx_mem.core.state import State
from promptx_mem.core.text import plural
from promptx_mem.search import current, lost, memories
from promptx_mem.search.history import events as events_on
from promptx_mem.search.history import line_places
from promptx_mem.store import append, archive, episodes

if TYPE_CHECKING:
    from promptx_mem.core.entry import Entry
    from promptx_mem.search.cache import Cache
    from promptx_mem.store.writer import Writer
    from promptx_mem.usecases.lookup import Lookup

_OPEN = "something at the end of declarative.md is still open (a code fence, a START): it is back as a line of its own"


class Back(NamedTuple):
    """How many lines and events were appended again, what the events say, and the memory as these make it."""

    lines: int
    events: tuple[str, ...]
    state: State
    appended: list[Event]
    is_edited: bool
    """Another memory stands in its place in other copies too, as long as no event says that it is back."""

    def describe(self) -> str:
        """Say what is back, for a note."""
        kinds = f" ({', '.join(self.events)})" if self.events else ""
        events = f"{plural(len(self.events), 'event', 'events')}{kinds} of it that had vanished"
        if not self.lines:
            return f"{events}: back in the journal"
        return "its line had vanished, and is back" + (f", with {events}" if self.events else "")


def bring_back(lookup: "Lookup", cache: "Cache", writer: "Writer", prefix: str) -> Back | None:
    """Append again what vanished of a memory, its line or its events, if that and nothing else is what the id names."""
    prefix = prefix.strip().lower()
    if lookup.cache is None or not PREFIX.fullmatch(prefix):
        return None
    losses = lost.find_missing(cache, prefix)
    if len(idents := losses.idents()) != 1 or set(cache.matching(prefix)) - idents:
        return None
    (ident,) = idents
    events = sorted(losses.events.get(ident, {}).values(), key=lambda event: event.k)
    lines = losses.lines.get(ident) or losses.deleted.get(ident, [])
    if events:  # first: without its line an event does nothing, and the line without them would revive what had ended
        writer.add_events(events)
    if lines:
        writer.add_lines(lines)
    current.catch_up(cache, writer)
    entries = [read_back.entry for raw in lines if (read_back := parse_line(raw)) is not None]
    state = fold_all(entries, events)[ident] if entries else lookup.by_id(ident)
    edits = (event for event in events_on(cache, ident) if event.kind == REPLACED and event.ids[0] != ident)
    return Back(len(lines), tuple(event.kind for event in events), state, events, any(edits))


def bring_all_back(cache: "Cache", writer: "Writer") -> tuple[int, int, list[str]]:
    """Append again all that vanished without anybody's intent.

    Returns the numbers of memories and events, and the ids. Forgotten memories stay forgotten: their events are in the
    journal, or come back before their lines.
    """
    losses = lost.unexplained(writer.layout)
    events = {raw: event for its in losses.events.values() for raw, event in its.items()}
    lines = list(dict.fromkeys(raw for raws in losses.lines.values() for raw in raws))
    ordered = sorted(events.values(), key=lambda event: event.k)
    if ordered:
        writer.add_events(ordered)
    if lines:
        writer.add_lines(lines)
    current.catch_up(cache, writer)
    return len(losses.lines), len(ordered), sorted(losses.idents())


def vanished_entries(cache: "Cache", prefix: str | None = None) -> "list[Entry]":
    """Return the newest line of each memory whose line vanished, of the one memory that `prefix` means, or of all."""
    if prefix is None:
        lines = lost.unexplained(cache.layout).lines
    else:
        prefix = prefix.strip().lower()
        if not PREFIX.fullmatch(prefix) or cache.matching(prefix):
            return []
        lines = lost.find_missing(cache, prefix).lines
        if len(lines) > 1:
            return []
    found = (parse_line(raws[-1]) for raws in lines.values())
    return [read_back.entry for read_back in found if read_back is not None]


def unarchive(cache: "Cache", writer: "Writer", ident: str) -> str | None:
    """Append an archived memory's bytes again: what lives stands in declarative.md. Its old time revives nothing.

    Returns a note where they had to become a line of ours, since something open at the file's end would take them in.
    """
    if not memories.archive_of(cache, ident):
        return None
    where = writer.layout
    counts: Counter[tuple[str, bytes]] = Counter()
    parts: dict[tuple[bytes, int], None] = {}
    for start, stop, name in line_places(cache, ident):
        if name == episodes.NAME:  # what was said is never shared
            return None
        raw = archive.read_permitted(where, name)[start:stop]
        counts[name, raw] += 1
        parts[raw, counts[name, raw]] = None  # two copies of a store may have archived the same lines
    before = append.read_settled(where, where.declarative)
    data, same = chunks.behind(before, (raw for raw, _ in parts), cache.meta("seen_at"))
    writer.add_raw(lines=data)
    current.catch_up(cache, writer)
    return None if same else _OPEN
