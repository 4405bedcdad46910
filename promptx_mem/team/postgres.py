"""The PostgreSQL server, and the search table of a space. Errors of the server become errors of promptx-mem."""

import contextlib
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b

from promptx_mem.core.shell import no_extra, quote
from promptx_mem.errors import PromptxMemError, Refused, StoreError, UsageError
from promptx_mem.record import TYPE_CHECKING, Any
from promptx_mem.team.port import ASKED_AT_ONCE, JOIN, Bounds, Candidate, Mark, Page, Record, Size, Statistics, batched

if TYPE_CHECKING:
    from types import ModuleType

    import psycopg as driver

BOUNDS = """
SET statement_timeout = '60s'; SET lock_timeout = '{}s'; SET idle_in_transaction_session_timeout = '60s';
SET client_encoding = 'UTF8'; SET search_path = pg_catalog
"""

ABOUT = """
SELECT current_user AS role, version, oldest, born,
    (SELECT system_identifier FROM pg_control_system()) || '.' ||
    (SELECT timeline_id FROM pg_control_checkpoint()) || '.' ||
    (SELECT oid FROM pg_database WHERE datname = current_database()) || '.' ||
    pg_relation_filenode('promptx_mem.about') AS life
FROM promptx_mem.about
"""

_GRANTED = "SELECT EXISTS (SELECT FROM promptx_mem.grants WHERE space = %(space)s AND role = current_user) AS granted"

# If a dump was restored on another server, rows have transaction ids that this server has not reached yet.
_RESTORED = """
SELECT EXISTS (SELECT FROM promptx_mem.records WHERE {}xid >= pg_snapshot_xmax(pg_current_snapshot())) AS restored
"""
IS_RESTORED, RESTORED = _RESTORED.format(""), _RESTORED.format("space = %(space)s AND ")

_ROWS = "SELECT kind, hash, id, ids, k, bytes, role, xid::text, seq FROM promptx_mem.records WHERE space = %(space)s"

PUT = """
INSERT INTO promptx_mem.records (space, kind, hash, id, ids, k, bytes)
SELECT %(space)s, kind, hash, id, ids::text[], k, bytes
FROM unnest(
    %(kinds)s::text[], %(hashes)s::bytea[], %(names)s::text[], %(ids)s::text[], %(ks)s::bigint[], %(data)s::bytea[]
)
AS new (kind, hash, id, ids, k, bytes)
ON CONFLICT DO NOTHING
"""

# Sorted by `records.xid`: a bare `xid` would be the selected text, in which 1000 comes before 999.
_BEHIND = """
    AND (xid, seq) > (%(xid)s::xid8, %(seq)s) AND xid < pg_snapshot_xmin(pg_current_snapshot())
ORDER BY records.xid, records.seq LIMIT %(most)s
"""

# Do not search by `ids`: row-level security prevents the use of an index on an array. Use the table `also`.
BY_ID = f"""
{_ROWS} AND id = ANY (%(ids)s)
UNION
{_ROWS} AND hash = ANY (
    ARRAY(SELECT hash FROM promptx_mem.also WHERE space = %(space)s AND id = ANY (%(ids)s))
)
"""  # noqa: S608 - constants

NEWEST = f"""
{_ROWS} AND xid < %(xid)s::xid8 AND (k, hash) < (%(k)s, %(hash)s)
ORDER BY k DESC, hash DESC LIMIT %(most)s
"""

OVERWRITE = """
UPDATE promptx_mem.records SET bytes = ''
WHERE space = %(space)s AND hash = ANY (%(hashes)s) AND kind <> 'purge' AND octet_length(bytes) > 0
"""

SIZE = """
SELECT count(*) AS records, count(*) FILTER (WHERE kind = 'line') AS lines,
    coalesce(sum(octet_length(bytes)), 0)::bigint AS bytes
FROM promptx_mem.records WHERE space = %(space)s
"""

# After a dump was restored: new transaction ids in the order of the old ones, and a new id of the database.
RENEW = """
UPDATE promptx_mem.records SET seq = renewed.number, xid = pg_current_xact_id()
FROM (SELECT space, hash, row_number() OVER (ORDER BY xid, seq) AS number FROM promptx_mem.records) AS renewed
WHERE records.space = renewed.space AND records.hash = renewed.hash;
SELECT setval('promptx_mem.seq', (SELECT coalesce(max(seq), 1) FROM promptx_mem.records));
UPDATE promptx_mem.about SET born = gen_random_uuid()
"""

