"""Lines that hooks show once in a session: on a store that is not the user's own, and on memories that are missing.

The first is recorded in the user's state: nothing is written to such a store, and nothing of it is believed.
"""

import datetime
from typing import TYPE_CHECKING

from promptx_mem.core.ids import digest
from promptx_mem.hooks import handouts
from promptx_mem.store import hosts, trust
from promptx_mem.store.layout import Layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptx_mem.hooks.host import Event
    from promptx_mem.memory import Memory
    from promptx_mem.usecases.context import Context

_EVENT, _FORGOTTEN, _LOST = "notice", "compacted", "lost"


def of_message(event: "Event", memory: "Memory") -> str:
    """Return the line on an untrusted store if it is due with a message, and record that."""
    marks = _marks(memory)
    if not marks or not event.prompt.strip() or event.prompt.lstrip().startswith("/"):
        return ""
    now = memory.context.now()
    place = _place() if event.session else None
    if place is None:
        return _line(event, memory)
    name = event.record(now)
    if set(marks) <= _before(place, name):
        return ""
    hosts.note(place, name, _EVENT, now, {"stores": marks})
    return _line(event, memory)


def of_start(event: "Event", memory: "Memory") -> str:
    """Return the line on an untrusted store where a session begins, and record that; not for a subagent."""
    marks = _marks(memory)
    place = _place() if marks and event.session and not event.agent else None
    if place is not None:
        now = memory.context.now()
        hosts.note(place, event.record(now), _EVENT, now, {"stores": marks})
    return _line(event, memory) if marks else ""


def _line(event: "Event", memory: "Memory") -> str:
    """Return the line on the first untrusted store."""
    (line,) = next(notice for context in memory.context.both() if (notice := context.origin.notice()))
    return event.ways.named(f"{line[0].upper()}{line[1:]}")


def of_losses(event: "Event", contexts: "Sequence[Context]", *, is_start: bool = False) -> str:
    """Return the line on missing memories, once in a session as long as the same are missing, and where it starts."""
    from promptx_mem.usecases import outcome

    lines = outcome.losses(contexts)
    if not lines or event.agent:
        return ""
    place, now = contexts[0].layout, contexts[0].now()
    name = event.record(now) if event.session else ""
    if name and not is_start:
        shown = ""
        for record in hosts.events(place, name):
            if record.get("e") in (_LOST, _FORGOTTEN):
                shown = str(record.get("line", ""))
        if shown == lines[0]:
            return ""
    if name and is_start:
        handouts.forget(place, name, now)  # it would forget this line too
    if name:
        hosts.note(place, name, _LOST, now, {"line": lines[0]})
    return event.ways.named(f"{lines[0][0].upper()}{lines[0][1:]}")


def forget(event: "Event", now: datetime.datetime) -> None:
    """Note that the model has it no more."""
    place = _place() if event.session else None
    if place is not None and _before(place, name := event.record(now)):
        hosts.note(place, name, _FORGOTTEN, now)


def _marks(memory: "Memory") -> list[str]:
    """The stores that are there and not the user's own, by a hash of where they lie."""
    contexts = (context for context in memory.context.both() if context.layout.exists())
    return [
        digest(context.layout.root.encode("utf-8", "surrogatepass"), 5)
        for context in contexts
        if not context.origin.is_own
    ]


def _before(place: Layout, name: str) -> set[str]:
    marks: set[str] = set()
    for record in hosts.events(place, name):
        if record.get("e") == _FORGOTTEN:
            marks.clear()
        elif record.get("e") == _EVENT and isinstance(stores := record.get("stores"), list):
            marks |= {mark for mark in stores if isinstance(mark, str)}
    return marks


def _place() -> Layout | None:
    """The user's own folder for such notes, outside of every project; None where there is none."""
    folder = trust.folder()
    return None if folder is None else Layout(folder)
