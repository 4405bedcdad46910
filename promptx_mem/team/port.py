"""The records that copies exchange through a server, and the other values that a server returns."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import islice

from promptx_mem.core.entry import NEWER, Entry
from promptx_mem.core.ids import is_id, make_id
from promptx_mem.core.journal import KINDS, Event, format_event, parse_event
from promptx_mem.core.line import format_line, line_key, micros, parse_line, with_offset
from promptx_mem.core.text import shorten
from promptx_mem.record import NamedTuple, TypeVar
from promptx_mem.store.sources import version_trouble

LINE, EVENT, PURGE = "line", "event", "purge"
JOIN = "usage: promptx-mem sync --join 'host=<server> dbname=<database> user=<role>' --space <name>"

DAY_AHEAD = 86_400_000_000
"""Maximum time, in microseconds, by which a record can be ahead of the clock."""

MAX_BYTES = 65_536
"""Maximum size of a record in bytes. A memory has at most 10,000 characters, and an event at most MAX_IDS ids."""


class Record(NamedTuple):
    """A line or an event to exchange: the exact bytes without the line end, and values by which the record is found.

    `hash` is the SHA-256 of the bytes. `ids` are all ids by which the record can be found; `id` is the first of them.
    A record from the server has the role that sent it. Its bytes are empty if they were overwritten after a purge. Its
    other values can be wrong, so `read` compares them with the bytes.
    """

    kind: str
    hash: bytes
    id: str
    ids: tuple[str, ...]
    k: int
    data: bytes
    role: str = ""


class Mark(NamedTuple):
    """The position up to which a copy has read the rows of a server: a transaction id and a sequence number.

    `server` identifies the server's database. A restore from a dump or backup changes it, and makes earlier marks
    invalid.
    """

    server: str
    xid: int
    seq: int


class Page(NamedTuple):
    """Records in order, and the mark to record when they are in the copy. None: everything is read again."""

    rows: Sequence[Record]
    mark: Mark | None


class Size(NamedTuple):
    """The size of a space: the number of records and of lines among them, and the bytes of all records."""

    records: int
    lines: int
    bytes: int


class Statistics(NamedTuple):
    """Statistics from which the weights of a question's terms are computed.

    `docs` has the number of memories with each term, in the order of the terms.
    """

    version: int
    memories: int
    docs: list[int]


class Candidate(NamedTuple):
    """A memory that could match, and the memories recorded `before` and `after` it, the nearest first.

    A neighbour of another session or day is `""`. For a neighbour without a term of the query, `~` precedes the id.
    """

    id: str
    before: list[str]
    after: list[str]


class Bounds(NamedTuple):
    """The limits of a query. The query uses the rarest terms first.

    `budget`: maximum sum, over the used terms, of the number of memories with the term; one term is always used.
    `drawn`: number of memories to return, with the greatest sums of their terms' weights. `kept`: number of active
    memories to return in addition. If fewer than `enough` active memories are found, more common terms are used too.
    """

    budget: int
    drawn: int
    enough: int
    kept: int


_T = TypeVar("_T")
ASKED_AT_ONCE = 500
"""Maximum number of records or ids in a call of the server, so that a call has at most 32 MB."""


def batched(items: Iterable[_T], size: int) -> Iterator[list[_T]]:
    """Yield the items in lists of at most `size`."""
    iterator = iter(items)
    while part := list(islice(iterator, size)):
        yield part


MAX_IDS = 1_000
PURGED = "purged"
_CONTROLS = re.compile(rb"[\x00-\x1f\x7f]")


class Taken(NamedTuple):
    """A parsed record, with the entry or the event that it contains."""

    record: Record
    entry: Entry | None = None
    event: Event | None = None


def of_entry(entry: Entry, raw: bytes | None = None) -> Taken | None:
    """Return the record of a line, or None if it is too large or has an invalid id.

    `raw` is the line's bytes if promptx-mem wrote it.
    """
    data = format_line(with_offset(entry)).encode("utf-8", "replace") if raw is None else raw
    own = make_id(entry.text)
    ids = dict.fromkeys(ident for ident in (entry.id, own, entry.supersedes) if ident)
    return _made(Record(LINE, sha256(data).digest(), entry.id, tuple(ids), line_key(entry), data), entry=entry)


def of_event(event: Event, raw: bytes | None = None) -> Taken | None:
    """Return the record of an event, or None if it is too large or has an invalid id."""
    data = format_event(event).encode("utf-8", "replace") if raw is None else raw
    kind = PURGE if event.kind == PURGED else EVENT
    ids = tuple(dict.fromkeys((*event.ids, *event.supersedes)))
    return _made(Record(kind, sha256(data).digest(), event.ids[0], ids, event.k, data), event=event)


def _made(record: Record, entry: Entry | None = None, event: Event | None = None) -> Taken | None:
    fits = 0 < len(record.data) <= MAX_BYTES and len(record.ids) <= MAX_IDS
    return Taken(record, entry, event) if fits and all(map(is_id, record.ids)) else None


def read(record: Record) -> Taken | str:
    """Parse a record from the server, or return the reason to refuse it. Every value of the record is checked."""
    if len(record.data) > MAX_BYTES:
        return "it is too large for a record"
    if sha256(record.data).digest() != record.hash:
        return "its content does not match its hash"
    if _CONTROLS.search(record.data):
        return "it has a line break or a control character"
    try:
        text = record.data.decode("utf-8")
    except UnicodeDecodeError:
        return "it is not UTF-8"
    taken = (_line if record.kind == LINE else _event)(text, record.data)
    if taken is None:
        return _trouble(record.kind, text) or "it is neither a valid line nor a valid event"
    is_same = taken.record == record._replace(role="")
    return taken._replace(record=record) if is_same else "its content does not match its id, kind or order key"


def _line(text: str, raw: bytes) -> Taken | None:
    line = parse_line(text)
    if line is None or line.problems or line.entry.at is None or line.entry.category == "episode":
        return None
    return of_entry(line.entry, raw)


def _event(text: str, raw: bytes) -> Taken | None:
    event = parse_event(text)
    return of_event(event, raw) if event is not None and event.kind in KINDS and '"v"' not in text else None


def _trouble(kind: str, text: str) -> str:
    """Return the reason if only a later version of promptx-mem can read this record; otherwise an empty text."""
    if kind == LINE:
        line = parse_line(text)
        return next((problem for problem in line.problems if problem.startswith(NEWER)), "") if line else ""
    return version_trouble(text) if kind in (EVENT, PURGE) else f"{NEWER} (a record {shorten(kind, 40)!r})"


def is_ahead(taken: Taken, now: float) -> bool:
    """Return whether the order key or the time of a record is more than a day after `now` (in epoch seconds)."""
    dated = taken.entry or taken.event
    return max(taken.record.k, micros((dated and dated.at) or "")) > now * 1e6 + DAY_AHEAD


def is_doomed(taken: Taken, purged: Mapping[str, int]) -> bool:
    """Return whether a purge destroys a record."""
    if taken.entry is not None:
        return entry_is_doomed(taken.entry, purged)
    return taken.event is not None and event_is_doomed(taken.event, purged)


def event_is_doomed(event: Event, purged: Mapping[str, int]) -> bool:
    """Return whether all memories of an event were purged later, and its reason or aliases could quote their texts."""
    could_quote = event.kind != PURGED and bool(event.reason or event.aka)
    return could_quote and all(event.k < purged.get(ident, 0) for ident in event.ids)


def entry_is_doomed(entry: Entry, purged: Mapping[str, int]) -> bool:
    """Return whether the id in the comment of an entry's line, or the id of its text, was purged later."""
    return bool(purged) and line_key(entry) < max(purged.get(ident, 0) for ident in (entry.id, make_id(entry.text)))
