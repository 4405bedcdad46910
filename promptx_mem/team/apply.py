"""Writes of pulled records to the store: whole pages in one write, and purges in every file."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from promptx_mem.core.journal import Event
from promptx_mem.core.text import plural
from promptx_mem.record import TYPE_CHECKING, NamedTuple, TypeVar
from promptx_mem.search import build, current
from promptx_mem.store import member_notes, members
from promptx_mem.team import port
from promptx_mem.team.copy import Copy
from promptx_mem.team.port import Row, Taken
from promptx_mem.usecases import index, purge

if TYPE_CHECKING:
    from promptx_mem.store.layout import Layout
    from promptx_mem.store.writer import Writer
    from promptx_mem.team.port import Server
    from promptx_mem.usecases.context import Context

LARGE = 4_000_000
"""Bytes that are appended at once: a process that is killed reads as much again."""

_T = TypeVar("_T")


def batched(items: Iterable[_T], size: int) -> Iterator[list[_T]]:
    """Yield the items in lists of at most `size`."""
    iterator = iter(items)
    while part := list(islice(iterator, size)):
        yield part


class Arrival(NamedTuple):
    """A row that is new here, as it was read."""

    row: Row
    taken: Taken


class Batch:
    """Rows to append together; `known` are hashes of records that are already here."""

    def __init__(self, layout: "Layout", copy: Copy) -> None:
        self.layout, self.copy = layout, copy
        self.rows: dict[bytes, Arrival] = {}
        self.known: list[bytes] = []
        self.size = 0

    def add(self, row: Row, taken: Taken) -> None:
        self.rows[row.record.hash] = Arrival(row, taken)
        self.size += len(row.record.data) + 1

    def is_large(self) -> bool:
        return self.size >= LARGE or len(self.known) >= LARGE // 100


def apply(context: "Context", batch: Batch) -> int:
    """Append a batch, events first, and record it as present; return the number of records."""
    arrivals = [arrival for arrival in batch.rows.values() if not port.is_doomed(arrival.taken, batch.copy.purged)]
    if arrivals:
        context.store.write(lambda writer: _append(writer, arrivals))
        for arrival in arrivals:
            batch.copy.add(arrival.taken)
            batch.known.append(arrival.row.record.hash)
    return len(arrivals)


def _append(writer: "Writer", arrivals: Sequence[Arrival]) -> None:
    # Before the lines: an interruption leaves an unused note, never a line without its note.
    lines = [arrival for arrival in arrivals if arrival.taken.entry is not None]
    member_notes.note(
        writer.layout,
        (members.of_line(arrival.taken.entry, arrival.row.role) for arrival in lines if arrival.taken.entry),
    )
    writer.add_raw(
        events=b"".join(one.row.record.data + b"\n" for one in arrivals if one.taken.event is not None),
        lines=b"".join(one.row.record.data + b"\n" for one in lines),
    )


def refresh(context: "Context", why: str = "") -> None:
    """Update the cache and MEMORY.md after the last page, and record the exchange in the audit log."""

    def work(writer: "Writer") -> None:
        if why:
            context.note(writer, "sync", verdict="done", why=why)
        with current.open_current(writer.layout) as cache:
            index.refresh(context, cache)

    context.store.write(work)


def destroy(context: "Context", copy: Copy) -> int:
    """Destroy the memories that local purges name, in every file; return their number."""

    def work(writer: "Writer") -> int:
        doomed = [entry for entry in purge.everywhere(writer.layout) if port.entry_is_doomed(entry, copy.purged)]
        idents = {entry.id for entry in doomed} | {
            ident
            for taken in copy.records.values()
            if port.is_doomed(taken, copy.purged)
            for ident in taken.record.ids
            if ident in copy.purged
        }

        def is_doomed(event: Event) -> bool:
            taken = port.of_event(event)
            return taken is not None and port.is_doomed(taken, copy.purged)

        which = purge.Doomed(lambda entry: port.entry_is_doomed(entry, copy.purged), is_doomed)
        purge.begin(writer.layout, purge.Unfinished())
        purge.clean_texts(writer, idents, {entry.text for entry in doomed}, which)
        purge.end(writer.layout)
        if doomed:
            ids = ({"id": ident} for ident in sorted({entry.id for entry in doomed}))
            context.note(writer, "sync", *ids, verdict="purged")
        return len({entry.id for entry in doomed})

    with purge.named_as_purged("a memory purged on the server"):
        return context.store.write(work)


_ASKED_AT_ONCE = 5_000


def settle(context: "Context", copy: "Copy", server: "Server") -> str:
    """Complete the notes before the exchange; return a message about it, empty if they were complete.

    If they are lost, every local line is recorded as a member's: the server names its author, and a line that it does
    not have may be one that it hides. If there never were any, lines of others came here by another way. Raises
    OSError, StoreError, Refused.
    """
    where = context.layout
    if member_notes.is_settled(where):
        return ""
    told = member_notes.read(where)
    records: list[dict[str, str]] = []
    if told is None or not told.is_whole:
        copy.look()
        records = list(_records(copy, server, is_lost=told is not None))
    context.store.write(lambda writer: member_notes.repair(writer.layout, records))
    if records:
        build.remove_caches(where)
        refresh(context)
    if told is None or told.is_whole:
        return ""
    lines = plural(len(records), "line was", "lines were")
    return f"{member_notes.LOST}; {lines} attributed by the server's records: {_WAYS}"


_WAYS = "to make memories yours, in a terminal, usage: promptx-mem sync --trust <role>, or promptx-mem review <id> keep"


def _records(copy: "Copy", server: "Server", *, is_lost: bool) -> "Iterator[dict[str, str]]":
    lines = [taken for taken in copy.records.values() if taken.entry is not None]
    for part in batched(lines, _ASKED_AT_ONCE):
        hashes = [taken.record.hash for taken in part]
        rows = [row for page in server.since(None, hashes=hashes) for row in page.rows]
        roles = {row.record.hash: row.role for row in rows}
        for taken in part:
            role = roles.get(taken.record.hash, "")
            if taken.entry is not None and (is_lost or role not in ("", server.role)):
                yield members.of_line(taken.entry, role or members.UNKNOWN)
