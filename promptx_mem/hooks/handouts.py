"""What a session's model was given unasked, so that it is given each memory once (docs/file-format.md)."""

import datetime
import re
from collections.abc import Iterable
from typing import NamedTuple

from promptx_mem.core.description import Description
from promptx_mem.core.digest import whole_line
from promptx_mem.core.ids import digest
from promptx_mem.store import hosts
from promptx_mem.store.layout import Layout

FORGOTTEN = "compacted"
MAX_SESSION = 3_000
"""Tokens that all hooks but `hook start` add in one session."""

_NONE: dict[str, str] = {}
_CUT = re.compile(r"… [#(]")
_LINE = re.compile(r"- .*\((m_[0-9a-z]+)\)")


def before(layout: Layout, session: str) -> dict[str, str]:
    """What the model has in front of it: ids, each with the mark of how the memory looked."""
    marks: dict[str, str] = {}
    for record in hosts.events(layout, session):
        if record.get("e") == FORGOTTEN:
            marks.clear()
        elif record.get("e") == hosts.GIVEN and isinstance(ids := record.get("ids"), dict):
            marks |= {ident: mark for ident, mark in ids.items() if mark and isinstance(mark, str)}
    return marks


def has_begun(layout: Layout, session: str) -> bool:
    """Whether the model has in front of it what `hook start` gave."""
    given = False
    for record in hosts.events(layout, session):
        if record.get("e") == FORGOTTEN:
            given = False
        elif record.get("hook") == "start":
            given = True
    return given


def mark(memory: Description) -> str:
    """How a memory looks: another text or other tags give another mark."""
    return _mark(f"{memory['text']}\0{' '.join(memory['tags'])}")


class Spent(NamedTuple):
    """What a session was given: ids by messages and at calls, ids of warnings, tokens at calls and by all hooks."""

    given: frozenset[str] = frozenset()
    warned: frozenset[str] = frozenset()
    act: int = 0
    every: int = 0


def spent(layout: Layout, session: str) -> Spent:
    """Return what the hooks gave a session but for its index; what was compacted may come again."""
    given: set[str] = set()
    warned: set[str] = set()
    act = every = 0
    for record in hosts.events(layout, session):
        if record.get("e") == FORGOTTEN:
            given.clear()
        ids, hook = record.get("ids"), record.get("hook")
        if record.get("e") != hosts.GIVEN or hook == "start" or not isinstance(ids, dict):
            continue
        is_warning = "warning" in (record.get("via") or {}).values()
        (warned if is_warning else given).update(ids)
        number = record.get("tokens")
        number = number if isinstance(number, int) else 0
        every += number
        act += number if hook == "act" else 0
    return Spent(frozenset(given), frozenset(warned), act, every)


def since(layout: Layout, session: str, event: str) -> list[str]:
    """Return the ids that messages and calls were given since an event, in order."""
    ids: dict[str, None] = {}
    for record in hosts.events(layout, session):
        if record.get("e") == event:
            ids.clear()
        elif record.get("e") == hosts.GIVEN and record.get("hook") != "start" and isinstance(record.get("ids"), dict):
            ids |= dict.fromkeys(map(str, record["ids"]))
    return list(ids)


def is_new(memory: Description, marks: dict[str, str]) -> bool:
    """Whether a memory was not given as it is now: neither for a message, nor whole in the index."""
    earlier = marks.get(memory["id"])
    line = whole_line(memory["text"], memory["tags"], memory["id"])
    return earlier is None or earlier not in (mark(memory), _mark(line))


def in_index(lines: Iterable[str]) -> dict[str, str]:
    """The ids of the lines of an index, each with the mark of its line; empty where that shows a memory cut."""
    matches = ((line, match) for line in lines if (match := _LINE.match(line)))
    return {match[1]: "" if _CUT.search(line) else _mark(match[0]) for line, match in matches}


def unknown(lines: Iterable[str], marks: dict[str, str]) -> list[str]:
    """The lines of an index that show a memory whole which was not given."""
    return [line for line in lines for ident, mark in in_index([line]).items() if mark and ident not in marks]


def note(
    layout: Layout,
    session: str,
    hook: str,
    marks: dict[str, str],
    now: datetime.datetime,
    via: dict[str, str] = _NONE,
    tokens: int = 0,
) -> None:
    """Note what a hook gave, by which ways it was found, and how long it was."""
    if marks:
        ways: dict[str, object] = ({"via": via} if via else {}) | ({"tokens": tokens} if tokens else {})
        hosts.note(layout, session, hosts.GIVEN, now, {"hook": hook, "ids": marks, **ways})


def ways(memory: Description) -> str:
    """By which ways a memory was found: words, a topic or a date of the message."""
    return ", ".join(dict.fromkeys(way.partition(" ")[0] for way in memory["via"]))


def forget(layout: Layout, session: str, now: datetime.datetime) -> None:
    """Note that the model has nothing of it any more; a session that was given nothing has nothing to forget."""
    if before(layout, session):
        hosts.note(layout, session, FORGOTTEN, now)


def _mark(line: str) -> str:
    return digest(line.encode("utf-8", "surrogatepass"), 4)
