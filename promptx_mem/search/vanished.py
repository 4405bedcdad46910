"""Lines and events that vanished: an editor saved a stale buffer over what had been appended meanwhile.

Before a new cache takes the place of the old one, what only the old one still knows goes to archive/lost-*.
Those files are no memories: `audit --verify` names what they hold, `restore` appends it again, a purge cleans them.
"""

import contextlib
from collections.abc import Iterator, Mapping

from promptx_mem.core.entry import Entry
from promptx_mem.core.events import line_key
from promptx_mem.core.ids import normalise
from promptx_mem.core.journal import NOTES, format_event, parse_event
from promptx_mem.core.line import format_line, parse_line, with_offset
from promptx_mem.errors import BusyError, StoreError
from promptx_mem.search import edited
from promptx_mem.search.cache import DAMAGE, Cache, archive_identity, connect, identity
from promptx_mem.store import archive
from promptx_mem.store.layout import Layout
from promptx_mem.store.lock import Lock, is_held
from promptx_mem.store.sources import Sources


def stamps(where: Layout) -> dict[str, str]:
    """The identities of all that is read, as the cache notes them; equal before and after: nothing was written."""
    return {
        "declarative": identity(where.declarative),
        "journal": identity(where.journal),
        "archive": archive_identity(where),
        "recalled": identity(where.recalled),
        "episodes": identity(where.episodes),
    }


def save(where: Layout, everything: Sources, before: dict[str, str]) -> bool:
    """Save what the old cache knew as a line and the files do not hold any more.

    `before` is what `seen` gave when `everything` was read. False where it could not be saved now: then the old cache
    must stay, since nothing else knows these texts. Equal content gives an equal file, so two readers may do it at
    once, and one may do it again after a crash. Raises OSError.
    """
    old = connect(where)
    if old is None:
        return True
    # Only a cache in the store, made while the store was the user's, knows the user's lines.
    if old.place is None or not old.place.inside or old.meta("own") == "0":
        old.close()
        return True
    try:
        losses = _losses(old, everything)
        contents = {_content(entry) for _, entry in _saved(where)} if losses else set()
        losses = [entry for entry in losses if _content(entry) not in contents]
        events = _event_losses(old, everything)
        if events:
            copies = set(saved_events(where))
            events = [raw for raw in events if raw not in copies]
    except DAMAGE:  # it is damaged, and tells nothing
        return True
    finally:
        old.close()
    if not losses and not events:
        return True
    with contextlib.suppress(BusyError, StoreError), _alone(where):
        if stamps(where) == before:
            if losses:
                data = "".join(format_line(entry) + "\n" for entry in losses).encode()
                archive.write(where, archive.LOST, data, archive.LINES)
            if events:
                archive.write(where, archive.LOST, "".join(raw + "\n" for raw in events).encode(), archive.EVENTS)
            return True
    return False


def saved(where: Layout) -> dict[str, list[str]]:
    """The lines of each lost id, with doubles left out."""
    lines: dict[str, list[str]] = {}
    for raw, entry in _saved(where):
        if raw not in lines.setdefault(entry.id, []):
            lines[entry.id].append(raw)
    return lines


def saved_events(where: Layout) -> list[str]:
    """The lines of the lost events."""
    names = [name for name in archive.lost_names(where) if name.endswith(archive.EVENTS)]
    return [raw for name in names for raw in archive.read(where, name).decode("utf-8", "replace").split("\n") if raw]


def _saved(where: Layout) -> Iterator[tuple[str, Entry]]:
    for name in archive.lost_names(where):
        for raw in archive.read(where, name).decode("utf-8", "replace").split("\n"):
            read_back = parse_line(raw)
            if read_back is not None:
                yield raw, read_back.entry


def _content(entry: Entry) -> tuple[str, str]:
    """What is saved once: a switch between branches takes the same memories away again and again."""
    return entry.id, normalise(entry.text)


def _losses(old: Cache, everything: Sources) -> list[Entry]:
    """What the old cache knew as a line of declarative.md, and neither lines nor a purge account for."""
    rows = old.db.execute("SELECT id, max(seen = 1) FROM lines WHERE archived = '' GROUP BY id")
    marks = {row[0]: bool(row[1]) for row in rows}
    ids = {line.entry.id for line in everything.lines}
    missing = sorted(marks.keys() - ids)
    if not missing:
        return []
    edits, purged = edited.ByHand(everything, marks.keys()), purged_at(everything)
    # What somebody did to a line by hand stays with its old text, so that must not go without a word.
    acted_on = {ident for event in everything.events if event.kind not in NOTES for ident in event.ids}
    losses = []
    for ident in missing:
        state = old.state(ident)
        if state is None or is_purged(state.entry, purged):
            continue
        if marks[ident] or ident in acted_on or edits.edited_form(state.entry) is None:
            losses.append(with_offset(state.entry))
    return losses


def _event_losses(old: Cache, everything: Sources) -> list[str]:
    """What the old cache knew as an event and the files do not hold, in order; what a purge has taken stays away."""
    lines = set(everything.journal.decode("utf-8", "replace").split("\n"))
    missing = {raw for (raw,) in old.db.execute("SELECT raw FROM events") if raw not in lines}
    if missing:
        missing -= {format_event(event) for event in everything.events}
    purged = {ident: event.k for event in everything.events if event.kind == "purged" for ident in event.ids}
    losses = []
    for event, raw in ((parse_event(raw), raw) for raw in missing):
        if event is None or event.kind in NOTES:
            continue
        if event.kind == "purged" or any(event.k > purged.get(ident, 0) for ident in event.ids):
            losses.append((event.k, raw))
    return [raw for _, raw in sorted(losses)]


def purged_at(everything: Sources) -> dict[str, int]:
    """When each id was last purged, as the `k` of that event."""
    times: dict[str, int] = {}
    for event in everything.events:
        if event.kind == "purged":
            times |= {ident: max(event.k, times.get(ident, 0)) for ident in event.ids}
    return times


def is_purged(entry: Entry, purged: Mapping[str, int]) -> bool:
    """Whether a line was purged, and not stored again since."""
    return purged.get(entry.id, 0) > line_key(entry)


@contextlib.contextmanager
def _alone(where: Layout) -> Iterator[None]:
    """Hold the writers' lock if it is free or this process has it; a purge under way must not be undone."""
    if is_held(where.lock):
        yield
    else:
        with Lock(where.lock, where.mode).hold(0.0):
            yield
