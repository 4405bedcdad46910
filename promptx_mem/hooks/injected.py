"""Records of memories that hooks injected in a session, and of warnings about untrusted stores."""

import datetime
from collections.abc import Iterable

from promptx_mem.core.ids import line_mark, text_mark
from promptx_mem.record import TYPE_CHECKING, NamedTuple
from promptx_mem.store import hosts
from promptx_mem.store.layout import Layout

if TYPE_CHECKING:
    from promptx_mem.core.description import Description
    from promptx_mem.hooks.host import Event
    from promptx_mem.memory import Memory

FORGOTTEN = "compacted"
MAX_SESSION = 3_000
"""Maximum tokens of the memories that hooks add in one session, except the index and warnings."""


def _records(layout: Layout, session: str) -> list[hosts.Record]:
    """Return the records of a session since the last compaction."""
    records = hosts.events(layout, session)
    last = max((number for number, record in enumerate(records, 1) if record.get("e") == FORGOTTEN), default=0)
    return records[last:]


def _is_given(record: hosts.Record) -> bool:
    return record.get("e") == hosts.GIVEN and isinstance(record.get("ids"), dict)


def before(layout: Layout, session: str, *, since_start: bool = False) -> dict[str, str]:
    """Return the ids of memories in the model's context, except cut ones, with hashes of the injected text and tags.

    With `since_start`, return nothing if the context lacks the text of `hook start`.
    """
    records = _records(layout, session)
    if since_start and not any(record.get("hook") == "start" for record in records):
        return {}
    given = (record["ids"].items() for record in records if _is_given(record))
    return {ident: mark for ids in given for ident, mark in ids if mark and isinstance(mark, str)}


class Spent(NamedTuple):
    """The memories injected in a session, except at its start.

    `given` are ids of memories, `warned` of memories in warnings. `act` is the number of tokens injected at tool
    calls, `every` at messages and tool calls.
    """

    given: frozenset[str] = frozenset()
    warned: frozenset[str] = frozenset()
    act: int = 0
    every: int = 0


def spent(layout: Layout, session: str) -> Spent:
    """Return what was injected; in `given` only since the last compaction: earlier memories can be injected again."""
    records = list(filter(_is_after_start, hosts.events(layout, session)))
    sizes = [(record.get("hook") == "act", n) for record in records if isinstance(n := record.get("tokens"), int)]
    warned = _ids(filter(_is_warning, records))
    given = _ids(record for record in _records(layout, session) if not _is_warning(record))
    every = sum(number for _, number in sizes)
    return Spent(frozenset(given), frozenset(warned), sum(number for is_act, number in sizes if is_act), every)


def _is_after_start(record: hosts.Record) -> bool:
    """Return whether a record has memories that were injected at a message or a tool call."""
    return _is_given(record) and record.get("hook") != "start"


def _is_warning(record: hosts.Record) -> bool:
    return "warning" in (record.get("via") or {}).values()


def _ids(records: Iterable[hosts.Record]) -> list[str]:
    return [str(ident) for record in filter(_is_after_start, records) for ident in record["ids"]]


def is_new(memory: "Description", marks: dict[str, str]) -> bool:
    """Return whether a memory was not yet injected with its present text. `marks` has the hashes from `before`."""
    if (earlier := marks.get(memory["id"])) is None:
        return True
    from promptx_mem.core.digest import whole_line

    line = whole_line(memory["text"], memory["tags"], memory["id"])
    return earlier not in (text_mark(memory["text"], memory["tags"]), line_mark(line))


def note(
    layout: Layout,
    session: str,
    hook: str,
    marks: dict[str, str],
    now: datetime.datetime,
    via: dict[str, str] | None = None,
    tokens: int = 0,
) -> None:
    """Record the memories that a hook injected (hashes by id), how each was found (`via`), and the token count."""
    if marks:
        ways: dict[str, object] = ({"via": via} if via else {}) | ({"tokens": tokens} if tokens else {})
        hosts.note(layout, session, hosts.GIVEN, now, {"hook": hook, "ids": marks, **ways})


def ways(memory: "Description") -> str:
    """Return the ways in which a memory was found, such as "words, topic" or "rule"."""
    return ", ".join(dict.fromkeys(way.partition(" ")[0] for way in memory["via"]))


def forget(layout: Layout, session: str, now: datetime.datetime) -> None:
    """Record that the model's context no longer contains the injected memories. If there are none, do nothing."""
    if before(layout, session):
        hosts.note(layout, session, FORGOTTEN, now)


_WARNED = "warned"


def of_untrusted(event: "Event", memory: "Memory", *, is_start: bool = False) -> str:
    """Return the warning about an untrusted store, if any; empty at a message if the context already has the warning.

    Record the warning in the user's state folder, but not at the start of a subagent.
    """
    foreign = [one for one in memory.context.both() if not one.origin.is_own]
    if not foreign or (not is_start and event.prompt.strip()[:1] in ("", "/")):
        return ""
    (line,) = next(notice for context in foreign if (notice := context.origin.notice()))
    from promptx_mem.store import outside

    folder = None if is_start and event.agent else outside.folder()
    if event.session and folder:
        place, now = Layout(folder), memory.context.now()
        name = event.record(now)
        if not is_start and any(record.get("e") == _WARNED for record in _records(place, name)):
            return ""
        hosts.note(place, name, _WARNED, now)
    return event.ways.named(f"{line[0].upper()}{line[1:]}")
