"""One memory whole: every field, and what happened to it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from promptx_mem.core.description import Whole, describe
from promptx_mem.core.entry import FIELDS
from promptx_mem.core.journal import Event, format_event
from promptx_mem.core.json_text import load_object

if TYPE_CHECKING:
    from promptx_mem.core.state import State
    from promptx_mem.usecases.context import Context


def whole(context: "Context", state: "State", now: float, acts: Mapping[str, Sequence[Event]]) -> Whole:
    """A memory with every field and its events; `acts` are the events by id."""
    entry = state.entry
    description = describe(state, now, context.config.freshness, context.origin.of(state.origin), context.scope)
    happened = (*(acts.get(entry.was, ()) if entry.was else ()), *acts.get(entry.id, ()))
    shown = {*description, "unconfirmed"}  # as `unscored`
    more = {field.name: getattr(entry, field.name) for field in FIELDS if field.name not in shown}
    return {
        **description,
        **more,  # type: ignore[typeddict-item] # FIELDS names them
        "slice_ref": entry.slice,
        "events": [load_object(format_event(event)) or {} for event in happened],
    }
