"""forget --conversation: hide or destroy the messages of a session or a day, and the memories made from them.

To hide them, their episodes are forgotten; waiting messages are rolled up first, without a judge, so that `restore` has
a memory to bring back. To destroy them, the words are removed and the hosts' ids of the messages stay: messages that a
transcript still has are not stored again.
"""

import datetime
from functools import partial

from promptx_mem import session
from promptx_mem.core.credentials import demand_no_credential
from promptx_mem.core.dates import parse_date_cue
from promptx_mem.core.journal import Event, format_event
from promptx_mem.core.slices import Message, Slice, Unit, is_unit
from promptx_mem.core.state import State, has_lapsed, lives
from promptx_mem.core.text import clean, shorten
from promptx_mem.core.times import epoch
from promptx_mem.errors import NotFoundError, UsageError
from promptx_mem.record import TYPE_CHECKING, NamedTuple
from promptx_mem.result import Result
from promptx_mem.search import current
from promptx_mem.store import conversations, episodes, intent, layout
from promptx_mem.store.store import disk_errors
from promptx_mem.store.writer import Writer
from promptx_mem.usecases import index, purge, retention, rollup
from promptx_mem.usecases.change import Forget, LockedStore, hold
from promptx_mem.usecases.lookup import Lookup
from promptx_mem.usecases.purge import REDACTED

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context


_NAMES = "the current conversation's name is the `unit` of: promptx-mem converse --show --json"
_THERE = "to list them: promptx-mem recall --category episode --archived"


class _Part(NamedTuple):
    """A part of a unit: slices, and messages without a slice, by their numbers."""

    unit: Unit
    slices: list[int]
    waiting: list[int]

    def size(self) -> int:
        """Return the number of messages, without those purged earlier."""
        numbers = {number for part in self.slices for number in self.unit.numbers(self.unit.slices[part])}
        return sum(self.unit.messages[number].text != REDACTED for number in numbers | set(self.waiting))


def forget(context: "Context", named: str, reason: str | None) -> Result[Forget]:
    """End the memories of a conversation; `restore` brings one back. Raises NotFoundError, UsageError."""
    demand_no_credential("--reason", reason)
    context.demand_config()
    index.demand_store(context.layout)
    for part in _parts(context, named):
        if part.waiting or part.unit.unfinished():
            rollup.roll(context, part.unit.id, is_over=bool(part.waiting), asking=False)

    def work(store: LockedStore) -> Result[Forget]:
        parts = _parts(context, named)
        ids = [ident for part in parts for number, ident in part.unit.episodes.items() if number in part.slices]
        states = [
            state for ident in ids if (state := store.lookup.state(ident)) is not None and _is_there(context, state)
        ]
        why = clean(reason or "") or None
        for state in states:
            store.commit(
                "forget", [store.event("forgotten", state, reason=why)], verdict="forgotten", id=state.entry.id
            )
        return _result(context, named, parts, [state.entry.id for state in states], "forgotten")

    return hold(context, work)


def destroy(context: "Context", named: str) -> Result[Forget]:
    """Destroy messages, and the episodes made from them, in every file.

    Raises as `forget` does, and Refused without a person.
    """
    session.demand_person("a purge", context.command("forget", "--conversation", named, "--purge"))
    context.demand_config()
    index.demand_store(context.layout)
    for part in _parts(context, named):
        if part.unit.unfinished():
            context.store.write(partial(rollup.finish, context, part.unit.id))
    result = context.store.write(lambda writer: _destroy(context, writer, named))
    with disk_errors():
        for member in context.both():
            purge.without_page(member.layout)
    return result


def _destroy(context: "Context", writer: Writer, named: str) -> Result[Forget]:
    where = writer.layout
    layout.demand_nothing(where)
    parts = _parts(context, named)
    ids = [ident for part in parts for number, ident in part.unit.episodes.items() if number in part.slices]
    texts = {entry.text for entry, _, _ in episodes.parse(episodes.read(where)) if entry.id in ids}
    events: list[Event] = []
    if ids:
        with current.open_current(where) as cache:
            texts |= {state.entry.text for ident in ids if (state := cache.state(ident)) is not None}
            events = retention.purges(Lookup(context, cache), sorted(set(ids)))
    units = tuple((part.unit.id, tuple(part.slices), tuple(part.waiting)) for part in parts)
    purge.begin(where, purge.Unfinished(tuple(map(format_event, events)), units))
    if events:
        writer.add_events(events)
    with purge.named_as_purged(named):
        touched = purge.redact_parts(where, units)
        touched += purge.clean_texts(writer, set(ids), texts)
        purge.end(where)
    if ids:
        context.note(writer, "forget", *({"id": ident} for ident in ids), verdict="purged")
    purge.refresh_index(context)
    result = _result(context, named, parts, ids, "purged")
    warnings = (index.BEHIND,) if intent.is_behind(where) else ()
    return result._replace(data={**result.data, "files": list(dict.fromkeys(touched))}, warnings=warnings)


def _result(context: "Context", named: str, parts: list[_Part], ids: list[str], end: str) -> Result[Forget]:
    data: Forget = {
        "store": context.layout.display(),
        "text": named,
        "end": end,
        "files": [],
        "conversations": [part.unit.id for part in parts],
        "messages": sum(part.size() for part in parts),
        "ids": ids,
    }
    return Result("forget", data)


def _is_there(context: "Context", state: State) -> bool:
    """Return whether a memory can still be found: it is active, or ended only by time."""
    return lives(state, context.now().timestamp()) or has_lapsed(state)


def _parts(context: "Context", named: str) -> list[_Part]:
    """Return the parts for the name of a unit, or for a date. Raises NotFoundError, UsageError."""
    where = context.layout
    names = conversations.every_unit(where)
    if is_unit(named) and named in names:
        unit = conversations.read(where, named)
        parts = [_Part(unit, sorted(unit.slices), sorted(unit.waiting()))]
    else:
        span = _span(named, context.now())
        parts = [_of_day(conversations.read(where, name), span) for name in names]
    parts = [part for part in parts if part.slices or part.waiting]
    if not parts:
        raise NotFoundError(f"no messages are stored for {shorten(named, 40)!r}", hint=_THERE)
    return parts


def _span(named: str, now: datetime.datetime) -> tuple[float, float]:
    try:
        start, end = parse_date_cue(named, now)
    except ValueError as error:
        problem = f"{shorten(named, 40)!r} is not a stored conversation"
        if named.startswith("u_"):
            raise NotFoundError(problem, hint=_NAMES) from None
        raise UsageError(f"{problem}, nor a date: {error}", hint=_NAMES) from None
    return start.timestamp(), end.timestamp()


def _of_day(unit: Unit, span: tuple[float, float]) -> _Part:
    """Return the part of a unit from a span of time: whole slices, and all waiting messages if some are from then."""

    def is_in(message: Message) -> bool:
        return span[0] <= message.times()[0] < span[1]

    def is_meant(part: Slice) -> bool:
        messages = unit.of(part)
        return any(map(is_in, messages)) or (not messages and span[0] <= epoch(part.at) < span[1])

    waiting = unit.waiting()
    slices = sorted(number for number, part in unit.slices.items() if is_meant(part))
    return _Part(unit, slices, sorted(waiting) if any(map(is_in, waiting.values())) else [])
