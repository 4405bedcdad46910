"""A line that a person has edited where others hold it too: an event says which line stands in its place."""

from collections.abc import Iterable, Mapping, Sequence

from promptx_mem.core.entry import Entry
from promptx_mem.core.journal import REPLACED, Event, event_hash
from promptx_mem.core.life import value_hash


def without_replaced(entries: Iterable[Entry], events: Sequence[Event]) -> Iterable[Entry]:
    """Leave out each line in whose place another one stands, as long as another line of that memory is left.

    Where the event names two memories, the first is the one that stands in the place of the other, whatever is left of
    that: who edits a line without a comment gives it another id. Of several events about a line the latest counts, so
    that an edit can be taken back; so can it by restoring the other memory.
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
    for key in _restored(moved, events):
        del moved[key], over[key]
    ids = {ident for ident, _ in over}
    whole = list(entries)
    replaced = {entry for entry in whole if entry.id in ids and over.get((entry.id, value_hash(entry)))}
    left = {entry.id for entry in whole if entry not in replaced}
    gone = {entry for entry in replaced if entry.id in left or (entry.id, value_hash(entry)) in moved}
    return [entry for entry in whole if entry not in gone]


def _restored(moved: Mapping[tuple[str, str], int], events: Sequence[Event]) -> list[tuple[str, str]]:
    last: dict[str, int] = {}
    for event in events:
        if event.kind == "restored":
            last.update((ident, max(event.k, last.get(ident, 0))) for ident in event.ids)
    return [key for key, k in moved.items() if last.get(key[0], 0) > k]
