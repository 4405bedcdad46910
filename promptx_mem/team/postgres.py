"""The port over PostgreSQL. Statements are in `statements`; every error of the server leaves as one of ours."""

import contextlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from promptx_mem.core.shell import quote
from promptx_mem.errors import PromptxMemError, Refused, StoreError
from promptx_mem.team import derived, dsn, statements
from promptx_mem.team.port import Bounds, Candidate, Mark, Page, Record, Row, Size, Statistics

if TYPE_CHECKING:
    import psycopg

SCHEMA = 1
"""The version of the tables that this program makes, and the newest that it knows."""

OLDEST = 1
"""The oldest version of the tables that it can work with."""

PAGE = 2_000
STATEMENT_SECONDS = 60
LOCK_SECONDS = 10

_NO_TABLES = ("3F000", "42P01")
_NO_RIGHT = "42501"
_FULL = ("53100", "53200", "53300", "53400")
_STOPPED = ("57014", "55P03", "25P03")
_GRANT = "promptx-mem sync admin grant <role> <dsn> --space <name>"
_KEEPALIVE = {"keepalives_idle": "20", "keepalives_interval": "10", "keepalives_count": "3"}


class Postgres:
    """One space, over one connection."""

    def __init__(self, connection: "psycopg.Connection[Any]", space: str) -> None:
        self.connection, self.space = connection, space
        self.role, self.life, self.version = "", "", 0

    def open(self) -> None:
        """Ask who we are and what is there. Raises StoreError for tables of another version, Refused."""
        with self._told():
            row = self._one(statements.ABOUT)
            if not all(isinstance(row[name], int) for name in ("version", "oldest")):
                raise strange()
            self.role, self.life = row["role"], f"{row['life']}/{row['born']}"
            demand_version(row["version"], row["oldest"])
            self.version = row["version"]
            granted = self._one(statements.GRANTED, space=self.space)["granted"]
            if self._one(statements.RESTORED, space=self.space)["restored"]:
                raise StoreError(
                    "the server was restored from a dump, and its transactions have other numbers now",
                    code="server_restored",
                    hint="the person who made the tables repairs it; usage: promptx-mem sync admin setup <dsn>",
                )
        if not granted:
            raise not_granted(self.role, self.space)

    def have(self, hashes: Collection[bytes]) -> set[bytes]:
        with self._told():
            return {row["hash"] for row in self._all(statements.HAVE, space=self.space, hashes=list(hashes))}

    def put(self, records: Sequence[Record]) -> int:
        if not records:
            return 0
        values = {
            "space": self.space, "kinds": [one.kind for one in records], "hashes": [one.hash for one in records],
            "names": [one.id for one in records], "ids": ["{" + ",".join(one.ids) + "}" for one in records],
            "ks": [one.k for one in records], "data": [one.data for one in records],
        }  # fmt: skip
        with self._told():
            return max(self.connection.execute(statements.PUT.encode(), values).rowcount, 0)

    def since(
        self,
        mark: Mark | None,
        *,
        hashes: Collection[bytes] | None = None,
        ids: Collection[str] | None = None,
        newest: bool = False,
        purges: bool = False,
    ) -> Iterator[Page]:
        if hashes is not None or ids is not None:
            named = {"hashes": list(hashes or ()), "ids": list(ids or ())}
            with self._told():
                found = self._all(statements.BY_HASH if ids is None else statements.BY_ID, space=self.space, **named)
            yield Page([_row(row) for row in found], mark or Mark(self.life, 0, 0))
        elif newest:
            yield from self._newest()
        else:
            yield from self._tail(mark, statements.PURGES if purges else statements.TAIL)

    def _tail(self, mark: Mark | None, statement: str) -> Iterator[Page]:
        place = mark or Mark(self.life, 0, 0)
        while True:
            with self._told():
                rows = self._all(statement, space=self.space, xid=str(place.xid), seq=place.seq, most=PAGE)
            if rows:
                place = Mark(self.life, int(rows[-1]["xid"]), rows[-1]["seq"])
            yield Page([_row(row) for row in rows], place)
            if len(rows) < PAGE:
                return

    def _newest(self) -> Iterator[Page]:
        with self._told():
            end = self._one(statements.END)
        mark = Mark(self.life, int(end["xid"]) - 1, (1 << 62))
        k, last = 1 << 62, b""
        while True:
            with self._told():
                rows = self._all(statements.NEWEST, space=self.space, xid=end["xid"], k=k, hash=last, most=PAGE)
            yield Page([_row(row) for row in rows], mark)
            if len(rows) < PAGE:
                return
            k, last = rows[-1]["k"], rows[-1]["hash"]

    def overwrite(self, hashes: Collection[bytes]) -> int:
        with self._told():
            if not self._one(statements.MAY_OVERWRITE)["may"]:
                return 0
            with self.connection.transaction(), self.connection.cursor() as cursor:
                cursor.execute(statements.OVERWRITE, {"space": self.space, "hashes": list(hashes)})
                return max(cursor.rowcount, 0)

    def size(self) -> Size:
        with self._told():
            row = self._one(statements.SIZE, space=self.space)
        return Size(row["records"], row["lines"], row["bytes"])

    def statistics(self, terms: Sequence[int]) -> Statistics | None:
        with self._told():
            return derived.Derived(self.connection, self.space).statistics(terms)

    def search(self, weights: Mapping[int, float], living_at: float, bounds: Bounds) -> Sequence[Candidate]:
        with self._told():
            return derived.Derived(self.connection, self.space).candidates(weights, living_at, bounds)

    def _one(self, statement: str, **values: Any) -> dict[str, Any]:
        rows = self._all(statement, **values)
        if not rows:
            raise strange()
        return rows[0]

    def _all(self, statement: str, **values: Any) -> list[dict[str, Any]]:
        from psycopg.rows import dict_row

        with self.connection.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(statement.encode(), values or None).fetchall()

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        with told():
            yield


