"""--without: what a role wrote is left out of this copy, and not taken again."""

from typing import TYPE_CHECKING

from promptx_mem.core.text import plural
from promptx_mem.errors import UsageError
from promptx_mem.result import Result
from promptx_mem.store import append, archive, rewrite
from promptx_mem.store.store import disk_errors
from promptx_mem.team import notes, sync
from promptx_mem.team.apply import refresh

if TYPE_CHECKING:
    from promptx_mem.store.writer import Writer
    from promptx_mem.usecases.context import Context


def without(context: "Context", connect: sync.Connect, role: str) -> Result[sync.Sync]:
    """Take out of every file what the server has from a role, and take nothing more of it."""
    bound = sync.demand(context)
    with sync.locked(context.layout), disk_errors():
        with connect(bound.server, bound.space) as server:
            if role == server.role:
                raise UsageError("that is your own role here", hint="to end a memory, usage: promptx-mem forget <id>")
            lines = {row.record.data for page in server.since(None) for row in page.rows if row.role == role}
        # First what is not taken any more: whoever is killed in between does the rest again.
        state = notes.read(context.layout)
        state = state._replace(space=state.space or bound.space, without=state.without | {role})
        notes.write(context.layout, state)
        count = context.store.write(lambda writer: _take_out(writer, lines))
        refresh(context)
    done = plural(count, "line and event", "lines and events")
    return Result("sync", {**sync.place(context, bound), "act": "without", "role": role, "done": done})


def _take_out(writer: "Writer", lines: set[bytes]) -> int:
    where = writer.layout
    rewrite.recover(where)
    count = 0
    for name in archive.names(where):
        data = archive.read_permitted(where, name)
        if ranges := _ranges(data, lines):
            archive.replace(where, name, rewrite.cut(data, ranges))
            count += len(ranges)
    for path in (where.journal, where.declarative):
        data = append.read_settled(where, path)
        if ranges := _ranges(data, lines):
            writer.take_out(path, data, ranges)
            count += len(ranges)
    return count


def _ranges(data: bytes, lines: set[bytes]) -> list[tuple[int, int]]:
    ranges = []
    start = 0
    for raw in data.splitlines(keepends=True):
        if raw.rstrip(b"\r\n") in lines:
            ranges.append((start, start + len(raw)))
        start += len(raw)
    return ranges
