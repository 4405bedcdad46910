"""Stored lines and events that are missing from the files, for example because an editor saved an old version.

Before a new cache replaces an old cache, lines that only the old cache has are saved in archive/lost-*. Saved lines are
not memories: `audit --verify` lists them, `restore` appends them to the store again, and a purge removes purged texts
from them. Other missing lines are found in `.recent`. A memory that a person edited counts as a hand-written line, with
an id made from its new text.
"""

import contextlib
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator

from promptx_mem.core.entry import Entry
from promptx_mem.core.ids import normalise
from promptx_mem.core.journal import DELETED_LINE, NOTES, Event, format_event, parse_event
from promptx_mem.core.line import format_line, line_key, parse_line, with_offset
from promptx_mem.errors import BusyError, StoreError
from promptx_mem.record import NamedTuple
from promptx_mem.search import history, tokens
from promptx_mem.search.cache import DAMAGE, Cache, connect, stamps_of
from promptx_mem.store import append, archive, checks, intent, sources, trust
from promptx_mem.store.append import Lock, is_held
from promptx_mem.store.checks import Lost
from promptx_mem.store.layout import Layout
from promptx_mem.store.sources import Sources


def save_vanished(where: Layout, everything: Sources, before: dict[str, str]) -> bool:
    """Save the lines that are in the old cache but not in the files.

    `before` is a result of `stamps_of` that is older than `everything`. Returns False if the lines could not be saved.
    Then the old cache has the only copy, and must not be replaced. Two processes can save at once, since files with
    the same content get the same name. Raises OSError.
    """
    old = connect(where)
    if old is None:
        return True
    # Only a cache in the store, made while the store was the user's, has the user's lines.
    if old.place is None or not old.place.inside or old.meta("own") == "0":
        old.close()
        return True
    try:
        losses = _losses(old, everything)
        contents = {_content(entry) for _, entry in _saved_entries(where)} if losses else set()
        losses = [entry for entry in losses if _content(entry) not in contents]
        events = _event_losses(old, everything)
        if events:
            copies = set(saved_events(where))
            events = [raw for raw in events if raw not in copies]
    except DAMAGE:  # the cache is damaged
        return True
    finally:
        old.close()
    if not losses and not events:
        return True
    # The writers' lock is taken, so that a running purge is not undone. BusyError: another process holds it.
    is_ours = is_held(where.lock)
    alone = contextlib.nullcontext() if is_ours else Lock(where.lock, where.mode).hold(0.0)
    with contextlib.suppress(BusyError, StoreError), alone:
        if stamps_of(where) == before:
            if losses:
                data = "".join(format_line(entry) + "\n" for entry in losses).encode()
                archive.write(where, archive.LOST, data, archive.LINES)
            if events:
                archive.write(where, archive.LOST, "".join(raw + "\n" for raw in events).encode(), archive.EVENTS)
            return True
    return False


def saved_lines(where: Layout) -> dict[str, list[str]]:
    """Return the lost lines that are saved in archive/, by id, without duplicates."""
    lines: dict[str, list[str]] = {}
    for raw, entry in _saved_entries(where):
        if raw not in lines.setdefault(entry.id, []):
            lines[entry.id].append(raw)
    return lines


def saved_events(where: Layout) -> list[str]:
    """Return the lost events that are saved in archive/, as lines."""
    return [raw for raw in _saved(where, archive.EVENTS) if raw]


def _saved_entries(where: Layout) -> Iterator[tuple[str, Entry]]:
    return ((raw, read_back.entry) for raw in _saved(where) if (read_back := parse_line(raw)) is not None)


def _saved(where: Layout, ending: str = "") -> Iterator[str]:
    for name in archive.lost_names(where):
        if name.endswith(ending):
            yield from archive.read(where, name).decode("utf-8", "replace").split("\n")


def _content(entry: Entry) -> tuple[str, str]:
    """Return a memory's key. Lines with the same key are saved once, even if git branches remove them repeatedly."""
    return entry.id, normalise(entry.text)


def _losses(old: Cache, everything: Sources) -> list[Entry]:
    """Return the memories in the old cache whose lines are missing from the files. Leave out purged memories."""
    rows = old.db.execute("SELECT id, max(seen = 1) FROM lines WHERE archived = '' GROUP BY id")
    marks = {row[0]: bool(row[1]) for row in rows}
    missing = sorted(marks.keys() - {line.entry.id for line in everything.lines})
    if not missing:
        return []
    ends = _ends(everything.events)
    states = {ident: state for ident in missing if (state := old.state(ident)) is not None}
    edits = ByHand(everything, marks.keys()).edited_forms(state.entry for state in states.values())
    # Events keep the id of the old text. So an edited line with events is saved too.
    acted_on = {ident for event in everything.events if event.kind not in NOTES for ident in event.ids}
    losses = []
    for ident, state in states.items():
        if ends.get(state.entry.id, _NEVER).purged > line_key(state.entry):
            continue
        if marks[ident] or ident in acted_on or state.entry.id not in edits:
            losses.append(with_offset(state.entry))
    return losses


