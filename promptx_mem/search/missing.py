"""What was acknowledged and the files hold no more: lines and events that vanished without a trace of who took them.

Known from `.recent`, and from what was saved in archive/ when a cache was made anew.
"""

from typing import NamedTuple

from promptx_mem.core.events import line_key
from promptx_mem.core.journal import NOTES, Event, format_event, parse_event
from promptx_mem.core.line import parse_line
from promptx_mem.search import history, vanished
from promptx_mem.search.cache import Cache
from promptx_mem.store import recent


class Missing(NamedTuple):
    """By id: the lines that vanished, `saved` ones in archive/ too, copies of purged texts, and the lost events."""

    lines: dict[str, list[str]]
    saved: frozenset[str]
    purged: frozenset[str]
    events: dict[str, dict[str, Event]]

    def idents(self) -> set[str]:
        """Ids that `restore` has something for."""
        return self.lines.keys() | self.events.keys()


def find(cache: Cache, prefix: str = "") -> Missing:
    """Compare it with a cache that is current; where that could not read all of archive/ nothing can be told."""
    if cache.meta("whole") == "0":
        return Missing({}, frozenset(), frozenset(), {})
    noted = recent.read(cache.layout)
    saved = vanished.saved(cache.layout)
    lines: dict[str, list[str]] = {}
    purged = set()
    at = sum(map(len, saved.values()))
    for number, raw in enumerate((*(raw for raws in saved.values() for raw in raws), *noted.lines)):
        read_back = parse_line(raw)
        if read_back is None or read_back.entry.at is None or not read_back.entry.id.startswith(prefix):
            continue
        ident, was_saved = read_back.entry.id, number < at
        if line_key(read_back.entry) < _purged(cache, ident):
            if was_saved or not _has_line(cache, ident):
                purged.add(ident)
        elif (was_saved or ident not in saved) and not _has_line(cache, ident):
            # What was saved when it vanished is newer than what was appended: somebody may have edited it between.
            lines.setdefault(ident, []).append(raw)
    return Missing(lines, frozenset(saved), frozenset(purged), _events(cache, prefix, noted.events))


def _events(cache: Cache, prefix: str, noted: list[str]) -> dict[str, dict[str, Event]]:
    events: dict[str, dict[str, Event]] = {}
    for raw in (*noted, *vanished.saved_events(cache.layout)):
        event = parse_event(raw)
        if event is None or event.kind in NOTES or _has_event(cache, event):
            continue
        for ident in event.ids:
            if ident.startswith(prefix) and event.k > _purged(cache, ident):
                events.setdefault(ident, {})[format_event(event)] = event
    return events


def _has_line(cache: Cache, ident: str) -> bool:
    return cache.db.execute("SELECT 1 FROM lines WHERE id=? LIMIT 1", (ident,)).fetchone() is not None


def _has_event(cache: Cache, event: Event) -> bool:
    query = "SELECT 1 FROM acts JOIN events ON number = event WHERE id = ? AND raw = ? LIMIT 1"
    return cache.db.execute(query, (event.ids[0], format_event(event))).fetchone() is not None


def _purged(cache: Cache, ident: str) -> int:
    """The place of an id's last purge; 0 where there was none."""
    return max((e.k for e in history.events_of(cache.db, ident) if e.kind == "purged" and ident in e.ids), default=0)
