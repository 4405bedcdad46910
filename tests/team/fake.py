"""A server in memory, with transactions that commit in another order than their numbers."""

import contextlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from promptx_mem.errors import StoreError
from promptx_mem.team.port import PURGE, Mark, Page, Record, Size, Statistics
from promptx_mem.team.postgres import Postgres
from promptx_mem.team.sync import Connect

PAGE = 7
"""Rows of a page: few, so that every history has several pages."""


@dataclass
class Stored:
    """A record as the server stores it."""

    row: Record
    xid: int
    seq: int


@dataclass
class Space:
    """The content of one space of a server; `open_xids` are open transactions."""

    life: str = "one"
    rows: dict[bytes, Stored] = field(default_factory=dict)
    xid: int = 100
    seq: int = 0
    open_xids: set[int] = field(default_factory=set)
    keepers: set[str] = field(default_factory=set)
    fail_after: int | None = None
    """The connection is lost after so many calls, once."""

    def insert(self, role: str, record: Record, xid: int | None = None) -> bool:
        if record.hash in self.rows:
            return False
        self.seq += 1
        self.rows[record.hash] = Stored(record._replace(role=role), self.xid if xid is None else xid, self.seq)
        return True

    def texts(self) -> bytes:
        return b"\n".join(held.row.data for held in self.rows.values())


class Fake(Postgres):
    """One role's connection to a space."""

    def __init__(self, space: Space, role: str) -> None:
        super().__init__(cast("Any", None), "")
        self.fake, self.role, self.life = space, role, space.life

    def _call(self) -> None:
        if self.fake.fail_after is not None:
            self.fake.fail_after -= 1
            if self.fake.fail_after < 0:
                self.fake.fail_after = None
                raise StoreError("the line is lost", code="server")

    def have(self, hashes: Collection[bytes]) -> set[bytes]:
        self._call()
        return set(hashes) & self.fake.rows.keys()

    def put(self, records: Sequence[Record]) -> int:
        self._call()
        self.fake.xid += 1
        count = sum(self.fake.insert(self.role, record) for record in records)
        self._call()  # a loss here comes after the commit
        return count

    def find(self, *, hashes: Collection[bytes] = (), ids: Collection[str] = ()) -> Sequence[Record]:
        self._call()
        rows = [held.row for held in self._visible()]
        return [row for row in rows if row.hash in hashes or set(row.ids) & set(ids)]

    def newest(self) -> Iterator[Page]:
        xmin = min([self.fake.xid + 1, *self.fake.open_xids])
        self._call()
        chosen = sorted((held for held in self._visible() if held.xid < xmin), key=lambda held: -held.row.k)
        yield Page([held.row for held in chosen], Mark(self.life, xmin - 1, 1 << 62))

    def since(self, mark: Mark | None, *, purges: bool = False) -> Iterator[Page]:
        xmin = min([self.fake.xid + 1, *self.fake.open_xids])
        visible = self._visible()
        place = mark or Mark(self.life, 0, 0)
        chosen = self._after(visible, place, xmin, purges=purges)
        for start in range(0, len(chosen) + 1, PAGE):
            self._call()
            part = chosen[start : start + PAGE]
            if part:
                place = Mark(self.life, part[-1].xid, part[-1].seq)
            yield Page([held.row for held in part], place)

    def _visible(self) -> list[Stored]:
        return [held for held in self.fake.rows.values() if held.xid not in self.fake.open_xids]

    def _after(self, visible: list[Stored], place: Mark, xmin: int, *, purges: bool) -> list[Stored]:
        kinds = [held for held in visible if not purges or held.row.kind == PURGE]
        behind = (held for held in kinds if (held.xid, held.seq) > (place.xid, place.seq) and held.xid < xmin)
        return sorted(behind, key=lambda held: (held.xid, held.seq))

    def overwrite(self, hashes: Collection[bytes]) -> int:
        self._call()
        if self.role not in self.fake.keepers:
            return 0
        for key in hashes:
            held = self.fake.rows[key]
            held.row = held.row._replace(data=b"")
        return len(hashes)

    def size(self) -> Size:
        data = [held.row for held in self.fake.rows.values()]
        return Size(len(data), sum(one.kind == "line" for one in data), sum(len(one.data) for one in data))

    def statistics(self, terms: Sequence[int]) -> Statistics | None:  # noqa: ARG002 - nothing is derived here
        return None


def connecting(space: Space, role: str) -> Connect:
    """Return a function that connects to the space as a role, for any server and name."""

    @contextlib.contextmanager
    def connect(server: str, name: str) -> Iterator[Postgres]:
        yield Fake(space, role)

    return connect
