"""move: a memory from one of two stores to the other; first it is there, durably, then it ends here.

Killed in between it is in both, which a recall shows once; the same command again ends it here. One lock after the
other.
"""

from typing import TYPE_CHECKING, NamedTuple, TypedDict

from promptx_mem.core.decay import LASTING
from promptx_mem.core.entry import Entry
from promptx_mem.core.events import line_key
from promptx_mem.core.ids import make_id
from promptx_mem.core.journal import Event
from promptx_mem.core.line import format_line
from promptx_mem.core.origin import FACT, OWN
from promptx_mem.core.state import State, lives
from promptx_mem.errors import Refused, StoreError
from promptx_mem.result import Result
from promptx_mem.search import current, lines
from promptx_mem.store import creation
from promptx_mem.store.store import disk_errors
from promptx_mem.usecases import confirmation, limits
from promptx_mem.usecases.change import LockedStore, hold
from promptx_mem.usecases.init import is_shared

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context

_OF_A_PERSON = frozenset({"verified", "promoted", "confirmed"})
_STAY = frozenset({"restored", "purged", "forgotten", "deleted"})
"""Events that say what had ended and came back here: what moves lives."""


class Move(TypedDict, total=False):
    """What move answers: where the memory is now, and where it has ended."""

    store: str
    scope: str
    made_store: str | None
    id: str
    text: str
    source: str
    note: str | None


class _Moved(NamedTuple):
    """A memory as it is to stand in the other store."""

    entry: Entry
    events: tuple[Event, ...]
    foreign: bool


def move(source: "Context | None", target: "Context | None", ident: str) -> Result[Move]:
    """Raises StoreError where there is no such store, NotFoundError, Refused for what cannot be moved."""
    if source is None or target is None or not source.layout.exists():
        raise StoreError(
            "there are no two stores here to move a memory between",
            code="no_store",
            hint="the user's own: promptx-mem init --user; a project's: promptx-mem init",
        )
    source.demand_config()
    target.demand_config()
    moved, state = _departure(source, target, ident)
    if not target.layout.exists():
        with disk_errors():
            target.store.layout = creation.create(target.layout)
    result = hold(target, lambda store: _merged(store, moved))
    hold(source, lambda store: _ended(store, state.entry.id, target))
    shared = is_shared(source.layout)
    note = f"{source.layout.display()} is shared: there it has ended for all who share it" if shared else None
    data: Move = {**result.data, "source": source.layout.display(), "note": note}
    return Result("move", data, result.warnings)


def _departure(source: "Context", target: "Context", ident: str) -> tuple[_Moved, State]:
    results: list[tuple[_Moved, State]] = []

    def work(store: LockedStore) -> Result[Move]:
        state = store.lookup.by_id(ident)
        now = source.now().timestamp()
        store.lookup.refuse_superseded(state, now, f"move ID --{target.scope}")
        if not lives(state, now):
            raise Refused(
                f"{state.entry.id} has ended ({state.end})",
                code="ended",
                hint=f"promptx-mem restore {state.entry.id} --scope {source.scope}",
            )
        if state.entry.slice is not None or state.category == "episode":
            raise Refused(
                f"{state.entry.id} belongs to a conversation, which stays where it was held",
                code="episode",
                hint="store what is to be kept of it as a fact of its own",
            )
        results.append((_as_it_goes(source, target, state, lines.events(store.cache, state.entry.id)), state))
        return Result("move", {})

    hold(source, work)
    return results[0]


def _as_it_goes(source: "Context", target: "Context", state: State, events: list[Event]) -> _Moved:
    """Nothing that names another memory goes along; of a clone's nothing that lifts it, nor what only a person says."""
    foreign = source.origin.of(state.origin) != OWN
    unsaid = target.layout.is_user and not confirmation.is_person(target)
    entry = state.entry._replace(tags=state.tags, supersedes=None, unconfirmed=confirmation.mark(target))
    without = _STAY | (_OF_A_PERSON if unsaid else {"confirmed"})
    if foreign:
        category = FACT if state.category in LASTING else state.category
        return _Moved(entry._replace(category=category, verified=False, source="user", k=None), (), foreign)
    if unsaid:
        entry = entry._replace(verified=False)
    own = (event for event in events if event.kind not in without and entry.id in event.ids)
    history = tuple(event._replace(ids=(entry.id,), supersedes=()) for event in own)
    return _Moved(entry, history, foreign)


def _merged(store: LockedStore, moved: _Moved) -> Result[Move]:
    """Bring it in: a new line with its events, or, where the text is known, what makes that one like it."""
    entry, writer = moved.entry, store.writer
    limits.check_size(store.context, writer, len(entry.text.encode("utf-8", "replace")) + limits.LINE_EXTRA)
    same = store.lookup.by_text(entry.text)
    if same is None and entry.id in lines.purged(store.cache):
        raise Refused(
            f"{entry.id} was purged there, and stays so",
            code="purged",
            hint="to store it there all the same: promptx-mem remember",
        )
    ident = same.entry.id if same else _free(store, entry)
    events = [event._replace(ids=(ident,)) for event in moved.events]
    if same is not None and same.entry.at != entry.at:  # else it is its own line, from before a move was cut short
        events.append(_again(entry, ident, store.context.host()))
    if same is not None and same.is_waiting and entry.unconfirmed is None:
        events.append(store.event("confirmed", same))
    present = set(lines.events(store.cache, ident))
    writer.add_raw(
        events="".join(f"{_format(event)}\n" for event in events if event not in present).encode(),
        lines=b"" if same else f"{format_line(entry._replace(id=ident))}\n".encode(),
    )
    current.catch_up(store.cache, writer)
    state = store.lookup.state(ident)
    late = (
        []
        if state is None or lives(state, store.context.now().timestamp())
        else [store.event("restored", state, score=entry.score)]
    )
    if moved.foreign and state is not None and same is None:
        late.append(store.event("imported", state, reason="moved from a store that came with a clone"))
    store.commit("move", late, verdict="repeated" if same else "stored", id=ident)
    context = store.context
    data: Move = {"store": context.layout.display(), "scope": context.scope, "id": ident, "text": entry.text}
    warnings = (confirmation.WAITS,) if entry.unconfirmed is not None and (state is None or state.is_waiting) else ()
    return Result("move", data, warnings)


def _again(entry: Entry, ident: str, host: str) -> Event:
    """That the text was stored again, at its own time: the same event whenever the move is tried again."""
    return Event(
        k=line_key(entry), host=host, at=entry.at or "", kind="repeated", ids=(ident,),
        score=entry.score, duration=entry.duration, tags=entry.tags,
    )  # fmt: skip


def _free(store: LockedStore, entry: Entry) -> str:
    """The id of its text; salted where an edited memory has taken it."""
    salt = 0
    while store.lookup.state(make_id(entry.text, salt)) is not None:
        salt += 1
    return make_id(entry.text, salt)


def _format(event: Event) -> str:
    from promptx_mem.core.journal import format_event

    return format_event(event)


def _ended(store: LockedStore, ident: str, target: "Context") -> Result[Move]:
    state = store.lookup.by_id(ident)
    if lives(state, store.context.now().timestamp()):
        where = "the user store" if target.layout.is_user else "a project's store"
        store.commit("move", [store.event("forgotten", state, reason=f"moved to {where}")], verdict="moved", id=ident)
    return Result("move", {})
