"""Conversations and refusals, as a page shows them where they are asked for."""

from typing import TYPE_CHECKING, Any, TypedDict

from promptx_mem.core.description import Turn
from promptx_mem.core.slices import Message, parse_reference
from promptx_mem.store import conversations
from promptx_mem.usecases.audit_log import MAX_COUNT, Attempted, Filters, audit

if TYPE_CHECKING:
    from collections.abc import Collection

    from promptx_mem.core.state import State
    from promptx_mem.store.layout import Layout
    from promptx_mem.usecases.context import Context


class Talk(TypedDict):
    """A slice of a conversation, or what waits to be rolled up, which has no summary yet."""

    unit: str
    at: str | None
    summary: str | None
    messages: list[Turn]


def talks(where: "Layout") -> list[Talk]:
    """All conversations, the newest first."""
    out: list[Talk] = []
    for name in conversations.units(where):
        unit = conversations.read(where, name)
        parts = [(part.at, part.summary, unit.of(part)) for part in unit.slices.values()]
        waiting = list(unit.waiting().values())
        out += [_talk(name, *part) for part in parts]
        if waiting:
            out.append(_talk(name, waiting[-1].at, None, waiting))
    return sorted(out, key=lambda talk: talk["at"] or "", reverse=True)


def talks_of(where: "Layout", states: "Collection[State]") -> list[Talk]:
    """The conversations that these memories summarise."""
    out: list[Talk] = []
    for state in states:
        reference = parse_reference(state.entry.slice or "")
        part = conversations.read_slice(where, reference) if reference else None
        if reference and part:
            out.append(_talk(reference.unit, part[0].at, part[0].summary, part[1]))
    return out


def _talk(unit: str, at: str | None, summary: str | None, messages: list[Message]) -> Talk:
    turns: list[Turn] = [{"role": message.role, "text": message.text, "at": message.at} for message in messages]
    return {"unit": unit, "at": at, "summary": summary, "messages": turns}


def refusals(context: "Context") -> list[Attempted]:
    """What the gate refused, as the audit log has it, the newest first; it holds no text of it."""
    records: list[Any] = audit(context, Filters(count=MAX_COUNT)).data["records"]
    return [record for record in records if record["violation"] or record["verdict"] == "refused"]
