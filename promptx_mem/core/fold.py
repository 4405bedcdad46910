"""The fold: events are applied to the lines of a store. The result is the current state of each memory."""

from collections.abc import Iterable, Sequence

from promptx_mem.core.entry import Entry
from promptx_mem.core.journal import REPLACED, Event, event_hash, latest
from promptx_mem.core.line import Superseded, line_key, state_of_line, value_hash
from promptx_mem.core.state import State


def without_replaced(entries: Iterable[Entry], events: Sequence[Event]) -> Iterable[Entry]:
    """Leave out each old line that a `replaced` event names, if another line of the memory remains.

    If the old line had no comment, the edit changed the id. Then the event has the new id and the old id, and the old
    line is left out even if it is the only line. The latest event about a line counts, so an edit can be undone.
    Restoring the old memory also undoes an edit that changed the id.
    """
    named = [event for event in events if event.kind == REPLACED and event.line and event.by and event.ids]
    if not named:
        return entries
    over: dict[tuple[str, str], bool] = {}
    moved: dict[tuple[str, str], int] = {}
    for event in sorted(named, key=lambda event: (event.k, event_hash(event))):
        old, new = (event.ids[-1], str(event.line)), (event.ids[0], str(event.by))
        over |= {old: True, new: False}
        moved[old] = event.k
        moved.pop(new, None)
        if old[0] == new[0]:
            moved.pop(old, None)
    restored = latest(events, "restored")
    for key in [key for key, k in moved.items() if restored.get(key[0], 0) > k]:
        del moved[key], over[key]
    ids = {ident for ident, _ in over}
    whole = list(entries)
    replaced = {entry for entry in whole if entry.id in ids and over.get((entry.id, value_hash(entry)))}
    left = {entry.id for entry in whole if entry not in replaced}
    gone = {entry for entry in replaced if entry.id in left or (entry.id, value_hash(entry)) in moved}
    return [entry for entry in whole if entry not in gone]


def fold_all(entries: Iterable[Entry], events: Iterable[Event]) -> dict[str, State]:
    """Apply the events of a store. Return the State of each memory by id. Raises ValueError if a line has no time."""
    lines: dict[str, list[Entry]] = {}
    superseders: dict[str, list[Superseded]] = {}
    happened: dict[str, list[Event]] = {}
    events = tuple(events)
    purged = latest(events, "purged")
    for entry in without_replaced(entries, events):
        lines.setdefault(entry.id, []).append(entry)
        if entry.supersedes and entry.supersedes != entry.id and entry.at:
            superseded = Superseded(entry.id, line_key(entry), entry.at)
            # A purged line can still be in the file. Then only the purge decides about the memories that the line
            # superseded.
            if superseded.k > purged.get(entry.id, 0):
                superseders.setdefault(entry.supersedes, []).append(superseded)
    for event in events:
        for id_ in event.ids:
            happened.setdefault(id_, []).append(event)
        if event.supersedes and event.ids and event.kind in ("restored", "purged"):
            superseded = Superseded(event.ids[0], event.k, event.at, purged=event.kind == "purged")
            for id_ in set(event.supersedes) - set(event.ids):
                superseders.setdefault(id_, []).append(superseded)
    # Earlier versions made the id of an entry with several lines from its first line. Events can have this former id.
    former = {(entry.was, id_) for id_, own in lines.items() for entry in own if entry.was and entry.was not in lines}
    for was, id_ in former:
        if was in happened or was in superseders:
            happened.setdefault(id_, []).extend(happened.get(was, ()))
            superseders.setdefault(id_, []).extend(superseders.get(was, ()))
    return {id_: _state(own, happened.get(id_, ()), superseders.get(id_, ())) for id_, own in lines.items()}


def _state(lines: Sequence[Entry], events: Sequence[Event], superseders: Sequence[Superseded]) -> State:
    if len(lines) == 1 and not (events or superseders or lines[0].unconfirmed):
        return state_of_line(lines[0])
    from promptx_mem.core.life import fold  # most memories have a single line and no events

    return fold(lines, events, superseders)
