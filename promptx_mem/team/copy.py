"""This copy, as what is compared with a server: the set of its lines and events, live and archived."""

import datetime
from collections.abc import Collection
from hashlib import sha256
from typing import TYPE_CHECKING

from promptx_mem.core.bundle import DECLARATIVE
from promptx_mem.core.entry import NEWER, Entry
from promptx_mem.core.journal import Event
from promptx_mem.core.line import is_line, parse_line
from promptx_mem.search import current, memories
from promptx_mem.store import contents, sources
from promptx_mem.store import episodes as conversations
from promptx_mem.team import records, seen
from promptx_mem.team.notes import Seen
from promptx_mem.team.port import Row
from promptx_mem.team.records import Taken
from promptx_mem.usecases.intake import pieces
from promptx_mem.usecases.intake.pieces import Chunk
from promptx_mem.usecases.lookup import Lookup

if TYPE_CHECKING:
    from promptx_mem.store.writer import Writer
    from promptx_mem.usecases.context import Context

EPISODE = "episode"


class Copy:
    """What is here: `records` by their hash, what was `purged`, and how much cannot be sent.

    `hand`: the hashes of lines by hand without a comment, as they stand one after the other.
    """

    def __init__(self, context: "Context") -> None:
        self.context = context
        self.records: dict[bytes, Taken] = {}
        self.purged: dict[str, int] = {}
        self.ids: dict[str, list[Taken]] = {}
        self.hand: list[bytes] = []
        self.unsent = 0
        self.files: seen.Files | None = None
        self._known: Collection[bytes] = frozenset()
        self._before = 0
        self.is_whole = True
        """False where only what is new was read: the rest is as it was sent, and `hand` and `ids` are not known."""

    def add(self, taken: Taken) -> None:
        """Count a record as here."""
        self.records[taken.record.hash] = taken
        if taken.entry is not None:
            self.ids.setdefault(taken.entry.id, []).append(taken)
        elif taken.event is not None:
            self.purged = {**self.purged, **_later(records.purges([taken.event]), self.purged)}

    def is_here(self, key: bytes) -> bool:
        """Whether a record is here."""
        return key in self.records or key in self._known

    def follow(self, before: Seen | None, sent: set[bytes], gone: Collection[bytes]) -> bool:
        """Read what is new since the last exchange, if that is all that has changed. Raises OSError, StoreError."""
        layout = self.context.layout
        self.files = seen.read(layout)
        known = sent.difference(gone)
        if before is None or layout.is_user or (tail := seen.tail(layout, self.files, before, known)) is None:
            return False
        with current.open_current(layout) as cache:
            self.purged = records.purges(memories.purges(cache))
            episodes = memories.ids_of(cache, EPISODE)
        self.is_whole, self._known, self._before = False, known, before.bytes
        for raw, entry in tail.lines:
            self._note(_readable(records.of_entry(entry, raw)))
        for raw, event in tail.events:
            if not episodes.issuperset(event.ids):
                self._note(_readable(records.of_event(event, raw)))
        return True

    def look(self, sent: Collection[bytes] = ()) -> None:
        """Read it all; what is among `sent` is known to be readable. Raises OSError, StoreError."""
        self.is_whole, self._known, self._before = True, frozenset(), 0
        self.files = seen.read(self.context.layout)
        now = self.context.now().isoformat(timespec="seconds")
        parts = pieces.apart(contents.read(self.context.layout, talks=False), now)
        self.records, self.ids, self.hand, self.unsent = {}, {}, [], 0
        events = parts.understood()
        self.purged = records.purges(events)
        talks = {entry.id for entry, _, _ in conversations.parse(conversations.read(self.context.layout))}
        episodes = talks | {chunk.entry.id for chunk in parts.chunks() if chunk.entry.category == EPISODE}
        waiting = _waiting(parts, events) if self.context.layout.is_user else set()
        every = list(parts.chunks())
        lines = [sources.Line(chunk.entry, 0, 0, DECLARATIVE, chunk.has_time) for chunk in every]
        for chunk, line in zip(every, sources.settled(lines, events), strict=True):
            if chunk.entry.id not in episodes and chunk.entry.id not in waiting:
                taken = _of_chunk(chunk, line.entry, sent)
                self._note(taken)
                if taken is not None and not chunk.has_time:
                    self.hand.append(taken.record.hash)
        for listed in parts.events.values():
            for raw, event in listed:
                if event is None:
                    self.unsent += bool(raw.strip())
                elif not episodes.issuperset(event.ids):
                    self._note(_readable(records.of_event(event, raw.strip()), sent))

    def bytes(self) -> int:
        """How many bytes the records take that are here."""
        return self._before + sum(len(taken.record.data) for taken in self.records.values())

    def lines(self) -> int:
        """How many memories it holds that are sent."""
        return len(self.ids)

    def _note(self, taken: Taken | None) -> None:
        if taken is None:
            self.unsent += 1
        else:
            self.records[taken.record.hash] = taken
            if taken.entry is not None:
                self.ids.setdefault(taken.entry.id, []).append(taken)


def adopt(context: "Context", writer: "Writer") -> None:
    """Fix, under the lock, the time of lines by hand: another copy's files have other times."""
    with current.open_current(writer.layout) as cache:
        if events := Lookup(writer.layout, cache).adoptions(context.now().timestamp(), context.host()):
            writer.add_events(events)
            current.catch_up(cache, writer)


def next_k(context: "Context", now: datetime.datetime, touched: list[Entry]) -> int:
    """The order key of a new event, under the lock."""
    with current.open_current(context.layout) as cache:
        return Lookup(context.layout, cache).next_k(now.timestamp(), touched)


def _of_chunk(chunk: Chunk, entry: Entry, sent: Collection[bytes]) -> Taken | None:
    """The record of a memory: of a line of ours its bytes; of any other hand's, a line of ours that says the same."""
    raw = chunk.raw.strip(b"\r\n")
    if sha256(raw).digest() in sent:
        return records.of_entry(entry, raw)
    text = raw.decode("utf-8", "replace")
    line = parse_line(text) if is_line(text) and b"\n" not in raw else None
    if line is not None:
        if any(problem.startswith(NEWER) for problem in line.problems):
            return None
        if (taken := _readable(records.of_entry(line.entry, raw) if line.entry.at else None)) is not None:
            return taken
    return _readable(records.of_entry(entry))


def _readable(taken: Taken | None, sent: Collection[bytes] = ()) -> Taken | None:
    """A record that others can read; None for any other."""
    if taken is None or taken.record.hash in sent:
        return taken
    again = records.read(Row(taken.record, ""))
    return again if isinstance(again, Taken) else None


def _waiting(parts: pieces.Pieces, events: list[Event]) -> set[str]:
    confirmed = {ident for event in events if event.kind == "confirmed" for ident in event.ids}
    return {chunk.entry.id for chunk in parts.chunks() if chunk.entry.unconfirmed} - confirmed


def _later(new: dict[str, int], old: dict[str, int]) -> dict[str, int]:
    return {ident: max(k, old.get(ident, 0)) for ident, k in new.items()}
