"""Storing what was planned: batches of bounded size, each under the lock, so that others write in between.

In each the events go before the lines: a crash leaves no memory whose origin is not known. What is stored is known to
the next run, which goes on from there.
"""

import contextlib
import datetime
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from promptx_mem.core.entry import Entry
from promptx_mem.core.events import line_key
from promptx_mem.core.journal import Event
from promptx_mem.core.line import format_line
from promptx_mem.search import build, current
from promptx_mem.search.rows import Progress
from promptx_mem.store import files
from promptx_mem.store.layout import Layout
from promptx_mem.store.store import Writer
from promptx_mem.usecases import index, limits
from promptx_mem.usecases.intake.plan import Plan, ordered
from promptx_mem.usecases.lookup import Lookup

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context

LINES = 1_000
"""Memories of one batch."""

IDS = 200
"""Ids of one event."""

_ID_BYTES = 16


def store(context: "Context", plan: Plan, progress: Progress | None) -> None:
    """Store the memories of a plan and say whose they are. Raises Refused, nothing stored, where they do not fit."""
    for merge in plan.merges:
        context.store.write(merge.write)
    entries = list(ordered(plan.taken.values()))
    stamp = identity(context.layout) if plan.merges else plan.stamp
    for start in range(0, max(len(entries), 1), LINES):
        work = _Batch(context, plan, entries, start, stamp)
        stamp = context.store.write(work.write)
        if progress is not None:
            progress(min(start + LINES, len(entries)), len(entries))


def identity(layout: Layout) -> object:
    """Tell by which files what is known was known."""
    return files.identity(layout.declarative), files.identity(layout.journal)


class _Batch:
    """The memories from `start` on. `stamp`: the files when it was last looked what is known."""

    def __init__(self, context: "Context", plan: Plan, entries: list[Entry], start: int, stamp: object) -> None:
        self.context, self.plan, self.all, self.stamp = context, plan, entries, stamp
        self.entries = entries[start : start + LINES]
        self.first, self.last = start == 0, start + LINES >= len(entries)

    def write(self, writer: Writer) -> object:
        """Append the events, then the lines; returns what the files are then."""
        context, plan, entries = self.context, self.plan, self.entries
        if identity(writer.layout) != self.stamp:  # somebody has written since the plan was made
            with current.open_current(writer.layout) as cache:
                plan.look_again(cache)
            entries = plan.still_new(entries)
        lines = [format_line(entry) for entry in entries]
        if self.first:
            limits.check_size(context, writer, sum(len(format_line(entry).encode()) + _ID_BYTES for entry in self.all))
        alone = self.first and self.last
        # Later batches do without the cache: to follow each of them takes longer than to make it anew at the end.
        with current.open_current(writer.layout) if self.first else contextlib.nullcontext() as cache:
            lookup = Lookup(writer.layout, cache)
            events = list(self._marks(lookup, entries))
            if adoptions := lookup.adoptions(context.now().timestamp(), context.host()) if lines else []:
                writer.add_events(adoptions)
            if events:
                writer.add_events(events)
            if lines:
                writer.add_lines(lines)
            if alone and cache is not None and current.add_appended(cache, writer):
                index.refresh(context, cache, context.now())
        if self.last:
            self._finish(writer, refresh=not alone)
        return identity(writer.layout)

    def _finish(self, writer: Writer, *, refresh: bool) -> None:
        now = self.context.now()
        writer.note(self.plan.records(self.context.session, now), now)
        if refresh:
            with build.rebuild(writer.layout) as cache:
                index.refresh(self.context, cache, now)

    def _marks(self, lookup: Lookup, entries: Sequence[Entry]) -> Iterator[Event]:
        """Events that say whose the memories are: `imported` with form and file, or `owned` for those known already."""
        context, plan = self.context, self.plan
        now = context.now()
        groups: dict[tuple[str, str | None], list[str]] = {}
        if not plan.options.mine:
            for entry in entries:
                groups.setdefault(("imported", ": ".join(plan.came_from[entry.id])), []).append(entry.id)
        elif self.first:
            groups["owned", None] = list(plan.lifted)
        if not any(groups.values()):
            return
        k = max(lookup.next_k(now.timestamp()), *(line_key(entry) + 1 for entry in entries), 0)
        at = _at(now)
        for (kind, reason), ids in groups.items():
            for start in range(0, len(ids), IDS):
                part = tuple(ids[start : start + IDS])
                yield Event(k=k, host=context.host(), at=at, kind=kind, ids=part, reason=reason)
                k += 1


def _at(now: datetime.datetime) -> str:
    return now.isoformat(timespec="seconds")
