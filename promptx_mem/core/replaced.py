"""A line that a person has edited where others hold it too: an event says which line stands in its place."""

from collections.abc import Iterable, Sequence

from promptx_mem.core.entry import Entry
from promptx_mem.core.journal import REPLACED, Event, event_hash
from promptx_mem.core.life import value_hash


def without_replaced(entries: Iterable[Entry], events: Sequence[Event]) -> Iterable[Entry]:
    """Leave out each line in whose place another one stands, as long as another line of that memory is left.

    Where the event names two memories, the first is the one that stands in the place of the other, whatever is left of
    that: who edits a line without a comment gives it another id. Of several events about a line the latest counts, so
    that an edit can be taken back.
    """
    named = [event for event in events if event.kind == REPLACED and event.line and event.by]
    if not named:
        return entries
    over: dict[tuple[str, str], bool] = {}
    moved: set[tuple[str, str]] = set()
    for event in sorted(named, key=lambda event: (event.k, event_hash(event))):
        old, new = (event.ids[-1], str(event.line)), (event.ids[0], str(event.by))
        over |= {old: True, new: False}
        moved.add(old)
        moved.discard(new)
        if old[0] == new[0]:
            moved.discard(old)
    ids = {ident for ident, _ in over}
    whole = list(entries)
    replaced = {entry for entry in whole if entry.id in ids and over.get((entry.id, value_hash(entry)))}
    left = {entry.id for entry in whole if entry not in replaced}
    gone = {entry for entry in replaced if entry.id in left or (entry.id, value_hash(entry)) in moved}
    return [entry for entry in whole if entry not in gone]