SEARCH = """
SELECT * FROM promptx_mem.candidates(
    %(space)s, %(terms)s::bigint[], %(weights)s::float8[], %(living_at)s, %(budget)s, %(drawn)s, %(enough)s, %(kept)s
)
"""

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_ROOT = os.path.join("~", ".postgresql", "root.crt")
_SHOWN = ("host", "hostaddr", "port", "dbname", "user", "service")


def psycopg() -> "ModuleType":
    """Return the module psycopg. Raises UsageError if the extra is not installed."""
    try:
        import psycopg as library
    except ImportError:
        raise no_extra("sync needs the extra `postgres`, which is not installed or lacks libpq", "postgres") from None
    return library


def parse(dsn: str) -> dict[str, str]:
    """Return a DSN's parameters. Raises UsageError if the DSN is wrong or has a password. The error omits the DSN."""
    library = psycopg()
    from psycopg.conninfo import conninfo_to_dict

    try:
        values = {name: str(value) for name, value in conninfo_to_dict(dsn).items() if value not in (None, "")}
    except library.Error:
        raise UsageError(
            "this is not a PostgreSQL DSN (connection string)",
            code="bad_dsn",
            hint=JOIN,
        ) from None
    if values.keys() & {"password", "sslpassword", "oauth_client_secret"}:
        raise UsageError(
            "a DSN with a password is refused: it appears in the process list and in files",
            code="password_in_dsn",
            hint="change the password, since others may know it; then put it into ~/.pgpass or PGPASSWORD",
        )
    return values


