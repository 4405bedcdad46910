"""A copy that cannot hold a whole space: the newest of it, each memory with all that belongs to it."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from promptx_mem.core.journal import REPLACED
from promptx_mem.team import records
from promptx_mem.team.apply import batched
from promptx_mem.team.copy import Copy
from promptx_mem.team.port import Mark, Row, Server
from promptx_mem.team.records import Taken
from promptx_mem.usecases import limits

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context

FILLED = 0.8
"""Of the store's limit: so much a pull fills at most, so that there is room to remember."""

_LOOKED_FROM = 0.6
_WORTH_LOOKING = 0.1
_AT_ONCE = 200
_ROUNDS = 100
"""Steps from a memory to what it supersedes or is superseded by, and on from there."""


class Choice(NamedTuple):
    """What there is room for, and the mark of a copy that has looked so far."""

    rows: list[Row]
    mark: Mark | None


class Room:
    """How much a copy may take, and what it takes where that is not all."""

    def __init__(self, context: "Context", copy: Copy, server: Server) -> None:
        self.context, self.copy, self.server = context, copy, server
        self.most = int(limits.sizes().most * FILLED)
        self.budget = self.most - context.store.size()

    def is_short(self, mark: Mark | None, left: int) -> bool:
        """Whether the space is larger than what this copy may hold."""
        if mark is not None and not left and self.context.store.size() < self.most * _LOOKED_FROM:
            return False
        if left:
            return True
        return self.server.size().bytes - self.copy.bytes() > self.budget

    def choose(self, mark: Mark | None) -> Choice:
        """The newest memories behind a mark, or of the whole space, until the room is taken up.

        Where room has come since, the whole space is looked at again.
        """
        if self.budget > self.most * _WORTH_LOOKING:
            mark = None
        chosen: dict[bytes, Row] = {}
        last = mark
        pages = self.server.since(mark, newest=mark is None)
        rows: list[Row] = []
        for page in pages:
            last = page.mark
            rows += page.rows if mark is not None else ()
            if mark is None and not self._fill(chosen, page.rows):
                break
        for part in batched(sorted(rows, key=lambda row: -row.record.k), _AT_ONCE):
            if not self._fill(chosen, part):
                break
        return Choice(list(chosen.values()), last)

    def _fill(self, chosen: dict[bytes, Row], rows: Iterable[Row]) -> bool:
        """Choose what belongs to some rows, in their order; False once something does not fit."""
        wanted = list(dict.fromkeys(row.record.id for row in rows if row.record.hash not in chosen))
        for part in batched(wanted, _AT_ONCE):
            nearby = self._around(part)
            for group in _groups(part, nearby):
                fresh = [
                    row
                    for row in group
                    if row.record.hash not in chosen and row.record.hash not in self.copy.records and row.record.data
                ]
                size = sum(len(row.record.data) + 1 for row in fresh)
                if size > self.budget:
                    return False
                self.budget -= size
                chosen.update((row.record.hash, row) for row in fresh)
        return True

    def _around(self, idents: Iterable[str]) -> dict[bytes, Row]:
        """All rows of some memories, and of those that they supersede or are superseded by."""
        rows: dict[bytes, Row] = {}
        waiting, asked = set(idents), set[str]()
        for _ in range(_ROUNDS):
            if not (waiting := waiting - asked):
                break
            asked |= waiting
            for page in self.server.since(None, ids=waiting):
                rows.update((row.record.hash, row) for row in page.rows)
            waiting = {ident for row in rows.values() for ident in partners(row)}
        return rows


def partners(row: Row) -> tuple[str, ...]:
    """The ids of memories that a row ties to each other; none where it ties nothing."""
    taken = records.read(row)
    if not isinstance(taken, Taken):
        return ()
    if taken.entry is not None:
        return (taken.entry.id, taken.entry.supersedes) if taken.entry.supersedes else ()
    event = taken.event
    is_tie = event is not None and (event.supersedes or event.kind == REPLACED)
    return (*event.ids, *event.supersedes) if event is not None and is_tie else ()


def _groups(idents: Iterable[str], rows: dict[bytes, Row]) -> Iterator[list[Row]]:
    """The rows that belong together, in the order of the ids that ask for them."""
    root: dict[str, str] = {}

    def find(ident: str) -> str:
        while root.get(ident, ident) != ident:
            ident = root[ident]
        return ident

    for row in rows.values():
        first, *rest = partners(row) or (row.record.id,)
        for other in rest:
            root[find(other)] = find(first)
    members: dict[str, dict[bytes, Row]] = {}
    for row in rows.values():
        for ident in row.record.ids:
            members.setdefault(find(ident), {})[row.record.hash] = row
    for name in dict.fromkeys(map(find, idents)):
        yield list(members.get(name, {}).values())