def _event_losses(old: Cache, everything: Sources) -> list[str]:
    """Return the old cache's events that are missing from the files, in order, without events of purged memories."""
    lines = set(everything.journal.decode("utf-8", "replace").split("\n"))
    missing = {raw for (raw,) in old.db.execute("SELECT raw FROM events") if raw not in lines}
    if missing:
        missing -= {format_event(event) for event in everything.events}
    ends = _ends(everything.events)
    losses = []
    for raw in missing:
        event = parse_event(raw)
        if event is None or event.kind in NOTES:
            continue
        if event.kind == "purged" or any(event.k > ends.get(ident, _NEVER).purged for ident in event.ids):
            losses.append((event.k, raw))
    return [raw for _, raw in sorted(losses)]


class _Ends(NamedTuple):
    """The order keys `k` of an id's last purge, and of the last event that confirmed the deletion of its line."""

    purged: int = 0
    deleted: int = 0


_NEVER = _Ends()


def _ends(events: Iterable[Event]) -> dict[str, _Ends]:
    found: dict[str, _Ends] = {}
    for event in events:
        is_deletion = event.kind == "forgotten" and (event.reason or "").startswith(DELETED_LINE)
        for ident in event.ids if is_deletion or event.kind == "purged" else ():
            purged, deleted = found.get(ident, _NEVER)
            found[ident] = _Ends(purged, max(deleted, event.k)) if is_deletion else _Ends(max(purged, event.k), deleted)
    return found


EDITED_FROM = 0.5
"""Minimum similarity at which a new hand-written line counts as the edited version of a missing line."""

_COMPARED, _RAREST = 64, 16
"""Maximum number of lines compared with a missing line, and maximum number of trigrams that find these lines."""


class ByHand:
    """The hand-written lines whose ids are not in `ids`. One of them can be the edited version of a missing line.

    If there are many lines, the search compares only those that share the most rare trigrams with the missing line.
    """

    def __init__(self, everything: Sources, ids: Container[str]) -> None:
        self.entries = [line.entry for line in everything.lines if not line.has_time and line.entry.id not in ids]
        self._alike: dict[str, list[int]] = {}

    def edited_forms(self, missing: Iterable[Entry]) -> dict[str, Entry]:
        """Return the edited versions of missing memories, by their old ids. A line is the version of one memory."""
        best: dict[str, tuple[float, str, Entry]] = {}
        for entry in missing:
            grams = tokens.shingles(entry.text)
            alike = ((tokens.jaccard(grams, tokens.shingles(one.text)), one) for one in self._candidates(grams))
            share, edited = max(alike, key=lambda pair: pair[0], default=(0.0, entry))
            if share >= EDITED_FROM:
                best[edited.id] = max(best.get(edited.id, (0.0, "", edited)), (share, entry.id, edited))
        return {ident: edited for _, ident, edited in best.values()}

    def _candidates(self, grams: frozenset[str]) -> list[Entry]:
        if len(self.entries) <= _COMPARED:
            return self.entries
        if not self._alike:
            for number, entry in enumerate(self.entries):
                for gram in tokens.shingles(entry.text):
                    self._alike.setdefault(gram, []).append(number)
        rarest = sorted(grams & self._alike.keys(), key=lambda gram: (len(self._alike[gram]), gram))[:_RAREST]
        shared = Counter(number for gram in rarest for number in self._alike[gram][:_COMPARED])
        return [self.entries[number] for number, _ in shared.most_common(_COMPARED)]


class Missing(NamedTuple):
    """The missing lines and events by id.

    `saved` has the ids of lines in archive/. `purged` has the purged ids whose copies still exist. `deleted` has the
    lines whose deletion was confirmed with `forget`. Lines in `deleted` are not in `lines`.
    """

    lines: dict[str, list[str]]
    saved: frozenset[str]
    purged: frozenset[str]
    events: dict[str, dict[str, Event]]
    deleted: dict[str, list[str]]

    def idents(self) -> set[str]:
        """Return the ids of the lines and events that `restore` can restore."""
        return self.lines.keys() | self.events.keys() | self.deleted.keys()


_NOTHING = Missing({}, frozenset(), frozenset(), {}, {})


class _Known(NamedTuple):
    """Functions that look up a store's lines and events."""

    has_line: Callable[[str], bool]
    has_event: Callable[[Event], bool]
    ends: Callable[[str], _Ends]


def find_missing(cache: Cache, prefix: str = "") -> Missing:
    """Use a current cache to find missing lines and events. If parts of archive/ could not be read, find nothing."""
    if cache.meta("whole") == "0":
        return _NOTHING
    acts = "acts JOIN events ON number = event WHERE id = ? AND raw = ?"
    known = _Known(
        lambda ident: cache.has("lines WHERE id = ?", ident),
        lambda event: cache.has(acts, event.ids[0], format_event(event)),
        lambda ident: _ends(history.events(cache, ident)).get(ident, _NEVER),
    )
    return _compare(cache.layout, known, prefix)


