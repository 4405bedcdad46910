"""Lookups in the cache for commands that write, and new events on the memories that were found."""

from collections.abc import Callable, Iterable

from promptx_mem.core.entry import MAX_K, Entry
from promptx_mem.core.ids import is_prefix, make_id
from promptx_mem.core.journal import Event
from promptx_mem.core.line import line_key
from promptx_mem.core.state import State, is_unscored, lives
from promptx_mem.core.text import shorten
from promptx_mem.core.times import iso
from promptx_mem.errors import Refused
from promptx_mem.record import TYPE_CHECKING, Any
from promptx_mem.search import memories
from promptx_mem.search.cache import Cache
from promptx_mem.usecases.context import Context

if TYPE_CHECKING:
    from promptx_mem.store.writer import Writer

_MOST_IDS = 1_000
"""Maximum number of ids that an error about an ambiguous prefix counts."""

ADOPTED_AT_ONCE = 256
"""Maximum number of ids in an `adopted` event. The event has a time of hand-written lines, and is read as a whole."""


class Lookup:
    """The memories of a store for a command that writes, and new events on them."""

    def __init__(self, context: Context, cache: Cache) -> None:
        self.context = context
        self.cache = cache

    def by_text(self, text: str) -> State | None:
        """Return the memory whose current text is `text`, preferably a scored and active one, or None."""
        now, found = self.context.moment, memories.with_hash(self.cache, make_id(text))
        return min(found, key=lambda one: (is_unscored(one, now), not lives(one, now), one.entry.id), default=None)

    def by_id(self, prefix: str) -> State:
        """Return the memory with this id or unique prefix. Raises NotFoundError, UsageError, StoreError."""
        from promptx_mem.search import pairs

        prefix = prefix.strip().lower()
        ids = pairs.matching(self.cache, prefix, _MOST_IDS) if is_prefix(prefix) else []
        if len(ids) > 1 or not is_prefix(prefix):
            from promptx_mem.usecases import advice

            raise advice.ambiguous(prefix, ids) if ids else advice.not_an_id(prefix)
        if ids and (state := self.cache.state(ids[0])) is not None:
            return state
        from promptx_mem.usecases import lost

        raise lost.unknown_id(self.cache, prefix)

    def is_newer(self) -> bool:
        """Return whether a newer version of promptx-mem is known to have written to the store."""
        return int(self.cache.meta("newer") or 0) > 0

    def refuse_superseded(self, state: State, way: Callable[[str], str]) -> None:
        """Raise Refused if an active memory supersedes this one. `way(id)` returns the hint for that active memory."""
        if lives(state, self.context.moment):
            return
        from promptx_mem.search import pairs

        if heir := pairs.heir(self.cache, state, self.context.moment):
            message = f"{state.entry.id} has been superseded by {heir.id} ({shorten(heir.text, 40)})"
            raise Refused(message, code="superseded", hint=way(heir.id))

    def entries(self, *idents: str | None) -> list[Entry]:
        """Return the parsed lines of some ids. The order key of a new event or line must be above their keys."""
        return [state.entry for ident in idents if ident and (state := self.cache.state(ident)) is not None]

    def next_k(self, touched: Iterable[Entry] = ()) -> int:
        """Return an order key for a new event. It is above the keys of all known events and of the `touched` lines."""
        last = int(self.cache.meta("k") or 0)
        # Stay below the maximum even if a file exceeds it, because an event above it could not be read.
        now = int(self.context.moment * 1e6)
        return max(now, min(last + 1, MAX_K - 1), *(line_key(entry) + 1 for entry in touched))

    def event(self, kind: str, *idents: str, after: int = 0, **fields: Any) -> Event:
        """Return a new event on memories, not yet written. Its order key is above `after` and the memories' keys."""
        k = max(self.next_k(self.entries(*idents, *fields.get("supersedes", ()))), after + 1)
        common = {"k": k, "host": self.context.host(), "at": self.context.at, "kind": kind, "ids": idents}
        return Event(**{**common, **fields})

    def events(self, kind: str, rows: Iterable[tuple[Iterable[str], dict[str, Any]]], after: int = 0) -> list[Event]:
        """Return a new event for each row of ids and fields. The order keys are above `after`, in the rows' order."""
        events: list[Event] = []
        for ids, fields in rows:
            events.append(self.event(kind, *ids, after=events[-1].k if events else after, **fields))
        return events

    def adoptions(self) -> list[Event]:
        """Return events that record the times of hand-written lines, because these lines contain no time."""
        by_time: dict[float, list[str]] = {}
        for at, ident in memories.unseen(self.cache):
            by_time.setdefault(at, []).append(ident)
        parts = [
            (iso(at), tuple(ids[start : start + ADOPTED_AT_ONCE]))
            for at, ids in sorted(by_time.items())
            for start in range(0, len(ids), ADOPTED_AT_ONCE)
        ]
        k, host = (self.next_k(), self.context.host()) if parts else (0, "")
        return [Event(k + number, host, at, "adopted", ids) for number, (at, ids) in enumerate(parts)]

    def adopt(self, writer: "Writer") -> bool:
        """Append the events of `adoptions`. Return whether there were any."""
        if events := self.adoptions():
            writer.add_events(events)
        return bool(events)
