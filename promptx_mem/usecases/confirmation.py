"""What an agent puts into the user store waits for a person to confirm it, before another project is given it.

Nobody is asked: a line says where it was stored from, and a person's answer is an event (docs/decisions/0018).
"""

import os
from typing import TYPE_CHECKING

from promptx_mem import session
from promptx_mem.core.ids import digest
from promptx_mem.errors import Refused
from promptx_mem.places import user_store
from promptx_mem.search.criteria import ANYWHERE
from promptx_mem.store import hosts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from promptx_mem.core.entry import Entry
    from promptx_mem.core.state import State
    from promptx_mem.usecases.context import Context

NOWHERE = "-"
"""Stands for the place of what is stored outside of every project."""

WAITS = "no other project is given it until you confirm it, at a terminal: promptx-mem review"


def place_of(context: "Context") -> str:
    """A name for the project that a command is in, which does not give its path away."""
    return digest(os.fsencode(os.path.realpath(context.project)), 5) if context.project else NOWHERE


def place_shown(context: "Context") -> str:
    """The place that what waits is shown of: this one; any for a person who names the store."""
    named = context.beside is None and context.layout.named
    return ANYWHERE if named and is_person(context) else place_of(context)


def is_person(context: "Context") -> bool:
    """Whether somebody sits at a terminal, and not a host's session: what `hook start` or `hook prompt` have seen."""
    return session.is_person() and not hosts.events(context.layout, context.session)


def mark(context: "Context", text: str | None = None) -> str | None:
    """What a line carries that is stored now: the place that it is kept to; None where it is given everywhere."""
    if not context.layout.is_user or is_person(context) or (text is not None and _was_wished(context, text)):
        return None
    return place_of(context)


def hidden(context: "Context", states: "Mapping[str, State]") -> frozenset[str]:
    """The ids of what waits and is not to be shown: to a person all is, and where it was stored from."""
    waiting = {ident for ident, state in states.items() if state.is_waiting} if context.layout.is_user else set()
    if not waiting or is_person(context):
        return frozenset()
    place = place_of(context)
    return frozenset(ident for ident in waiting if states[ident].unconfirmed != place)


def hints(context: "Context", entry: "Entry", ident: str, *, waits: bool) -> tuple[str, ...]:
    """What is said of a memory that was stored: that it waits, or that it may belong to the other store."""
    if waits and entry.unconfirmed is not None:
        return (WAITS,)
    if entry.type != "user" or context.layout.is_user or user_store() is None:
        return ()
    return (f"a fact about the user, in this project alone; for every project: promptx-mem move {ident} --user",)


def demand_person(context: "Context", command: str) -> None:
    """Raise Refused where an agent would decide what holds for its user everywhere."""
    if context.layout.is_user and not is_person(context):
        raise Refused(
            "in the user store only a person says what is confirmed or core, at a terminal",
            code="needs_person",
            hint=f"for the user, in a terminal: {command}",
        )


def _was_wished(context: "Context", text: str) -> bool:
    """Whether `hook prompt` saw a person ask for it in this session: all its words stand in one such message."""
    from promptx_mem.core import wished

    wishes = (record.get("w") for record in hosts.events(context.layout, context.session))
    return any(wished.covers(map(str, words), text) for words in wishes if isinstance(words, list))
