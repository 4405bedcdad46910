"""Add slices to conversations, as a roll-up does."""

from typing import Any

from tests.api import Layout
from tests.inside import Reference, Slice, Unit, conversations


def put_slice(where: Layout, unit: str | Unit, last: int, at: str, summary: str, **profile: Any) -> Reference:
    """Roll up the pending messages of a unit up to message `last`. Return the reference for a memory."""
    conversation = unit if isinstance(unit, Unit) else conversations.read(where, unit)
    number = conversation.next_slice()
    part = Slice(0, conversation.rolled() + 1, last, at, summary, **profile)
    conversations.add_slices(where, conversation, [part])
    return Reference(conversation.id, number)
