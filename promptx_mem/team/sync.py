"""sync: one memory for a team. The store stays what every command reads and writes (docs/sharing.md)."""

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from promptx_mem import session
from promptx_mem.core.text import plural
from promptx_mem.errors import BusyError, PromptxMemError, Refused
from promptx_mem.result import Result
from promptx_mem.search import current
from promptx_mem.search.memories import of_role
from promptx_mem.store import files, member_notes, members, settings
from promptx_mem.store.lock import Lock
from promptx_mem.store.settings import Binding
from promptx_mem.store.store import disk_errors
from promptx_mem.team import binding, notes, whose
from promptx_mem.team.apply import refresh
from promptx_mem.team.copy import Copy, adopt
from promptx_mem.team.counts import Counts, Refusal
from promptx_mem.team.exchange import Exchange
from promptx_mem.team.port import Server
from promptx_mem.usecases import index, limits

if TYPE_CHECKING:
    from promptx_mem.store.layout import Layout
    from promptx_mem.store.writer import Writer
    from promptx_mem.usecases.context import Context

LOCK_SECONDS = 10.0
_SHOWN = 5

Connect = Callable[[str, str], AbstractContextManager[Server]]
"""Opens a space of a server, given the DSN and its name."""


class Untaken(TypedDict):
    """A record that was not taken, which role put it there, and why."""

    id: str
    role: str
    why: str


class Sync(TypedDict, total=False):
    """What sync answers. `records`, `memories` and `bytes` are what the space holds; `sql` is there for --print-sql."""

    store: str
    space: str
    server: str
    role: str
    act: str
    done: str
    pushed: int
    pulled: int
    destroyed: int
    refused: list[Untaken]
    held: list[Untaken]
    purges_waiting: int
    purges_unfinished: int
    left: int
    behind: int
    ahead: int
    records: int
    memories: int
    bytes: int
    at: str | None
    sql: str


class Join(NamedTuple):
    """What is said before a store is bound: how many memories would be sent, and where to."""

    memories: int
    server: str
    space: str


def sync(context: "Context", connect: Connect, *, accept: bool = False) -> Result[Sync]:
    """Push what the server lacks, then pull. Raises UsageError, StoreError, Refused, BusyError.

    `accept` carries out many purges that came at once, which needs a person.
    """
    if accept:
        session.demand_person("--accept-purges", context.command("sync", "--accept-purges", user="--user"))
    bound = demand(context)
    with locked(context.layout), disk_errors():
        copy = _copy(context)
        with connect(bound.server, bound.space) as server:
            lost = whose.settle(context, copy, server)
            exchange = Exchange(context, copy, server, bound.space, accept=accept)
            counts, role = exchange.counts, server.role
            try:
                exchange.run()
            except BaseException:
                with contextlib.suppress(PromptxMemError, OSError):  # what stopped the exchange is to be told
                    _note(context, bound, counts)
                raise
            _note(context, bound, counts)
    data: Sync = {**place(context, bound), "act": "sync", "role": role, **_numbers(counts, exchange.state)}
    return Result(
        "sync",
        data,
        (*filter(None, (lost,)), *_warnings(context, counts, copy, exchange.state.left)),
        exit_status=int(_is_unfinished(counts)),
    )


def _note(context: "Context", bound: Binding, counts: Counts) -> None:
    if counts.pulled or counts.destroyed or counts.pushed:
        refresh(context, f"{bound.space}: sent {counts.pushed}, took {counts.pulled}")


def status(context: "Context", connect: Connect) -> Result[Sync]:
    """How far the copy is: what it lacks, what it has not sent, what waits."""
    bound = demand(context)
    with disk_errors():
        copy = Copy(context)
        _look(copy)
        state, sent = notes.read(context.layout), notes.sent(context.layout)
        with connect(bound.server, bound.space) as server:
            is_same = state.mark is not None and state.mark.server == server.life and state.space == bound.space
            mark = state.mark if is_same else None
            behind = sum(
                bool(row.record.data) and not copy.is_here(row.record.hash)
                for page in server.since(mark)
                for row in page.rows
            )
            if not is_same and not copy.is_whole:
                copy.look()
            ahead = [key for key in copy.records if key not in sent or not is_same]
            ahead_count = len(ahead) - len(server.have(ahead)) if ahead else 0
            size, role = server.size(), server.role
    data: Sync = {
        **place(context, bound), "act": "status", "role": role, "behind": behind, "ahead": ahead_count,
        "left": state.left, "purges_unfinished": len(state.doubtful),
        "held": [{"id": "", "role": "", "why": item} for item in sorted(state.held)],
        "records": size.records, "memories": size.lines, "bytes": size.bytes, "at": state.at or None,
    }  # fmt: skip
    return Result("sync", data)


def plan(context: "Context", bound: Binding) -> Join:
    """What a binding would send. Raises UsageError where this store may not go there."""
    binding.demand_fitting(context.layout, bound.space)
    _demand_own(context)
    with disk_errors():
        copy = Copy(context)
        copy.look()
    return Join(copy.lines(), bound.server, bound.space)


