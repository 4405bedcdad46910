"""Acknowledged lines and events that the files do not contain any more: an editor saved an old copy over them.

Known from `.recent`, and from archive/lost-*, where they were saved when a cache was rebuilt.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from promptx_mem.core.events import line_key
from promptx_mem.core.journal import DELETED_LINE, NOTES, Event, format_event, parse_event
from promptx_mem.core.line import parse_line
from promptx_mem.search import edited, history, vanished
from promptx_mem.search.cache import Cache
from promptx_mem.store import append, archive, recent, sources, trust
from promptx_mem.store.layout import Layout
from promptx_mem.store.recent import Lost


class Missing(NamedTuple):
    """By id: the lines that vanished, `saved` ones in archive/ too, copies of purged texts, and the lost events.

    `deleted` are lines whose deletion `forget` has confirmed; they are not among `lines`.
    """

    lines: dict[str, list[str]]
    saved: frozenset[str]
    purged: frozenset[str]
    events: dict[str, dict[str, Event]]
    deleted: dict[str, list[str]]

    def idents(self) -> set[str]:
        """Ids that `restore` has something for."""
        return self.lines.keys() | self.events.keys() | self.deleted.keys()


_NOTHING = Missing({}, frozenset(), frozenset(), {}, {})


class _Known(NamedTuple):
    """The contents of a store: is there a line of an id, is there an event, and the `k` of an id's last purge.

    `deleted` gives the `k` of the event that confirmed the deletion of the line; both are 0 for none.
    """

    has_line: Callable[[str], bool]
    has_event: Callable[[Event], bool]
    purged: Callable[[str], int]
    deleted: Callable[[str], int]


def _is_purge(event: Event) -> bool:
    return event.kind == "purged"


def _is_deletion(event: Event) -> bool:
    return event.kind == "forgotten" and (event.reason or "").startswith(DELETED_LINE)


def _last(events: Iterable[Event], is_meant: Callable[[Event], bool]) -> dict[str, int]:
    """Return the greatest `k` of the events that are meant, by id."""
    found: dict[str, int] = {}
    for event in filter(is_meant, events):
        found |= {ident: max(event.k, found.get(ident, 0)) for ident in event.ids}
    return found


def _is_edited(raws: list[str], by_hand: edited.ByHand) -> bool:
    """Return whether a line by hand has taken the place of the newest of these lines."""
    read_back = parse_line(raws[-1])
    return read_back is not None and by_hand.edited_form(read_back.entry) is not None


def find(cache: Cache, prefix: str = "") -> Missing:
    """Compare with a cache that is current; where that could not read all of archive/ nothing can be told."""
    if cache.meta("whole") == "0":
        return _NOTHING

    def has_line(ident: str) -> bool:
        return cache.db.execute("SELECT 1 FROM lines WHERE id=? LIMIT 1", (ident,)).fetchone() is not None

    def has_event(event: Event) -> bool:
        query = "SELECT 1 FROM acts JOIN events ON number = event WHERE id = ? AND raw = ? LIMIT 1"
        return cache.db.execute(query, (event.ids[0], format_event(event))).fetchone() is not None

    def last(ident: str) -> tuple[int, int]:
        events = [event for event in history.events_of(cache.db, ident) if ident in event.ids]
        return _last(events, _is_purge).get(ident, 0), _last(events, _is_deletion).get(ident, 0)

    known = _Known(has_line, has_event, lambda ident: last(ident)[0], lambda ident: last(ident)[1])
    return _compare(cache.layout, known, prefix)


def unexplained(where: Layout) -> Missing:
    """Return all that is missing without anybody's intent: `restore --lost` brings it back.

    Left out: lines that a person wrote, or has edited, by hand; lines whose deletion was confirmed by `forget`; and
    lines that git took away. Raises OSError, StoreError.
    """
    everything = sources.read(where)
    if not everything.whole:
        return _NOTHING
    ids = {line.entry.id for line in everything.lines}
    events = {format_event(event) for event in everything.events}
    purged, deleted = (_last(everything.events, is_meant) for is_meant in (_is_purge, _is_deletion))
    by_hand = {ident for event in everything.events if event.kind == "adopted" for ident in event.ids}
    known = _Known(
        ids.__contains__,
        lambda event: format_event(event) in events,
        lambda ident: purged.get(ident, 0),
        lambda ident: deleted.get(ident, 0),
    )
    missing = _compare(where, known)
    candidates = edited.ByHand(everything)
    lines = {
        ident: raws
        for ident, raws in missing.lines.items()
        if ident not in by_hand and not _is_edited(raws, candidates)
    }
    lost = {ident: its for ident, its in missing.events.items() if ident in ids or ident in lines}
    if not lines and not lost:
        return _NOTHING
    gone = _taken_by_git(where, where.declarative, [raw for raws in lines.values() for raw in raws])
    lines = {ident: raws for ident, raws in lines.items() if not gone.issuperset(raws)}
    gone = _taken_by_git(where, where.journal, [raw for its in lost.values() for raw in its])
    lost = {
        ident: rest
        for ident, its in lost.items()
        if (ident in ids or ident in lines) and (rest := {raw: its[raw] for raw in its if raw not in gone})
    }
    return missing._replace(lines=lines, events=lost, deleted={})


def _taken_by_git(where: Layout, path: str, missing: list[str]) -> set[str]:
    """Return which missing lines git took away: none of a private store, in which git has no business."""
    known = trust.read(where)
    if known is not None and known.kind in (trust.PRIVATE, trust.REPLACED):
        return set()
    from promptx_mem.store import git

    return git.taken_by_git(where, path, missing)


def look(where: Layout) -> Lost:
    """Compare `.recent` with the files and record the result, which is valid until somebody changes them.

    Nothing is parsed where every line of `.recent` is in its file, as after most edits. Raises OSError, StoreError.
    """
    at, noted = recent.stamps(where), recent.read(where)
    if not archive.lost_names(where) and _has_all(where, noted):
        lost = Lost()
    else:
        missing = unexplained(where)
        events = {raw for ident, its in missing.events.items() if ident not in missing.lines for raw in its}
        lost = Lost(len(missing.lines), len(events), tuple(sorted(missing.idents()))[: recent.MOST_IDS])
    if noted.lines or noted.events or lost.lines or lost.events:
        recent.note_looked(where, at, lost)
    return lost


def _has_all(where: Layout, noted: recent.Recent) -> bool:
    for path, raws in ((where.declarative, noted.lines), (where.journal, noted.events)):
        needed = {raw.encode() for raw in raws}
        if needed and not needed <= set(append.read_settled(where, path).replace(b"\r\n", b"\n").split(b"\n")):
            return False
    return True


def _compare(where: Layout, known: _Known, prefix: str = "") -> Missing:
    noted = recent.read(where)
    saved = vanished.saved(where)
    lines: dict[str, list[str]] = {}
    deleted: dict[str, list[str]] = {}
    purged = set()
    at = sum(map(len, saved.values()))
    for number, raw in enumerate((*(raw for raws in saved.values() for raw in raws), *noted.lines)):
        read_back = parse_line(raw)
        if read_back is None or read_back.entry.at is None or not read_back.entry.id.startswith(prefix):
            continue
        ident, was_saved = read_back.entry.id, number < at
        if line_key(read_back.entry) < known.purged(ident):
            if was_saved or not known.has_line(ident):
                purged.add(ident)
        elif (was_saved or ident not in saved) and not known.has_line(ident):
            # What was saved when it vanished is newer than what was appended: somebody may have edited it between.
            kind = deleted if line_key(read_back.entry) < known.deleted(ident) else lines
            kind.setdefault(ident, []).append(raw)
    events = _events(where, known, prefix, noted.events)
    return Missing(lines, frozenset(saved), frozenset(purged), events, deleted)


def _events(where: Layout, known: _Known, prefix: str, noted: list[str]) -> dict[str, dict[str, Event]]:
    events: dict[str, dict[str, Event]] = {}
    for raw in (*noted, *vanished.saved_events(where)):
        event = parse_event(raw)
        if event is None or event.kind in NOTES or known.has_event(event):
            continue
        for ident in event.ids:
            if ident.startswith(prefix) and event.k > known.purged(ident):
                events.setdefault(ident, {})[format_event(event)] = event
    return events
