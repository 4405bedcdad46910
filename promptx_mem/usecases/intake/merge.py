"""A bundle or a store of ours is merged: its lines and events, byte for byte, into an empty store or with --mine."""

import datetime
import re
from typing import TYPE_CHECKING

from promptx_mem.core import chunks as together
from promptx_mem.core.bundle import DECLARATIVE, JOURNAL, Files
from promptx_mem.core.events import line_key
from promptx_mem.core.journal import Event
from promptx_mem.errors import BusyError
from promptx_mem.search import current
from promptx_mem.store import archive, contents, conversations, shelved
from promptx_mem.store.writer import Writer
from promptx_mem.usecases import index, limits
from promptx_mem.usecases.intake import pieces as apart_
from promptx_mem.usecases.intake.pieces import Chunk, Pieces
from promptx_mem.usecases.intake.report import Report

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context

DAY_AHEAD = 86_400_000_000
"""Microseconds by which an event may lie ahead of this host's clock."""

_K = re.compile(rb'"k":\s*(\d+)')
_AHEAD = "its place in the order of events lies more than a day ahead"
_PURGED = "it was purged here"


class Merge:
    """What of another store is new here. `raw` gives the bytes for each file, `refused` counts what is not taken."""

    def __init__(self, context: "Context", files: Files, name: str, modified: str, *, mine: bool) -> None:
        self.context, self.files, self.name, self.mine = context, files, name, mine
        self.pieces: Pieces = apart_.apart(files, modified)
        self.limit = int(context.now().timestamp() * 1e6) + DAY_AHEAD
        self.look()

    def look(self) -> None:
        """Learn what this store holds."""
        self.present = contents.read(self.context.layout, talks=True)
        own = apart_.apart(self.present, self.context.now().isoformat(timespec="seconds"))
        self.our_chunks = {chunk.raw.strip() for chunk in own.chunks()}
        self.our_events = {raw.strip() for events in own.events.values() for raw, _ in events}
        self.purged: dict[str, int] = {}
        for event in own.understood():
            if event.kind == "purged":
                self.purged.update((ident, max(event.k, self.purged.get(ident, 0))) for ident in event.ids)
        self.live = len(own.lines[DECLARATIVE])

    def into_empty(self) -> bool:
        """Whether nothing is here, or only what a run of this merge that was interrupted has brought."""
        chunks = {chunk.raw.strip() for chunk in self.pieces.chunks()}
        events = {raw.strip() for events in self.pieces.events.values() for raw, _ in events}
        return not self.live and self.our_chunks <= chunks and self.our_events <= events

    def _objection(self, chunk: Chunk) -> str:
        if chunk.entry.k is not None and chunk.entry.k > self.limit:
            return _AHEAD
        purge = self.purged.get(chunk.entry.id)
        return _PURGED if purge is not None and line_key(chunk.entry) <= purge else ""

    def _is_ahead(self, raw: bytes, event: Event | None) -> bool:
        if event is not None:
            return event.k > self.limit
        return any(int(k[:30]) > self.limit for k in _K.findall(raw))

    def say(self, report: Report) -> None:
        """Count what becomes of each memory and each refused event."""
        ids: set[str] = set()
        for chunk in self.pieces.chunks():
            ident, text = chunk.entry.id, chunk.entry.text
            why = self._objection(chunk)
            if why == _PURGED:
                report.note(self.name, chunk.line, "", "known", why, ident)
            elif why:
                report.note(self.name, chunk.line, text, "refused", why, ident)
            elif ident not in ids:
                verdict = "known" if chunk.raw.strip() in self.our_chunks else "taken"
                report.note(self.name, chunk.line, text, verdict, ident=ident)
            ids.add(ident)
        for events in self.pieces.events.values():
            for raw, event in events:
                if self._is_ahead(raw, event):
                    report.note(self.name, 0, "", "refused", f"an event: {_AHEAD}")
        for name, data in self.pieces.talks.items():
            if self._talk(name, data) is None:
                report.note(self.name, 0, "", "left", "a conversation that went on in both copies")

    def write(self, writer: Writer) -> None:
        """Append what is new, declarative.md last, so that a merge that was interrupted can be done again."""
        self.look()
        if not self.mine and not self.into_empty():
            raise BusyError("somebody has written to the store meanwhile; nothing was merged", hint="try again")
        parts = {name: self._lines(name) for name in self.pieces.lines}
        parts |= {name: self._events(name) for name in self.pieces.events}
        limits.check_size(self.context, writer, len(parts.get(DECLARATIVE, b"")) + len(parts.get(JOURNAL, b"")))
        for name, data in parts.items():
            if data and name not in (DECLARATIVE, JOURNAL):
                kind = archive.LINES if name in self.pieces.lines else archive.EVENTS
                archive.write(writer.layout, contents.stamp_of(name) or _day(self.context.now()), data, kind)
        for name, data in self.pieces.talks.items():
            self._add_talk(writer, name, self._talk(name, data) or b"")
        writer.add_raw(lines=parts.get(DECLARATIVE, b""), events=parts.get(JOURNAL, b""))
        with current.open_current(writer.layout) as cache:
            index.refresh(self.context, cache, self.context.now())

    def _lines(self, name: str) -> bytes:
        chunks = self.pieces.lines[name]
        new = [chunk for chunk in chunks if chunk.raw.strip() not in self.our_chunks and not self._objection(chunk)]
        present = self.present.get(name, b"")
        if len(new) == len(chunks) and self.files[name].startswith(present):
            return self.files[name].removeprefix(present)
        before = present if name == DECLARATIVE else b""
        return together.behind(before, (chunk.raw for chunk in new), self.pieces.modified)[0]

    def _events(self, name: str) -> bytes:
        return b"".join(
            raw if raw.endswith(b"\n") else raw + b"\n"
            for raw, event in self.pieces.events[name]
            if raw.strip() not in self.our_events and not self._is_ahead(raw, event)
        )

    def _talk(self, name: str, data: bytes) -> bytes | None:
        """What of a conversation is new here; None where both copies went on with it."""
        unit, is_shelved = contents.unit_of(name)
        present = self.present.get(name, b"")
        if unit == conversations.EPISODES:
            lines = set(present.splitlines())
            return b"".join(raw + b"\n" for raw in data.splitlines() if raw not in lines)
        counterpart = self.present.get(
            f"conversations/{unit}.jsonl" if is_shelved else f"archive/conversations/{unit}.jsonl", b""
        )
        if data in (present, counterpart) or present.startswith(data):
            return b""
        return data[len(present) :] if data.startswith(present) and not counterpart.startswith(data) else None

    def _add_talk(self, writer: Writer, name: str, data: bytes) -> None:
        unit, is_shelved = contents.unit_of(name)
        if data and is_shelved:
            shelved.write(writer.layout, unit, self.present.get(name, b"") + data)
        elif data:
            conversations.add_raw(writer.layout, unit, data)


def _day(now: datetime.datetime) -> str:
    return now.date().isoformat()
