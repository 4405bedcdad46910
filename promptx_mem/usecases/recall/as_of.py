"""What the store would have answered at an earlier moment: the same question to what was there by then."""

from typing import TYPE_CHECKING

from promptx_mem.core.journal import Event
from promptx_mem.core.times import epoch
from promptx_mem.search import build
from promptx_mem.store import sources

if TYPE_CHECKING:
    from promptx_mem.search.cache import Cache
    from promptx_mem.search.rows import Progress
    from promptx_mem.store.layout import Layout


def cache_at(where: "Layout", moment: float, progress: "Progress | None" = None) -> "Cache":
    """A cache in memory of the lines and events whose time is `moment` (epoch seconds) or before.

    A line edited by hand gives its present text from its own time on: no file keeps the former one.
    """
    everything = sources.read(where)
    # What was purged later is gone from every moment, also where a merge has brought its line back.
    events = tuple(event for event in everything.events if event.kind == "purged" or _by(event.at, moment))
    adopted = _adopted(events)
    lines = tuple(
        line
        for line in everything.lines
        if _by(line.entry.at or "", moment) or (not line.has_time and line.entry.id in adopted)
    )
    stamps = dict.fromkeys(("declarative", "journal", "archive", "recalled", "episodes"), "") | {
        "seen_at": sources.modified(where.declarative)
    }
    return build.in_memory(where, everything._replace(lines=lines, events=events), stamps, progress)


def _adopted(events: tuple[Event, ...]) -> set[str]:
    """Lines by hand that a writer had seen by then, whatever the file's time is now."""
    return {ident for event in events if event.kind == "adopted" for ident in event.ids}


def _by(at: str, moment: float) -> bool:
    try:
        return epoch(at) <= moment
    except ValueError:
        return False