def unexplained(where: Layout) -> Missing:
    """Return all lines and events that were removed by accident. `restore --lost` restores them.

    Lines that a person edited, lines whose deletion was confirmed with `forget`, and lines that a commit removed are
    left out. Raises OSError, StoreError.
    """
    everything = sources.read(where)
    if not everything.whole:
        return _NOTHING
    ids = {line.entry.id for line in everything.lines}
    events = {format_event(event) for event in everything.events}
    ends = _ends(everything.events)
    known = _Known(ids.__contains__, lambda event: format_event(event) in events, lambda ident: ends.get(ident, _NEVER))
    missing = _compare(where, known)
    edits = edited_forms(where, everything, missing)
    lines = {ident: raws for ident, raws in missing.lines.items() if ident not in edits}
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


def edited_forms(where: Layout, everything: Sources, missing: Missing) -> dict[str, Entry]:
    """Return the hand-written memories that are edited versions of missing ones, by the old ids.

    A memory that a command stored is not new, even if its comment was damaged or deleted.
    """
    from promptx_mem.store import audit

    newest = [read_back.entry for raws in missing.lines.values() if (read_back := parse_line(raws[-1])) is not None]
    recent = {
        read_back.entry.id for raw in intent.read_recent(where).lines if (read_back := parse_line(raw)) is not None
    }
    stored = audit.stored(audit.records(audit.read(where)))
    return ByHand(everything, recent | stored.keys() | missing.saved).edited_forms(newest)


def _in_git(where: Layout) -> bool:
    """Return whether git may track the store, so that it can remove lines."""
    known = trust.read(where)
    return known is None or known.kind not in (trust.PRIVATE, trust.REPLACED)


def _taken_by_git(where: Layout, path: str, missing: list[str]) -> set[str]:
    """Return the missing lines that git removed; an empty set for a private store."""
    if not missing or not _in_git(where):
        return set()
    from promptx_mem.store import git

    return git.taken_by_git(where, path, missing)


def _stash_log(where: Layout) -> str:
    if not _in_git(where):
        return ""
    from promptx_mem.store import git

    return git.stash_log(where)


def look(where: Layout) -> Lost:
    """Compare `.recent` with the files, and record the result, which is valid until the files change.

    After most edits, every line of `.recent` is in its file. Then nothing is parsed. Raises OSError, StoreError.
    """
    at, noted = checks.stamps(where), intent.read_recent(where)
    lost = Lost()
    if archive.lost_names(where) or not _has_all(where, noted):
        stash = _stash_log(where)
        at = checks.stamps(where, stash)
        missing = unexplained(where)
        events = {raw for ident, its in missing.events.items() if ident not in missing.lines for raw in its}
        lost = Lost(len(missing.lines), len(events), tuple(sorted(missing.idents()))[: checks.MOST_IDS], stash)
    if noted.lines or noted.events or lost.lines or lost.events:
        checks.note_looked(where, at, lost)
    return lost


def _has_all(where: Layout, noted: intent.Recent) -> bool:
    for path, raws in ((where.declarative, noted.lines), (where.journal, noted.events)):
        needed = {raw.encode() for raw in raws}
        if needed and not needed <= set(append.read_settled(where, path).replace(b"\r\n", b"\n").split(b"\n")):
            return False
    return True


def _compare(where: Layout, known: _Known, prefix: str = "") -> Missing:
    noted = intent.read_recent(where)
    saved = saved_lines(where)
    lines: dict[str, list[str]] = {}
    deleted: dict[str, list[str]] = {}
    purged = set()
    at = sum(map(len, saved.values()))
    for number, raw in enumerate((*(raw for raws in saved.values() for raw in raws), *noted.lines)):
        read_back = parse_line(raw)
        if read_back is None or read_back.entry.at is None or not read_back.entry.id.startswith(prefix):
            continue
        ident, was_saved, ends = read_back.entry.id, number < at, known.ends(read_back.entry.id)
        if line_key(read_back.entry) < ends.purged:
            if was_saved or not known.has_line(ident):
                purged.add(ident)
        elif (was_saved or ident not in saved) and not known.has_line(ident):
            # A line in archive/ was saved when it vanished, perhaps after an edit: newer than a line in `.recent`.
            kind = deleted if line_key(read_back.entry) < ends.deleted else lines
            kind.setdefault(ident, []).append(raw)
    events: dict[str, dict[str, Event]] = {}
    for raw in (*noted.events, *saved_events(where)):
        event = parse_event(raw)
        if event is None or event.kind in NOTES or known.has_event(event):
            continue
        for ident in event.ids:
            if ident.startswith(prefix) and event.k > known.ends(ident).purged:
                events.setdefault(ident, {})[format_event(event)] = event
    return Missing(lines, frozenset(saved), frozenset(purged), events, deleted)
