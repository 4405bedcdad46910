"""Past conversations: those that are over, found without reading the others; the last ones; one like a prompt."""

import contextlib
import re
from typing import TYPE_CHECKING

from promptx_mem.core.slices import PAUSE, Unit, unit_of
from promptx_mem.errors import StoreError
from promptx_mem.search.cache import DAMAGE
from promptx_mem.store import conversations, files

if TYPE_CHECKING:
    from collections.abc import Collection

    from promptx_mem.search.messages import Past
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


_DATED = re.compile(r"\[[^\]]{16}\] ")
_SUBJECT = 100


def last_conversations(context: "Context", session: str, count: int, shown: "Collection[str]") -> list[str]:
    """Describe the last conversations except the session's own, the newest first, without those of `shown` episodes."""
    from promptx_mem.search import messages

    talks = messages.open_if_quick(context.layout)
    if talks is None:
        return []
    with talks, contextlib.suppress(*DAMAGE):
        last = messages.last_conversations(talks, unit_of(session), count)
        return list(filter(None, (_described(context, past) for past in last if not {*shown} & {*past.ids})))
    return []


def sharing_rare_words(
    context: "Context", session: str, words: str, common: "Collection[str]", known: "Collection[str]"
) -> tuple[str, str]:
    """Return the unit of the past conversation that shares rare words with a prompt, and its description.

    Both are empty if there is none, if it is the session's own, or `known` by its unit or an episode of it.
    """
    from promptx_mem.search import messages
    from promptx_mem.search.query import parse_query

    talks = messages.open_if_made(context.layout)
    if talks is None:
        return "", ""
    with talks, contextlib.suppress(*DAMAGE):
        past = messages.sharing_rare_words(talks, parse_query(words, literal=True), unit_of(session), common)
        if past is not None and not {*known} & {past.unit, *past.ids}:
            return past.unit, _described(context, past)
    return "", ""


def _described(context: "Context", past: "Past") -> str:
    """Return the day of a past conversation, its subject, and the command that shows it; empty if it was forgotten."""
    from promptx_mem.core.credentials import find_credentials
    from promptx_mem.core.shell import join
    from promptx_mem.core.state import DECIDED
    from promptx_mem.core.text import printable, shorten
    from promptx_mem.core.times import iso
    from promptx_mem.search.current import open_current

    subject = past.first
    with open_current(context.layout) as cache:
        episodes = [cache.state(ident) for ident in past.ids]
    kept = [state for state in episodes if state is not None and state.end not in DECIDED]
    if len(kept) < len(past.ids):
        return ""
    if kept:
        subject = _DATED.sub("", kept[0].entry.text, count=1)
    elif find_credentials(subject):
        subject = "(its first message contains a credential)"
    day = iso(past.spoken)[:10]
    shown = ["show", past.id] if past.id else ["recall", "--category", "episode", "--date", day, *past.words]
    line = f'{day}, "{printable(shorten(subject, _SUBJECT))}": {join(["promptx-mem", *shown])}'
    return line.replace("<", "&lt;")
