"""A part of a space, read without a copy of it: all records of some memories, checked as a copy would."""

from typing import TYPE_CHECKING, NamedTuple

from promptx_mem.core.events import fold_all
from promptx_mem.core.origin import OWN
from promptx_mem.store import members
from promptx_mem.store.sources import Line, Sources
from promptx_mem.team import records

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from promptx_mem.core.entry import Entry
    from promptx_mem.core.journal import Event
    from promptx_mem.core.state import State
    from promptx_mem.team.port import Row, Server

PORTION = 500
"""Ids that are asked for at once."""


class Extract(NamedTuple):
    """Lines and events of some memories, who sent each of the lines, and how many records were refused."""

    entries: "tuple[Entry, ...]"
    events: "tuple[Event, ...]"
    roles: "tuple[str, ...]"
    refused: int

    def states(self, ids: "Collection[str]") -> "list[State]":
        """Fold; of `ids`, those that are memories and were not purged."""
        folded = fold_all(self.entries, self.events)
        return [state for ident in sorted(ids) if (state := folded.get(ident)) and state.end != records.PURGED]

    def marking(self, own: "Iterable[Entry]", trusted: frozenset[str]) -> "Marking":
        """Whose the lines are: the server's word makes nothing one's own, but what this copy holds as `own` is."""
        roles = {_timeless(entry): role for entry, role in zip(self.entries, self.roles, strict=True)}
        return Marking(roles, trusted, frozenset(map(_timeless, own)))

    def sources(self) -> Sources:
        """The same as if it had been read from the files of a store."""
        return Sources(tuple(Line(entry, 0, 0) for entry in self.entries), self.events, (), b"", b"")


class Marking(NamedTuple):
    """Roles by the lines that came from them, compared as they are: a hash of each would take as long as to read it."""

    roles: "Mapping[Entry, str]"
    trusted: frozenset[str]
    owned: "frozenset[Entry]"
    unknown: bool = False

    def mark(self, states: "Mapping[str, State]", entries: "Iterable[Entry]") -> "dict[str, State]":  # noqa: ARG002
        """Say of each state whose it is, as `members.Members` does in a copy."""
        marked = dict(states)
        for ident, state in states.items():
            line = _timeless(state.entry)
            role = self.roles.get(line, members.UNKNOWN)
            if state.origin == OWN and role not in self.trusted and line not in self.owned:
                marked[ident] = members.sent_by(role, state)
        return marked


def _timeless(entry: "Entry") -> "Entry":
    return entry._replace(at=None)


def read(server: "Server", ids: "Collection[str]", now: float) -> Extract:
    """Read all records of these memories as a copy would take them at `now` (epoch seconds)."""
    every: dict[bytes, tuple[records.Taken, str]] = {}
    refused = 0
    for row in _rows(server, sorted(ids)):
        one = records.read(row)
        if isinstance(one, str) or records.is_ahead(one, now):
            refused += bool(row.record.data)  # what was overwritten after a purge has no bytes
        else:
            every[row.record.hash] = one, row.role
    events = tuple(one.event for one, _ in every.values() if one.event is not None)
    purged = records.purges(events)
    lines = [
        (one.entry, role)
        for one, role in every.values()
        if one.entry is not None and not records.entry_is_doomed(one.entry, purged)
    ]
    return Extract(tuple(entry for entry, _ in lines), events, tuple(role for _, role in lines), refused)


def _rows(server: "Server", ids: list[str]) -> "Iterator[Row]":
    for start in range(0, len(ids), PORTION):
        for page in server.since(None, ids=ids[start : start + PORTION]):
            yield from page.rows
