"""A line that a person has edited where others hold it too: an event says which line stands in its place."""

from collections.abc import Iterable, Sequence

from promptx_mem.core.entry import Entry
from promptx_mem.core.journal import REPLACED, Event, event_hash
from promptx_mem.core.life import value_hash


def without_replaced(entries: Iterable[Entry], events: Sequence[Event]) -> Iterable[Entry]:
    """Leave out each line in whose place another one stands, as long as another line of that memory is left.

    Of several events about a line the latest counts, so that an edit can be taken back.
    """
    named = [event for event in events if event.kind == REPLACED and event.line and event.by]
    if not named:
        return entries
    over: dict[tuple[str, str], bool] = {}
    for event in sorted(named, key=lambda event: (event.k, event_hash(event))):
        for ident in event.ids:
            over[ident, str(event.line)] = True
            over[ident, str(event.by)] = False
    ids = {ident for ident, _ in over}
    whole = list(entries)
    replaced = {entry for entry in whole if entry.id in ids and over.get((entry.id, value_hash(entry)))}
    left = {entry.id for entry in whole if entry not in replaced}
    return [entry for entry in whole if entry not in replaced or entry.id not in left]
