"""The end of a turn: what was said goes into working memory, where the user chose that; the agent is told nothing."""

import contextlib
from typing import TYPE_CHECKING

from promptx_mem.errors import PromptxMemError
from promptx_mem.memory import Memory
from promptx_mem.usecases import idle

if TYPE_CHECKING:
    from promptx_mem.hooks.host import Event


def take(event: "Event", action: str) -> None:
    """Take what the host has written since; whatever fails is taken up by the next hook, and stops nobody."""
    memory = Memory.open()
    context = memory.context
    if event.agent or not context.layout.exists():
        return
    from promptx_mem.usecases import turns

    with contextlib.suppress(PromptxMemError, OSError, ValueError):
        if turns.is_chosen(context) and event.transcript:
            turns.take(Memory.open(None, event.record(context.now())).context, event.transcript)
        elif action in ("start", "stop", "end") and context.origin.is_own and idle.is_any(context):
            from promptx_mem.usecases.rollup import roll_idle

            roll_idle(context, context.now())