def join(context: "Context", connect: Connect, bound: Binding) -> Result[Sync]:
    """Bind a store, once the server has let this role in. Raises Refused without a person."""
    words = ("sync", "--join", bound.server, "--space", bound.space)
    session.demand_person("--join", context.command(*words, user="--user"))
    planned = plan(context, bound)
    with connect(bound.server, bound.space) as server:
        role = server.role
        if bound.space.startswith(binding.PERSONAL) and bound.space != f"{binding.PERSONAL}{role}":
            raise Refused(f"{bound.space} is another's own space", code="server_right", hint=f"--space user:{role}")
    with disk_errors():
        path = binding.note(context.layout, bound)
    data: Sync = {
        **place(context, bound), "act": "join", "role": role, "memories": planned.memories, "done": path,
    }  # fmt: skip
    return Result("sync", data)


def trust(context: "Context", role: str) -> Result[Sync]:
    """Take what a role wrote, and will write, as the user's own, in this copy. Raises Refused without a person."""
    session.demand_person("--trust", context.command("sync", "--trust", role, user="--user"))
    bound = demand(context)

    def work(writer: "Writer") -> None:
        member_notes.note(writer.layout, _own_words(writer, role))

    with disk_errors():
        context.store.write(work)
    _show_anew(context)
    return Result("sync", {**place(context, bound), "act": "trust", "role": role})


def _own_words(writer: "Writer", role: str) -> list[dict[str, str]]:
    """What is noted of a role; of memories that nobody knows who sent, each one as it says now."""
    if role != members.UNKNOWN:
        return [{"trust": role}]
    with current.open_current(writer.layout) as cache:
        return [members.of_own(state.entry) for state in of_role(cache, role)]


def demand(context: "Context") -> Binding:
    """Where the store goes. Raises UsageError where it is not bound, or may not go there."""
    context.demand_config()
    index.demand_store(context.layout)
    bound = binding.demand(context.layout)
    binding.demand_fitting(context.layout, bound.space)
    _demand_own(context)
    return bound


def _demand_own(context: "Context") -> None:
    index.demand_store(context.layout)
    if not context.origin.is_own:
        raise Refused(
            "this store came with the project: what somebody else has put into it is not sent in your name",
            code="foreign",
            hint="look at it first; if it is yours, in a terminal: promptx-mem init --trust",
        )


@contextlib.contextmanager
def locked(where: "Layout") -> Iterator[None]:
    """Hold the lock of `sync`: two of one copy go one after the other. Raises BusyError."""
    with disk_errors():
        files.make_directory(where.team, where.directory_mode)
    try:
        with Lock(where.sync_lock, where.mode).hold(LOCK_SECONDS):
            yield
    except BusyError as error:
        if error.message.startswith("another process holds the store"):
            raise BusyError("another sync of this store is under way", hint="try again") from None
        raise


def _copy(context: "Context") -> Copy:
    copy = Copy(context)
    context.store.write(lambda writer: adopt(context, writer))
    _look(copy)
    return copy


def _look(copy: Copy) -> None:
    state, sent = notes.read(copy.context.layout), notes.sent(copy.context.layout)
    if not copy.follow(state.seen, sent, {bytes.fromhex(item) for item in state.gone}):
        copy.look(sent)


def _show_anew(context: "Context") -> None:
    """Make cache and index anew: whose a memory is has changed, and no file of the two that the cache looks at."""
    from promptx_mem.search import build

    with disk_errors():
        build.remove_caches(context.layout)
    refresh(context)


def place(context: "Context", bound: Binding) -> Sync:
    from promptx_mem.team import dsn

    return {"store": context.layout.display(), "space": bound.space, "server": dsn.shown(bound.server)}


def _numbers(counts: Counts, state: notes.State) -> Sync:
    return {
        "pushed": counts.pushed, "pulled": counts.pulled, "destroyed": counts.destroyed,
        "refused": [_untaken(one) for one in counts.refused], "held": [_untaken(one) for one in counts.held],
        "purges_waiting": counts.waiting, "purges_unfinished": counts.remaining, "left": state.left,
        "at": state.at or None,
    }  # fmt: skip


def _untaken(refusal: Refusal) -> Untaken:
    return {"id": refusal.id, "role": refusal.role, "why": refusal.why}


def _is_unfinished(counts: Counts) -> bool:
    return bool(counts.remaining or counts.waiting)


def _warnings(context: "Context", counts: Counts, copy: Copy, left: int) -> "list[str]":
    out = list(context.config_warnings())
    if counts.remaining:
        records = plural(counts.remaining, "record")
        out.append(f"the server still has the bytes of {records} that were purged, until a role that may has synced")
    if counts.waiting:
        purges = plural(counts.waiting, "purge")
        out.append(f"{purges} came at once and wait, nothing was destroyed: promptx-mem sync --accept-purges")
    for what, refusals in (("not taken", counts.refused), ("held back", counts.held)):
        out += [f"{what}: {one.id} by {members.named(one.role)}: {one.why}" for one in refusals[:_SHOWN]]
        if len(refusals) > _SHOWN:
            out.append(f"{what}: {len(refusals) - _SHOWN} more")
    if left:
        rest = plural(left, "record")
        larger = settings.line_for(limits.sizes_told().most)
        ways = "; ".join(way for way in ("promptx-mem decay --compact makes room", larger) if way)
        out.append(f"{rest} of the space did not fit into four fifths of the store's limit, the oldest: {ways}")
    if copy.unsent:
        out.append(f"{plural(copy.unsent, 'line')} cannot be sent: too large, or not understood (audit --verify)")
    return out
