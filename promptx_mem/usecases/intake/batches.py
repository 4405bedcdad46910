"""Storing what was planned: batches of bounded size, each under the lock, so that others write in between.

In each the events go before the lines: a crash leaves no memory whose origin is not known. What is stored is known to
the next run, which goes on from there.
"""

import datetime
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from promptx_mem.core.entry import MAX_K, Entry
from promptx_mem.core.events import line_key
from promptx_mem.core.journal import Event
from promptx_mem.core.line import format_line
from promptx_mem.errors import PromptxMemError
from promptx_mem.search import build, current
from promptx_mem.search.cache import Cache
from promptx_mem.search.rows import Progress
from promptx_mem.store import files
from promptx_mem.store.layout import Layout
from promptx_mem.store.writer import Writer
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


def store(context: "Context", plan: Plan, progress: Progress | None) -> tuple[str, ...]:
    """Store the memories of a plan and whose they are; return warnings. Raises Refused where they do not fit.

    Where it raises, the report counts as taken only what is stored. Many memories are let go of before the cache is
    rebuilt, which takes more room than they do.
    """
    try:
        for merge in plan.merges:
            context.store.write(merge.write)
            plan.merged += 1
        work = _Batches(context, plan)
        count = len(work.entries)
        for start in range(0, max(count, 1), LINES):
            context.store.write(partial(work.write, start))
            if progress is not None:
                progress(min(start + LINES, count), count)
    except PromptxMemError as error:
        plan.take_back(error.message)
        raise
    if count <= LINES:
        return ()
    del work
    plan.forget()
    try:
        context.store.write(lambda writer: _finish(context, plan, writer))
    except PromptxMemError as error:
        return (f"everything is stored, but the cache and MEMORY.md are out of date: {error.message}",)
    return ()


def identity(layout: Layout) -> object:
    """Tell by which files what is known was known."""
    return files.identity(layout.declarative), files.identity(layout.journal)


class _Batches:
    """All memories and their lines. `stamp`: the files when what is known was looked up; `k` comes after all of it."""

    def __init__(self, context: "Context", plan: Plan) -> None:
        self.context, self.plan = context, plan
        self.entries = list(ordered(plan.taken.values()))
        self.lines = {entry.id: format_line(entry) for entry in self.entries}
        self.stamp: object = identity(context.layout) if plan.merges else plan.stamp
        self.k = 0

    def write(self, start: int, writer: Writer) -> None:
        """Append the events of a batch, then its lines."""
        entries = self.entries[start : start + LINES]
        if start == 0:
            more = sum(len(line.encode()) + _ID_BYTES for line in self.lines.values())
            limits.check_size(self.context, writer, more)
        is_changed = identity(writer.layout) != self.stamp  # somebody has written since the plan was made
        # Else later batches do without the cache: to follow each takes longer than to make it anew at the end.
        if start == 0 or is_changed:
            with current.open_current(writer.layout) as cache:
                if is_changed:
                    self.plan.look_again(cache)
                    entries = self.plan.still_new(entries)
                self._add(writer, entries, cache, is_first=start == 0)
        else:
            self._add(writer, entries, None, is_first=False)
        self.stamp = identity(writer.layout)

    def _add(self, writer: Writer, entries: Sequence[Entry], cache: Cache | None, *, is_first: bool) -> None:
        context, now = self.context, self.context.now()
        if cache is not None:
            lookup = Lookup(writer.layout, cache)
            adoptions = lookup.adoptions(now.timestamp(), context.host()) if entries else []
            if adoptions:
                writer.add_events(adoptions)
            self.k = max(self.k, lookup.next_k(now.timestamp()) + len(adoptions))
        if events := list(self._marks(entries, is_first=is_first)):
            writer.add_events(events)
        if entries:
            writer.add_lines([self.lines[entry.id] for entry in entries])
            self.plan.stored.update(entry.id for entry in entries)
        if cache is not None and len(self.entries) <= LINES:
            if current.add_appended(cache, writer):
                index.refresh(context, cache, now)
            writer.note(self.plan.records(context.session, now), now)

    def _marks(self, entries: Sequence[Entry], *, is_first: bool) -> Iterator[Event]:
        """Events that say whose the memories are: `imported` with form and file, or `owned` for those known already."""
        context, plan = self.context, self.plan
        groups: dict[tuple[str, str | None], list[str]] = {}
        if not plan.options.mine:
            for entry in entries:
                groups.setdefault(("imported", ": ".join(plan.came_from[entry.id])), []).append(entry.id)
        elif is_first:
            groups["owned", None] = list(plan.lifted)
        now = context.now()
        self.k = max(self.k, int(now.timestamp() * 1e6), *(line_key(entry) + 1 for entry in entries), 0)
        for (kind, reason), ids in groups.items():
            for start in range(0, len(ids), IDS):
                part = tuple(ids[start : start + IDS])
                yield Event(min(self.k, MAX_K - 1), context.host(), _at(now), kind, part, reason=reason)
                self.k += 1


def _finish(context: "Context", plan: Plan, writer: Writer) -> None:
    """Note what came in, and bring up to date what is derived."""
    now = context.now()
    writer.note(plan.records(context.session, now), now)
    with build.rebuild(writer.layout) as cache:
        index.refresh(context, cache, now)


def _at(now: datetime.datetime) -> str:
    return now.isoformat(timespec="seconds")
