"""The port: what the rest of this room knows of a server. `postgres` implements it; tests have one in memory."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

LINE, EVENT, PURGE = "line", "event", "purge"

MAX_BYTES = 65_536
"""Of one record. A memory has at most 10,000 characters; an event names at most a few hundred ids."""


class Record(NamedTuple):
    """A line or an event as it is sent: its exact bytes without the newline, and what is said of them.

    `hash` is the SHA-256 of the bytes. `ids`: every id under which it is looked for, `id` first among them.
    """

    kind: str
    hash: bytes
    id: str
    ids: tuple[str, ...]
    k: int
    data: bytes


class Row(NamedTuple):
    """A record as the server gives it, with who put it there. No bytes: they were overwritten after a purge.

    Whatever it says is a claim: `team.records.check` holds it against the bytes.
    """

    record: Record
    role: str


class Mark(NamedTuple):
    """How far a copy has read: all rows of a server up to a transaction and a place in it.

    `server` names this life of the server: after a restore from a dump or a backup it is another one, and a mark of an
    earlier life means nothing.
    """

    server: str
    xid: int
    seq: int


class Page(NamedTuple):
    """Some rows in their order, and the mark of a copy that has taken them and all before them."""

    rows: Sequence[Row]
    mark: Mark


class Size(NamedTuple):
    """What a space holds: how many records and bytes, and how many of the records are `lines`."""

    records: int
    lines: int
    bytes: int


class Statistics(NamedTuple):
    """What the words of a question are weighed by; `docs` in the order in which the terms were asked."""

    version: int
    memories: int
    length: int
    docs: list[int]


class Candidate(NamedTuple):
    """A memory with those noted before and after it, nearest first; `""` stands for one of another session or day.

    `~` before an id says that it has none of the terms: it lends none to those beside it.
    """

    id: str
    before: list[str]
    after: list[str]


class Bounds(NamedTuple):
    """How much one question draws from: terms that stand in `budget` memories together, the rarest at least.

    Of the memories with these the `drawn` with the greatest sums of weights, and the `kept` of those that live; where
    fewer than `enough` live, commoner terms count as well.
    """

    budget: int
    drawn: int
    enough: int
    kept: int


EVER = float("-inf")
"""A moment at which everything lives."""


class Server(Protocol):
    """One space of a server, as one role sees it. Every call raises StoreError, Refused (no right) and nothing else.

    Sets and retries: to put a record again changes nothing, and so does to read it again.
    """

    @property
    def role(self) -> str:
        """Who this is there."""

    @property
    def life(self) -> str:
        """Names this life of the server, as a mark does."""

    def have(self, hashes: Collection[bytes]) -> set[bytes]:
        """Which of these records the server holds, overwritten ones too."""

    def put(self, records: Sequence[Record]) -> int:
        """Add records, all or none; durable when it returns. How many of them were new."""

    def since(
        self,
        mark: Mark | None,
        *,
        hashes: Collection[bytes] | None = None,
        ids: Collection[str] | None = None,
        newest: bool = False,
        purges: bool = False,
    ) -> Iterator[Page]:
        """The rows behind a mark, from the beginning without one, in the order of (transaction, sequence).

        A row is given once no transaction older than its own is under way: later none can come before it. With
        `hashes` or `ids` only rows of these, with `purges` only those, and with `newest` all rows by falling `k`: the
        marks of such pages are that of the end of the tail at the moment of the first page.
        """

    def overwrite(self, hashes: Collection[bytes]) -> int:
        """Empty the bytes of records; of how many. 0, and nothing done, where the role may not."""

    def size(self) -> Size:
        """How much the space holds."""

    def statistics(self, terms: Sequence[int]) -> Statistics | None:
        """What words are weighed by (`terms.Terms`); None where nothing of the space was derived."""

    def search(self, weights: Mapping[int, float], living_at: float, bounds: Bounds) -> Sequence[Candidate]:
        """The memories that may answer, by the `weights` of terms, the rarest first."""