def parameters(dsn: str, environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the parameters of a connection. They have priority over a service file and the environment."""
    values, around = parse(dsn), os.environ if environment is None else environment
    values |= {"connect_timeout": "10", "application_name": "promptx-mem"}
    # With a GSSAPI channel, libpq would not use TLS at all.
    values |= {"gssencmode": "disable", "ssl_min_protocol_version": "TLSv1.2"}
    if not is_near(values, around):
        values["sslmode"] = "verify-full"
        if not any((values.get("sslrootcert"), around.get("PGSSLROOTCERT"), os.path.exists(os.path.expanduser(_ROOT)))):
            values["sslrootcert"] = "system"
    return values


def is_near(values: Mapping[str, str], around: Mapping[str, str]) -> bool:
    """Return whether a connection stays on this machine: it uses a Unix socket or loopback, and no service file."""
    if values.get("service") or around.get("PGSERVICE"):
        return False
    address = values.get("hostaddr") or around.get("PGHOSTADDR") or ""
    host = values.get("host") or around.get("PGHOST") or ""
    return all(not one or one.startswith(("/", "@")) or one in _LOOPBACK for one in (address or host).split(","))


def shown(dsn: str) -> str:
    """Return the parts of a DSN that can be shown: server, database and role."""
    values = parse(dsn)
    return " ".join(f"{name}={values[name]}" for name in _SHOWN if name in values) or "the default of libpq"


SCHEMA = 1
"""The version of the tables that this program creates, and the newest that it can use."""

OLDEST = 1
"""The oldest version of the tables that this program can use."""

PAGE = 2_000
LOCK_SECONDS = 10

_GRANT = "promptx-mem sync admin grant <role> <dsn> --space <name>"
_KEEPALIVE = {"keepalives_idle": "20", "keepalives_interval": "10", "keepalives_count": "3"}


class Postgres:
    """One space of a server for one role. Its methods raise only StoreError, and Refused without a right.

    Calls can be repeated: to send or read a record again changes nothing. `life` is the id of the server's database. A
    restore of the database changes the id. Marks contain the id.
    """

    def __init__(self, connection: "driver.Connection[Any]", space: str) -> None:
        self.connection, self.space = connection, space
        self.role, self.life = "", ""

    def open(self) -> None:
        """Read the role and `life`. Raises StoreError for a wrong version or restored dump, Refused without a grant."""
        row = self._one(ABOUT)
        if not isinstance(row["version"], int) or not isinstance(row["oldest"], int):
            raise strange()
        self.role, self.life = row["role"], f"{row['life']}/{row['born']}"
        demand_version(row["version"], row["oldest"])
        granted = self._one(_GRANTED)["granted"]
        if self._one(RESTORED)["restored"]:
            raise StoreError(
                "the server was restored from a dump, so its transaction numbers no longer match",
                code="server_restored",
                hint="ask the server's admin to repair it; usage: promptx-mem sync admin setup <dsn>",
            )
        if not granted:
            command = f"usage: promptx-mem sync admin grant {quote(self.role)} <dsn> --space {quote(self.space)}"
            raise Refused(
                f"the role {self.role} was not granted the space {self.space}",
                code="server_right",
                hint=f"ask the server's admin to grant it; {command}",
            )

    def have(self, hashes: Collection[bytes]) -> set[bytes]:
        """Return those `hashes` that the server has. They include hashes of overwritten records."""
        query = "SELECT hash FROM promptx_mem.records WHERE space = %(space)s AND hash = ANY (%(hashes)s)"
        return {row["hash"] for row in self._all(query, hashes=list(hashes))}

    def put(self, records: Sequence[Record]) -> int:
        """Add all records durably, or none. Return the number of new records."""
        if not records:
            return 0
        return self._changed(
            PUT, kinds=[one.kind for one in records], hashes=[one.hash for one in records],
            names=[one.id for one in records], ids=["{" + ",".join(one.ids) + "}" for one in records],
            ks=[one.k for one in records], data=[one.data for one in records],
        )  # fmt: skip

    def find(self, *, hashes: Collection[bytes] = (), ids: Collection[str] = ()) -> Iterable[Record]:
        """Yield the rows with some hashes, or the rows about some memories."""
        query = BY_ID if ids else f"{_ROWS} AND hash = ANY (%(hashes)s)"
        for part in batched(ids or hashes, ASKED_AT_ONCE):
            yield from map(_row, self._all(query, hashes=part, ids=part))

    def since(self, mark: Mark | None, *, purges: bool = False) -> Iterator[Page]:
        """Yield the rows after a mark, or all rows, in the order of (transaction, sequence).

        A row is returned only when no older transaction is running. So no row can later be inserted before it. With
        `purges`, only purges are returned.
        """
        place = mark or Mark(self.life, 0, 0)
        only = "AND kind = 'purge'" if purges else ""
        query = f"{_ROWS} {only} {_BEHIND}"
        while True:
            rows = self._all(query, xid=str(place.xid), seq=place.seq, most=PAGE)
            if rows:
                place = Mark(self.life, int(rows[-1]["xid"]), rows[-1]["seq"])
            yield Page([_row(row) for row in rows], place)
            if len(rows) < PAGE:
                return

    def newest(self) -> Iterator[Page]:
        """Yield all rows by descending `k`. Every page has the same mark: the end of all rows at the start."""
        end = self._one("SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xid")
        mark = Mark(self.life, int(end["xid"]) - 1, (1 << 62))
        k, last = 1 << 62, b""
        while True:
            rows = self._all(NEWEST, xid=end["xid"], k=k, hash=last, most=PAGE)
            yield Page([_row(row) for row in rows], mark)
            if len(rows) < PAGE:
                return
            k, last = rows[-1]["k"], rows[-1]["hash"]

    def overwrite(self, hashes: Collection[bytes]) -> int:
        """Overwrite the bytes of records. Return the number of overwritten records, 0 if the role lacks the right."""
        right = self._one("SELECT has_column_privilege('promptx_mem.records', 'bytes', 'UPDATE') AS may")
        return self._changed(OVERWRITE, hashes=list(hashes)) if right["may"] else 0

    def size(self) -> Size:
        """Return the size of the space."""
        return Size(**self._one(SIZE))

    def statistics(self, terms: Sequence[int]) -> Statistics | None:
        """Return the statistics that decide the weights of terms; None if the space has no search table."""
        query = "SELECT version, memories, docs FROM promptx_mem.statistics(%(space)s, %(terms)s::bigint[])"
        rows = self._all(query, terms=list(terms))
        return Statistics(**rows[0]) if rows else None

    def search(self, weights: Mapping[int, float], living_at: float, bounds: Bounds) -> Sequence[Candidate]:
        """Return memories that could match the terms in `weights`. The first of these terms is the rarest."""
        terms, factors = list(weights), list(weights.values())
        rows = self._all(SEARCH, terms=terms, weights=factors, living_at=living_at, **bounds._asdict())
        return [Candidate(**row) for row in rows]

    def _changed(self, statement: str, **values: Any) -> int:
        """Run a statement and return the number of rows that it added or changed."""
        with told():
            return max(self.connection.execute(statement.encode(), {"space": self.space, **values}).rowcount, 0)

    def _one(self, statement: str, **values: Any) -> dict[str, Any]:
        rows = self._all(statement, **values)
        if not rows:
            raise strange()
        return rows[0]

    def _all(self, statement: str, **values: Any) -> list[dict[str, Any]]:
        with told():
            return fetch(self.connection, statement, space=self.space, **values)


def fetch(connection: "driver.Connection[Any]", statement: str, **values: Any) -> list[dict[str, Any]]:
    """Run a statement. Return each row as a mapping from column names to values."""
    from psycopg.rows import dict_row

    with connection.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(statement.encode(), values or None).fetchall()


@contextlib.contextmanager
def connect(where: str, space: str) -> Iterator[Postgres]:
    """Connect to a space. Raises UsageError for a wrong DSN, StoreError, Refused."""
    with connection(where) as connected:
        server = Postgres(connected, space)
        server.open()
        yield server


@contextlib.contextmanager
def connection(where: str) -> Iterator["driver.Connection[Any]"]:
    """Open a connection with time limits for statements and locks. Errors become errors of promptx-mem."""
    library = psycopg()
    values = _KEEPALIVE | parameters(where)
    with told(where):
        connected = library.connect("", autocommit=True, **values)
    try:
        with told(where):
            connected.execute(BOUNDS.format(LOCK_SECONDS).encode())
        yield connected
    finally:
        with contextlib.suppress(library.Error):
            connected.close()


@contextlib.contextmanager
def told(where: str = "") -> Iterator[None]:
    """Turn errors of the server or the connection into errors of promptx-mem, with a hint and without passwords."""
    library = psycopg()
    try:
        yield
    except library.Error as error:
        raise _ours(error, where) from None
    except UnicodeError:  # the database has no encoding
        raise strange() from None


def _ours(error: "driver.Error", where: str) -> PromptxMemError:
    primary = error.diag.message_primary
    text = (primary or str(error).strip() or "no reason was given").split("\n")[0][:300]
    at = f" ({shown(where)})" if where else ""
    kind: type[PromptxMemError] = StoreError
    code, message, hint = "server", f"the connection failed, or the server reported an error{at}: {text}", _AGAIN
    match error.sqlstate:
        case "42501":
            kind, code, message = Refused, "server_right", f"the server denied permission to this role: {text}"
            hint = f"ask the server's admin to grant it; usage: {_GRANT}"
        case "3F000" | "42P01":
            code = "server_tables"
            message = "there are no tables of promptx-mem in this database, or this role has no access to them"
            hint = f"run once for a team; usage: promptx-mem sync admin setup <dsn>\nand for each role; usage: {_GRANT}"
        case "53100" | "53200" | "53300" | "53400":
            code, message = "server_full", f"the server has no free disk, memory or connection: {text}"
        case "57014" | "55P03" | "25P03":
            code, message = "server_slow", f"the server took too long, so the query was stopped: {text}"
    return kind(message, code=code, hint=hint)


_AGAIN = "the store works without the server, and records exchanged so far are safe; try again later"


def demand_version(version: int, oldest: int) -> None:
    """Raise StoreError if the tables need a newer program (`oldest` > SCHEMA) or are too old (`version` < OLDEST)."""
    if oldest <= SCHEMA and version >= OLDEST:
        return
    why, hint = "needs a newer promptx-mem", "upgrade promptx-mem; until then the store works without the server"
    if oldest <= SCHEMA:
        why = "is too old for this promptx-mem"
        hint = "ask the server's admin to migrate them; usage: promptx-mem sync admin setup <dsn>"
    raise StoreError(f"the tables are of version {version}, which {why}", code="server_version", hint=hint)


def strange() -> StoreError:
    """Return the error for an unexpected answer from a server."""
    return StoreError(
        "the server's answer is not from a table of promptx-mem",
        code="server_tables",
        hint="nothing was received, and the store works without the server; ask the server's admin to check its tables",
    )


_ROW = {"kind": str, "hash": bytes, "id": str, "ids": list, "k": int, "bytes": bytes, "role": str}


def _row(row: dict[str, Any]) -> Record:
    values: list[Any] = [row.get(name) for name in _ROW]
    if [*map(type, values)] != [*_ROW.values()] or not all(type(item) is str for item in row["ids"]):
        raise strange()
    return Record(*values)._replace(ids=tuple(row["ids"]))


def term_number(space: str, term: str) -> int:
    """Return 64 bits of a hash of the space and the term, as a `bigint` of PostgreSQL.

    A word's number differs between spaces, so that one index serves all spaces.
    """
    hashed = blake2b(f"{space}\0{term}".encode("utf-8", "surrogatepass"), digest_size=8)
    return int.from_bytes(hashed.digest(), signed=True)


_INSERT = """
INSERT INTO promptx_mem.derived (space, id, noted, k, context, ends_at, length, terms)
SELECT %(space)s, id, noted, k, context, ends_at, length, terms::bigint[]
FROM unnest(
    %(id)s::text[], %(noted)s::float8[], %(k)s::bigint[], %(context)s::bigint[], %(ends_at)s::float8[],
    %(length)s::integer[], %(terms)s::text[]
)
AS row (id, noted, k, context, ends_at, length, terms)
"""
"""SQL that adds rows to the search table, from one array per column."""


SearchRow = tuple[str, float, int, int, float, int, list[int]]
"""The row of a memory in the search table: id, noted, k, context, ends_at, length, terms."""


class Derived(Postgres):
    """The search table of one space, which is derived from the records."""

    @contextlib.contextmanager
    def writing(self, version: int) -> Iterator[str | None]:
        """Run one atomic step of an update of the search table. Other steps wait until it ends.

        Yields the previous step's mark. Yields None if this version of the tokenizer has indexed nothing yet.
        """
        add = "INSERT INTO promptx_mem.derived_spaces VALUES (%(space)s, %(version)s) ON CONFLICT DO NOTHING"
        look = "SELECT version, mark FROM promptx_mem.derived_spaces WHERE space = %(space)s FOR UPDATE"
        with self.connection.transaction():
            self._changed(add, version=version)
            row = self._one(look)
            if row["version"] != version:
                self.clear(version)
            yield row["mark"] or None if row["version"] == version else None

    def clear(self, version: int) -> None:
        """Delete all rows of the space from the search table, and record the version."""
        for table in ("derived", "derived_terms", "derived_due"):
            self._changed(f"DELETE FROM promptx_mem.{table} WHERE space = %(space)s")  # noqa: S608 - names of ours
        change = "UPDATE promptx_mem.derived_spaces SET version = %(version)s, mark = '' WHERE space = %(space)s"
        self._changed(change, version=version)

    def due(self, most: int) -> list[str]:
        """Return at most `most` ids of memories whose bytes were overwritten since they were indexed."""
        query = "SELECT id FROM promptx_mem.derived_due WHERE space = %(space)s ORDER BY id LIMIT %(most)s"
        return [row["id"] for row in self._all(query, most=most)]

    def replace(self, ids: Collection[str], rows: Sequence[SearchRow], mark: str | None) -> None:
        """Replace all rows of `ids` by `rows`, and record the mark up to which records are in the search table."""
        for table in ("derived_due", "derived"):
            query = f"DELETE FROM promptx_mem.{table} WHERE space = %(space)s AND id = ANY (%(ids)s)"  # noqa: S608 - names of ours
            self._changed(query, ids=list(ids))
        if rows:
            id_, noted, k, context, ends_at, length, words = map(list, zip(*rows, strict=True))
            terms = ["{" + ",".join(map(str, numbers)) + "}" for numbers in words]
            self._changed(
                _INSERT, id=id_, noted=noted, k=k, context=context, ends_at=ends_at, length=length, terms=terms
            )
        if mark is not None:
            change = "UPDATE promptx_mem.derived_spaces SET mark = %(mark)s, at = now() WHERE space = %(space)s"
            self._changed(change, mark=mark)
