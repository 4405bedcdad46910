"""Conversations without a message for four hours, found without reading those that were checked before."""

import contextlib
from typing import TYPE_CHECKING

from promptx_mem.core.slices import PAUSE, Unit
from promptx_mem.errors import StoreError
from promptx_mem.store import conversations, files

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context

_STAMP = "looked.txt"
_SLACK = 60.0


def is_any(context: "Context") -> bool:
    """Return whether a conversation is due to be rolled up."""
    now = context.now().timestamp()
    with contextlib.suppress(OSError, StoreError):
        return any(is_over(unit, now) or unit.unfinished() for unit in _recent(context))
    return False


def is_over(unit: Unit, now: float) -> bool:
    """Return whether messages wait, and the last of them arrived over four hours ago."""
    waiting = unit.waiting()
    return bool(waiting) and waiting[max(waiting)].times()[1] + PAUSE <= now


def look(context: "Context", *, everywhere: bool = False) -> list[str]:
    """Return the units that may have waiting messages, and record the check; the caller rolls them up."""
    units = [unit.id for unit in _recent(context, everywhere=everywhere)]
    with contextlib.suppress(OSError, StoreError):
        if files.names(context.layout.conversations):
            files.replace(context.layout.conversations / _STAMP, b"", context.layout.mode)
    return units


def _recent(context: "Context", *, everywhere: bool = False) -> list[Unit]:
    """Return the units written since four hours before the last check that may still have waiting messages.

    Older ones were handled by earlier checks.
    """
    identities = files.identities(context.layout.conversations)
    stamp = identities.get(_STAMP)
    horizon = 0.0 if stamp is None or everywhere else stamp[3] / 1e9 - PAUSE - _SLACK
    written = {name for name, identity in identities.items() if identity[3] / 1e9 >= horizon}
    units = (unit for unit in conversations.named(written) if not conversations.rests(context.layout, unit))
    return [conversations.read(context.layout, unit) for unit in units]
