"""Lines and events behind the memories: where they lie, what they say of other memories."""

from typing import NamedTuple

from promptx_mem.core.journal import Event, parse_event
from promptx_mem.search import history
from promptx_mem.search.cache import Cache


class Place(NamedTuple):
    """Where a line lies: bytes of declarative.md, or of what `archived`, a file of archive/, unpacks to."""

    start: int
    stop: int
    archived: str


def places(cache: Cache, ident: str) -> list[Place]:
    """Where the lines of a memory lie."""
    return [
        Place(*row)
        for row in cache.db.execute("SELECT start, start + size, archived FROM lines WHERE id = ?", (ident,))
    ]


def ids(cache: Cache) -> set[str]:
    """Return every id that a line has, or had before (`was`): what is said of one counts for its memory."""
    rows = cache.db.execute("SELECT id FROM lines UNION SELECT was FROM lines WHERE was IS NOT NULL")
    return {ident for (ident,) in rows}


def happened(cache: Cache, ident: str) -> bool:
    """Whether events act on an id, also on one that no line has."""
    return cache.db.execute("SELECT 1 FROM acts WHERE id = ? LIMIT 1", (ident,)).fetchone() is not None


def events(cache: Cache, ident: str) -> list[Event]:
    """What has happened to a memory, in no order."""
    return history.events_of(cache.db, ident)


def purged(cache: Cache) -> set[str]:
    """The ids of all that was purged, whether or not a line of it is there."""
    # An event stands under what the purged memory had superseded as well, which was not purged with it.
    purges = [parse_event(raw) for (raw,) in cache.db.execute("SELECT raw FROM events WHERE kind = 'purged'")]
    ids = {ident for event in purges if event is not None for ident in event.ids}
    return ids | {name for ident in ids for name in history.present(cache.db, ident)}


def superseded(cache: Cache, ident: str) -> list[str]:
    """What a memory took the place of: by its lines, and by coming back over it."""
    cursor = cache.db.execute("SELECT supersedes FROM lines WHERE id = ? AND supersedes IS NOT NULL", (ident,))
    out = [row[0] for row in cursor]
    for event in events(cache, ident):
        if event.supersedes and event.ids[0] == ident:
            out += event.supersedes
    return out
