"""Merge a bundle or a store of ours with --mine: its lines and events, byte for byte, whatever clock wrote them."""

import contextlib
import datetime
import re
from typing import TYPE_CHECKING

from promptx_mem.core import chunks as together
from promptx_mem.core.bundle import DECLARATIVE, JOURNAL, Files
from promptx_mem.core.events import line_key
from promptx_mem.errors import StoreError
from promptx_mem.search import current
from promptx_mem.store import archive, contents, conversations, shelved
from promptx_mem.store.writer import Writer
from promptx_mem.usecases import index, limits
from promptx_mem.usecases.intake import pieces as apart_
from promptx_mem.usecases.intake.pieces import Chunk, Pieces
from promptx_mem.usecases.intake.report import Report

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context

_LAST_K = 253_402_300_800_000_000
"""The end of the year 9999 in microseconds: no clock gives a later `k`, and later events would have to exceed it."""

_K = re.compile(rb'"k":\s*(\d+)')
_PURGED = "it was purged here"


class Merge:
    """What of another store is new here.

    Lines come with all their events or not at all: without a later event an ended memory would be active again.
    """

    def __init__(self, context: "Context", files: Files, name: str, modified: str) -> None:
        self.context, self.files, self.name = context, files, name
        self.pieces: Pieces = apart_.apart(files, modified)
        self._new: set[bytes] = set()
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

    def fault(self) -> str:
        """Return why nothing of it may come into this store; empty where it may. An empty store takes everything."""
        chunks = {chunk.raw.strip() for chunk in self.pieces.chunks()}
        events = {raw.strip() for events in self.pieces.events.values() for raw, _ in events}
        if self.our_chunks <= chunks and self.our_events <= events:
            return ""  # also after a merge of the same files that was interrupted
        late = [chunk for chunk in self.pieces.chunks() if (chunk.entry.k or 0) > _LAST_K]
        if late:
            return f"line {late[0].line} has a `k` that no clock gives, so nothing of it is imported"
        if any(int(k[:30]) > _LAST_K for raw in events for k in _K.findall(raw)):
            return "an event has a `k` that no clock gives, so nothing of it is imported"
        return ""

    def _is_purged(self, chunk: Chunk) -> bool:
        purge = self.purged.get(chunk.entry.id)
        return purge is not None and line_key(chunk.entry) <= purge

    def say(self, report: Report) -> None:
        """Count what becomes of each memory."""
        ids: set[str] = set()
        self._new = {chunk.raw.strip() for chunk in self.pieces.chunks()} - self.our_chunks
        for chunk in self.pieces.chunks():
            ident, text = chunk.entry.id, chunk.entry.text
            if self._is_purged(chunk):
                report.note(self.name, chunk.line, "", "known", _PURGED, ident)
            elif ident not in ids:
                verdict = "known" if chunk.raw.strip() in self.our_chunks else "taken"
                report.note(self.name, chunk.line, text, verdict, ident=ident)
            ids.add(ident)
        for name, data in self.pieces.talks.items():
            if self._talk(name, data) is None:
                why = "a conversation that went on in both copies"
                report.note(self.name, 0, "", "left", why, is_failure=True)

    def missing(self) -> set[str]:
        """Return the ids of memories that `say` counted as taken, and that are not in this store."""
        taken = {chunk.entry.id for chunk in self.pieces.chunks() if chunk.raw.strip() in self._new}
        with contextlib.suppress(OSError, StoreError):
            self.look()
        return taken - {chunk.entry.id for chunk in self.pieces.chunks() if chunk.raw.strip() in self.our_chunks}

    def write(self, writer: Writer) -> None:
        """Append what is new, events before lines, lines that were replaced last.

        So a merge that is cut off makes no ended memory active; the same merge again adds the rest.
        """
        self.look()
        parts = {name: self._lines(name) for name in self.pieces.lines}
        parts |= {name: self._events(name) for name in self.pieces.events}
        limits.check_size(self.context, writer, len(parts.get(DECLARATIVE, b"")) + len(parts.get(JOURNAL, b"")))
        self._archive(writer, {name: parts[name] for name in self.pieces.events}, archive.EVENTS)
        writer.add_raw(events=parts.get(JOURNAL, b""))
        for name, data in self.pieces.talks.items():
            self._add_talk(writer, name, self._talk(name, data) or b"")
        writer.add_raw(lines=parts.get(DECLARATIVE, b""))
        self._archive(writer, {name: parts[name] for name in sorted(self.pieces.lines, reverse=True)}, archive.LINES)
        with current.open_current(writer.layout) as cache:
            index.refresh(self.context, cache, self.context.now())

    def _archive(self, writer: Writer, parts: dict[str, bytes], kind: str) -> None:
        for name, data in parts.items():
            if data and name not in (DECLARATIVE, JOURNAL):
                archive.write(writer.layout, contents.stamp_of(name) or _day(self.context.now()), data, kind)

    def _lines(self, name: str) -> bytes:
        chunks = self.pieces.lines[name]
        new = [chunk for chunk in chunks if chunk.raw.strip() not in self.our_chunks and not self._is_purged(chunk)]
        present = self.present.get(name, b"")
        if len(new) == len(chunks) and self.files[name].startswith(present):
            return self.files[name].removeprefix(present)
        before = present if name == DECLARATIVE else b""
        return together.behind(before, (chunk.raw for chunk in new), self.pieces.modified)[0]

    def _events(self, name: str) -> bytes:
        return b"".join(
            raw if raw.endswith(b"\n") else raw + b"\n"
            for raw, _ in self.pieces.events[name]
            if raw.strip() not in self.our_events
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
