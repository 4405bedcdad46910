"""Whose the lines of a copy are: noted anew where that was lost, by what the server says of each."""

from typing import TYPE_CHECKING

from promptx_mem.core.text import plural
from promptx_mem.search import build
from promptx_mem.store import member_notes, members
from promptx_mem.team.apply import batched, refresh

if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptx_mem.team.copy import Copy
    from promptx_mem.team.port import Server
    from promptx_mem.usecases.context import Context

_ASKED_AT_ONCE = 5_000


def settle(context: "Context", copy: "Copy", server: "Server") -> str:
    """Make the notes whole before anything is taken; what is to be said of it, empty where they were.

    Where they are lost, every line that is here is noted as a member's: the server says whose, and what it does not
    have may be a line that it hides. Where there never were any, lines that others have sent came here by another way.
    Raises OSError, StoreError, Refused.
    """
    where = context.layout
    if member_notes.is_settled(where):
        return ""
    told = member_notes.read(where)
    records: list[dict[str, str]] = []
    if told is None or not told.is_whole:
        copy.look()
        records = list(_records(copy, server, is_lost=told is not None))
    context.store.write(lambda writer: member_notes.mend(writer.layout, records))
    if records:
        build.remove_caches(where)
        refresh(context)
    if told is None or told.is_whole:
        return ""
    lines = plural(len(records), "line was", "lines were")
    return f"{member_notes.LOST}; {lines} noted as the server says: {_WAYS}"


_WAYS = "to make yours what is, in a terminal, usage: promptx-mem sync --trust <role>, or promptx-mem review <id> keep"


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