@contextlib.contextmanager
def connect(where: str, space: str) -> Iterator[Postgres]:
    """Connect to a space. Raises UsageError for the DSN, StoreError, Refused."""
    with connection(where) as connected:
        server = Postgres(connected, space)
        server.open()
        yield server


@contextlib.contextmanager
def connection(where: str) -> Iterator["psycopg.Connection[Any]"]:
    """A connection whose statements and waits have an end; every fault of it is one of ours."""
    library = dsn.psycopg()
    values = _KEEPALIVE | dsn.parameters(where)
    with told(where):
        connected = library.connect("", autocommit=True, **values)
    try:
        with told(where):
            connected.execute(statements.BOUNDS.format(STATEMENT_SECONDS, LOCK_SECONDS).encode())
        yield connected
    finally:
        with contextlib.suppress(library.Error):
            connected.close()


@contextlib.contextmanager
def told(where: str = "") -> Iterator[None]:
    """Turn what the server or the line raises into what happened and the way out. No password stands in it."""
    library = dsn.psycopg()
    try:
        yield
    except library.Error as error:
        raise _ours(error, where) from None
    except UnicodeError:  # of a database without an encoding
        raise strange() from None


def _ours(error: "psycopg.Error", where: str) -> PromptxMemError:
    state, text = error.sqlstate or "", _first_line(error)
    if state == _NO_RIGHT:
        return Refused(
            f"the server refuses it to this role: {text}",
            code="server_right",
            hint=f"who made the tables grants it: {_GRANT}",
        )
    if state in _NO_TABLES:
        return StoreError(
            "there are no tables of promptx-mem in this database, or this role may not see them",
            code="server_tables",
            hint=f"once for a team; usage: promptx-mem sync admin setup <dsn>\nfor each role; usage: {_GRANT}",
        )
    if state in _FULL:
        return StoreError(f"the server has no room left: {text}", code="server_full", hint=_AGAIN)
    if state in _STOPPED:
        return StoreError(f"the server took too long, and was stopped: {text}", code="server_slow", hint=_AGAIN)
    at = f" ({dsn.shown(where)})" if where else ""
    return StoreError(f"the server cannot be reached or does not answer{at}: {text}", code="server", hint=_AGAIN)


_AGAIN = "what was sent and taken before is safe, and the store works as ever; try again: promptx-mem sync"


def _first_line(error: "psycopg.Error") -> str:
    primary = error.diag.message_primary if error.diag is not None else None
    return (primary or str(error).strip() or "no reason was given").split("\n")[0][:300]


def demand_version(version: int, oldest: int) -> None:
    """Raise StoreError where the tables and this program do not understand each other."""
    if oldest > SCHEMA:
        raise StoreError(
            f"the tables are of version {version}, which needs a newer promptx-mem",
            code="server_version",
            hint="upgrade promptx-mem; until then the store works as ever",
        )
    if version < OLDEST:
        raise StoreError(
            f"the tables are of version {version}, which is too old for this promptx-mem",
            code="server_version",
            hint="the person who made them migrates them; usage: promptx-mem sync admin setup <dsn>",
        )


def not_granted(role: str, space: str) -> Refused:
    """What is said to a role that may not use a space."""
    command = f"usage: promptx-mem sync admin grant {quote(role)} <dsn> --space {quote(space)}"
    return Refused(
        f"the role {role} was not granted the space {space}",
        code="server_right",
        hint=f"who made the tables grants it: {command}",
    )


def strange() -> StoreError:
    """What is said where a server answers as no server of ours does."""
    return StoreError(
        "the server answers with what no table of promptx-mem holds",
        code="server_tables",
        hint="nothing of it was taken, and the store works as ever; who runs the server looks at its tables",
    )


_ROW = {"kind": str, "hash": bytes, "id": str, "ids": list, "k": int, "bytes": bytes, "role": str}


def _row(row: dict[str, Any]) -> Row:
    values: list[Any] = [row.get(name) for name in _ROW]
    if [*map(type, values)] != [*_ROW.values()] or not all(type(item) is str for item in row["ids"]):
        raise strange()
    kind, key, ident, ids, k, data, role = values
    return Row(Record(kind, key, ident, tuple(ids), k, data), role)
