"""The search table of a space on the server."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from struct import Struct

from promptx_mem.record import TYPE_CHECKING, Any, NamedTuple
from promptx_mem.team.port import Bounds, Candidate, Statistics

if TYPE_CHECKING:
    from psycopg import Connection

_SIGNED = Struct(">q")


class Terms:
    """The term numbers of one space: a word has different numbers in different spaces, so that one index serves all."""

    def __init__(self, space: str) -> None:
        self._begin = blake2b(space.encode() + b"\0", digest_size=8)
        self._numbers: dict[str, int] = {}

    def number(self, term: str) -> int:
        """Return 64 bits of a hash of the space and a term, as PostgreSQL stores them."""
        number = self._numbers.get(term)
        if number is None:
            hashed = self._begin.copy()
            hashed.update(term.encode("utf-8", "surrogatepass"))
            number = self._numbers[term] = _SIGNED.unpack(hashed.digest())[0]
        return number


_INSERT = """
INSERT INTO promptx_mem.derived (space, id, noted, k, context, ends_at, length, terms)
SELECT %s, id, noted, k, context, ends_at, length, terms::bigint[]
FROM unnest(%s::text[], %s::float8[], %s::bigint[], %s::bigint[], %s::float8[], %s::integer[], %s::text[])
AS row (id, noted, k, context, ends_at, length, terms)
"""
"""Most rows per statement; the statistics are updated after each."""


class Row(NamedTuple):
    """A memory in the derived table."""

    id: str
    noted: float
    k: int
    context: int
    ends_at: float
    length: int
    terms: list[int]

    def place(self) -> tuple[float, int, float]:
        """Return the values that may change without a change of the terms."""
        return self.noted, self.k, self.ends_at


class Derived:
    """The derived table of one space."""

    def __init__(self, connection: "Connection[Any]", space: str) -> None:
        self.connection = connection
        self._space = space

    def statistics(self, terms: Sequence[int]) -> Statistics | None:
        """Return the statistics of the space; None if nothing was derived."""
        query = "SELECT * FROM promptx_mem.statistics(%s, %s::bigint[])"
        row = self.connection.execute(query, (self._space, list(terms))).fetchone()
        return None if row is None else Statistics(*row)

    def candidates(self, weights: Mapping[int, float], living_at: float, bounds: Bounds) -> list[Candidate]:
        """Return candidate memories."""
        query = "SELECT * FROM promptx_mem.candidates(%s, %s::bigint[], %s::float8[], %s, %s, %s, %s, %s)"
        values = (self._space, list(weights), list(weights.values()), living_at, *bounds)
        answer = self.connection.execute(query, values)
        return [Candidate(*row) for row in answer]

    @contextmanager
    def writing(self, version: int) -> Iterator[str | None]:
        """Run one step of deriving, whole or not at all, and one at a time; yield the mark of the last one.

        None if nothing was derived yet by this version of the tokenizer.
        """
        with self.connection.transaction():
            add = "INSERT INTO promptx_mem.derived_spaces (space, version) VALUES (%s, %s) ON CONFLICT DO NOTHING"
            self.connection.execute(add, (self._space, version))
            look = "SELECT version, mark FROM promptx_mem.derived_spaces WHERE space = %s FOR UPDATE"
            row = self.connection.execute(look, (self._space,)).fetchone()
            assert row is not None
            if row[0] != version:
                self.clear(version)
            yield str(row[1]) if row[0] == version and row[1] else None

    def clear(self, version: int) -> None:
        """Delete all derived rows."""
        for table in ("derived", "derived_terms", "derived_due"):
            clear = f"DELETE FROM promptx_mem.{table} WHERE space = %s"  # noqa: S608 - names of ours
            self.connection.execute(clear.encode(), (self._space,))
        change = "UPDATE promptx_mem.derived_spaces SET version = %s, mark = '' WHERE space = %s"
        self.connection.execute(change, (version, self._space))

    def due(self, most: int) -> list[str]:
        """Return the ids of memories whose bytes were overwritten since they were derived."""
        query = "SELECT id FROM promptx_mem.derived_due WHERE space = %s ORDER BY id LIMIT %s"
        return [str(row[0]) for row in self.connection.execute(query, (self._space, most))]

    def done(self, ids: Collection[str]) -> None:
        """Record that these are derived again."""
        query = "DELETE FROM promptx_mem.derived_due WHERE space = %s AND id = ANY (%s)"
        self.connection.execute(query, (self._space, list(ids)))

    def put(self, ids: Collection[str], rows: Sequence[Row]) -> None:
        """Replace all rows of `ids` by `rows`; a row with the same terms is moved, not written again."""
        new = {row.id: row for row in rows}
        query = (
            "SELECT id, noted, k, context, ends_at, length, terms FROM promptx_mem.derived "
            "WHERE space = %s AND id = ANY (%s)"
        )
        stored = {row.id: row for row in (Row(*r) for r in self.connection.execute(query, (self._space, list(ids))))}
        same = {ident for ident, row in new.items() if ident in stored and _words(stored[ident]) == _words(row)}
        if gone := stored.keys() - same:
            query = "DELETE FROM promptx_mem.derived WHERE space = %s AND id = ANY (%s)"
            self.connection.execute(query, (self._space, list(gone)))
        if moved := [new[ident] for ident in same if new[ident].place() != stored[ident].place()]:
            query = "UPDATE promptx_mem.derived SET noted = %s, k = %s, ends_at = %s WHERE space = %s AND id = %s"
            with self.connection.cursor() as cursor:
                cursor.executemany(query, [(*row.place(), self._space, row.id) for row in moved])
        if added := [row for row in rows if row.id not in same]:
            *columns, words = map(list, zip(*added, strict=True))
            arrays = ["{" + ",".join(map(str, terms)) + "}" for terms in words]
            self.connection.execute(_INSERT, (self._space, *columns, arrays))

    def note(self, mark: str) -> None:
        """Record how far the space is derived."""
        query = "UPDATE promptx_mem.derived_spaces SET mark = %s, at = now() WHERE space = %s"
        self.connection.execute(query, (mark, self._space))


def _words(row: Row) -> tuple[int, int, list[int]]:
    return row.context, row.length, row.terms
