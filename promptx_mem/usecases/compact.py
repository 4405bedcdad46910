"""compact: lines and events of ended memories, and the markers of a merge, go to archive/.

Everything else stays, byte for byte.
"""

import datetime
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from promptx_mem.core import bundle, document
from promptx_mem.core import line as conflicts
from promptx_mem.core.fold import fold_all
from promptx_mem.core.state import lives
from promptx_mem.errors import newer
from promptx_mem.record import TYPE_CHECKING, NamedTuple
from promptx_mem.store import append, archive, rewrite, sources
from promptx_mem.store.layout import Layout
from promptx_mem.store.writer import Writer

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context

Ranges = list[tuple[int, int]]


class Gain(NamedTuple):
    """The bytes removed, and how many of them were lines left by a merge as conflict markers."""

    size: int
    markers: int


def compact(context: "Context", writer: Writer, now: datetime.datetime | None = None) -> Gain:
    """Archive the memories that have ended, under the lock; do nothing if there are none.

    Raises StoreError if a newer version has written in the store.
    """
    where = writer.layout
    rewrite.recover(where)
    rewrite.sweep(where)
    append.settle(where)
    everything = sources.read(where)
    if sources.newer(everything.problems):
        raise newer()
    moment = now or context.now()
    states = fold_all((line.entry for line in everything.lines), everything.events)
    ended = {ident for ident, state in states.items() if not lives(state, moment.timestamp())}
    endings = _removable(everything, ended)
    lines: Ranges = [(line.start, line.end) for line in endings]
    # A merge brings back lines that are archived already: one copy is enough, and none of a purged text.
    entries = {line.entry for line in everything.lines if line.archived}
    copies: Ranges = [
        (line.start, line.end)
        for line in endings
        if line.entry not in entries and states[line.entry.id].end != "purged"
    ]
    # The markers of a committed conflict are removed too; the lines between them stay.
    read = document.read(everything.declarative)
    markers = [*read.markers, *_taken_before(everything.declarative, read.loose, _archived(where, archive.LINES))]
    lines, copies = sorted([*lines, *markers]), sorted([*copies, *markers])
    whole, loose = conflicts.ranges(everything.journal)
    archive_events = _archived(where, archive.EVENTS)
    journal_markers = [*whole, *_taken_before(everything.journal, loose, archive_events)]
    events = rewrite.events_of(everything.journal, lambda event: ended.issuperset((*event.ids, *event.supersedes)))
    event_copies = sorted([*_not_there(everything.journal, events, archive_events), *journal_markers])
    events = sorted([*events, *journal_markers])
    # Lines first: a crash between the two changes nothing, and events without a line revive nothing, even where git
    # takes away an archive that it does not track yet.
    gained = 0
    if len(copies) < len(lines) or len(event_copies) < len(events):  # lines removed here must be safely in the archive
        archive.sync(where)
    for path, data, ranges, archived, kind in (
        (where.declarative, everything.declarative, lines, copies, archive.LINES),
        (where.journal, everything.journal, events, event_copies, archive.EVENTS),
    ):
        if archived:
            parts = [data[start:stop] for start, stop in archived]
            put_together = bundle.join if kind == archive.LINES else _lines
            archive.write(where, f"{moment:%Y%m%d}", put_together(parts), kind)
        if ranges:
            gained += writer.take_out(path, data, ranges)
    of_markers = sum(stop - start for start, stop in [*markers, *journal_markers])
    return Gain(gained, of_markers)


def _removable(everything: sources.Sources, ended: AbstractSet[str]) -> list[sources.Line]:
    """Return the live lines of ended memories, without those that keep a hand-written block from absorbing the next."""
    endings = [line for line in everything.lines if not line.archived and line.entry.id in ended]
    data, ranges = everything.declarative, [(line.start, line.end) for line in endings]
    needed = {bullet.start for _, bullet in bundle.held_open(data, ranges, rewrite.cut(data, ranges))}
    return [line for line in endings if line.start not in needed]


def _archived(where: Layout, kind: str) -> set[bytes]:
    names = [name for name in archive.names(where) if name.endswith(kind)]
    return {raw.removesuffix(b"\r") for name in names for raw in archive.read(where, name).split(b"\n")}


def _taken_before(data: bytes, loose: Sequence[tuple[int, int]], lines: set[bytes]) -> Ranges:
    """Return the ranges of markers that were removed in another copy; a merge brings some of them back."""
    return [(start, stop) for start, stop in loose if data[start:stop].rstrip(b"\r\n") in lines]


def _not_there(journal: bytes, ranges: Ranges, lines: set[bytes]) -> Ranges:
    return [(start, stop) for start, stop in ranges if journal[start:stop].rstrip(b"\r\n") not in lines]


def _lines(parts: Iterable[bytes]) -> bytes:
    return b"".join(raw if raw.endswith(b"\n") else raw + b"\n" for raw in parts)
