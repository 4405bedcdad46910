"""`sync`: one memory for a team. Other commands read and write the local store (docs/sharing.md)."""

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from promptx_mem import session
from promptx_mem.core.line import line_ranges
from promptx_mem.core.text import plural
from promptx_mem.errors import PromptxMemError, Refused, UsageError
from promptx_mem.record import TYPE_CHECKING, TypedDict
from promptx_mem.result import Result
from promptx_mem.search import build, current, pairs
from promptx_mem.search.pairs import of_role
from promptx_mem.store import append, archive, disk, members, rewrite, settings
from promptx_mem.store.append import Lock
from promptx_mem.store.disk import disk_errors
from promptx_mem.store.settings import Binding
from promptx_mem.team import notes, postgres
from promptx_mem.team.copy import Copy, adopt, refresh, settle, show_anew
from promptx_mem.team.exchange import Exchange, Untaken
from promptx_mem.team.port import JOIN
from promptx_mem.usecases import stores
from promptx_mem.usecases.limits import demand_config

if TYPE_CHECKING:
    from promptx_mem.store.layout import Layout
    from promptx_mem.store.writer import Writer
    from promptx_mem.usecases.context import Context

LOCK_SECONDS = 10.0
_SHOWN = 5

Connect = Callable[[str, str], AbstractContextManager[postgres.Postgres]]
"""A function that opens a space of a server, given the DSN and the name of the space."""


class Sync(TypedDict, total=False):
    """The answer of `sync`. `records`, `memories` and `bytes` describe the space. `sql` is for the task `admin sql`."""

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
    trusted: list[str]
    excluded: list[str]
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


def sync(context: "Context", connect: Connect, *, accept: bool = False) -> Result[Sync]:
    """Send the records that the server lacks, then receive new ones. Raises UsageError, StoreError, Refused, BusyError.

    With `accept`, purges are carried out even if many arrived at once. Only a person is allowed to do this.
    """
    if accept:
        session.demand_person("--accept-purges", context.command("sync", "--accept-purges", user="--user"))
    bound = demand(context)
    with locked(context.layout), disk_errors():
        context.store.write(lambda writer: adopt(context, writer))
        copy = Copy(context, set(notes.hashes(context.layout, notes.SENT)))
        with connect(bound.server, bound.space) as server:
            lost = settle(context, copy, server)
            exchange = Exchange(context, copy, server, bound.space, accept=accept)
            try:
                exchange.run()
            except BaseException:
                with contextlib.suppress(PromptxMemError, OSError):  # the error that stopped the exchange is reported
                    _note(context, bound, exchange)
                raise
            _note(context, bound, exchange)
    data: Sync = {
        **place(context, bound), "act": "sync", "role": server.role,
        "pushed": exchange.pushed, "pulled": exchange.pulled, "destroyed": exchange.destroyed,
        "refused": exchange.refused, "held": exchange.held,
        "purges_waiting": exchange.waiting, "purges_unfinished": exchange.remaining, "left": exchange.state.left,
        "at": exchange.state.at or None,
    }  # fmt: skip
    warnings = (*filter(None, (lost,)), *_warnings(context, exchange))
    return Result("sync", data, warnings, exit_status=int(bool(exchange.remaining or exchange.waiting)))


def _note(context: "Context", bound: Binding, exchange: Exchange) -> None:
    if exchange.pulled or exchange.destroyed or exchange.pushed:
        refresh(context, f"{bound.space}: sent {exchange.pushed}, received {exchange.pulled}")


def status(context: "Context", connect: Connect) -> Result[Sync]:
    """Compare this copy with the server: count the records that the copy lacks, has not sent, or holds back."""
    bound = demand(context)
    with disk_errors():
        state, sent = notes.read(context.layout), set(notes.hashes(context.layout, notes.SENT))
        copy = Copy(context, sent)
        with connect(bound.server, bound.space) as server:
            is_same = state.mark is not None and state.mark.server == server.life and state.space == bound.space
            rows = (row for page in server.since(state.mark if is_same else None) for row in page.rows)
            behind = sum(bool(row.data) and row.hash not in copy.records for row in rows)
            size, role, noted = server.size(), server.role, members.read(context.layout)
            had = sent if is_same else set[bytes]()
            ahead = [
                key for key, one in copy.records.items() if key not in had and copy.may_send(one, noted, role, had)
            ]
            ahead_count = len(ahead) - len(server.have(ahead)) if ahead else 0
            held = list(server.find(hashes=[bytes.fromhex(item) for item in sorted(state.held)]))
    data: Sync = {
        **place(context, bound), "act": "status", "role": role, "behind": behind, "ahead": ahead_count,
        "left": state.left, "purges_unfinished": len(state.doubtful),
        "trusted": sorted(noted.trusted), "excluded": sorted(state.without),
        "held": [{"id": row.id, "role": row.role, "why": "promptx-mem sync shows the reason"} for row in held],
        "records": size.records, "memories": size.lines, "bytes": size.bytes, "at": state.at or None,
    }  # fmt: skip
    return Result("sync", data)


def plan(context: "Context", bound: Binding) -> int:
    """Return how many memories would be sent to a space. Raises UsageError if the store must not use this space."""
    notes.demand_fitting(context.layout, bound.space)
    stores.demand_store(context)
    _demand_own(context)
    with disk_errors():
        copy, noted, role = Copy(context), members.read(context.layout), postgres.parse(bound.server).get("user", "")
        return sum(any(copy.may_send(line, noted, role, ()) for line in lines) for lines in copy.ids.values())


def join(context: "Context", connect: Connect, bound: Binding) -> Result[Sync]:
    """Connect a store to a space, if the server accepts this user's role. Raises Refused unless a person runs this."""
    words = ("sync", "--join", bound.server, "--space", bound.space)
    session.demand_person("--join", context.command(*words, user="--user"))
    count = plan(context, bound)
    with connect(bound.server, bound.space) as server:
        role = server.role
    with disk_errors():
        path = notes.note(context.layout, bound)
    return Result("sync", {**place(context, bound), "act": "join", "role": role, "memories": count, "done": path})


def trust(context: "Context", role: str) -> Result[Sync]:
    """Mark a role's memories as the user's own in this copy. Future ones are too, except of UNKNOWN.

    Raises Refused unless a person runs this.
    """
    session.demand_person("--trust", context.command("sync", "--trust", role, user="--user"))
    bound = demand(context)

    _demand_known(context, role)

    def work(writer: "Writer") -> None:
        records = [{"trust": role}]
        if role == members.UNKNOWN:  # the authors are unknown, so the present text of each memory is trusted
            with current.open_current(writer.layout) as cache:
                records = [*map(members.own_record, pairs.entries(cache, of_role(cache, role)))]
        members.note(writer.layout, records)

    with locked(context.layout), disk_errors():
        state = notes.read(context.layout)
        if role in state.without:  # the next exchange receives the role's memories again
            state.without.discard(role)
            state.mark = None
            notes.write(context.layout, state)
        context.store.write(work)
        show_anew(context)
    return Result("sync", {**place(context, bound), "act": "trust", "role": role})


def _demand_known(context: "Context", role: str) -> None:
    """Raise UsageError if no memory of a role was received."""
    known = {*members.read(context.layout).lines.values(), *notes.read(context.layout).without, members.UNKNOWN}
    if role not in known:
        named = ", ".join(sorted(known - {members.UNKNOWN})) or "none"
        raise UsageError(f"no memory of {role} was received", hint=f"roles with received memories: {named}")


def demand(context: "Context") -> Binding:
    """Return the store's binding to a space.

    Raises UsageError for a missing binding or a wrong space, Refused for an untrusted store.
    """
    demand_config(context)
    stores.demand_store(context)
    if (bound := notes.of(context.layout)) is None:
        message = f"{context.path} is not connected to a server, so nothing is sent"
        raise UsageError(message, code="not_joined", hint=JOIN)
    notes.demand_fitting(context.layout, bound.space)
    _demand_own(context)
    return bound


def _demand_own(context: "Context") -> None:
    if not context.origin.is_own:
        raise Refused(
            "this store came with the project's repository, so its memories are not sent in your name",
            code="foreign",
            hint="look at the memories first; if they are yours, run in a terminal: promptx-mem init --trust",
        )


@contextlib.contextmanager
def locked(where: "Layout") -> Iterator[None]:
    """Hold the lock of `sync`, so that two runs in one copy wait for each other. Raises BusyError."""
    with disk_errors():
        disk.make_directory(where.team, where.directory_mode)
    with Lock(where.sync_lock, where.mode).hold(LOCK_SECONDS):
        yield


def place(context: "Context", bound: Binding) -> Sync:
    return {"store": context.path, "space": bound.space, "server": postgres.shown(bound.server)}


def _warnings(context: "Context", exchange: Exchange) -> list[str]:
    out = list(context.config_warnings())
    if exchange.remaining:
        records = plural(exchange.remaining, "record")
        out.append(
            f"the server still has the purged texts of {records}: a keeper role removes them with promptx-mem sync"
        )
    if exchange.waiting:
        purges = plural(exchange.waiting, "purge")
        out.append(
            f"{purges} arrived at once and were not carried out; to allow them: promptx-mem sync --accept-purges"
        )
    for what, refusals in (("refused", exchange.refused), ("held back", exchange.held)):
        out += [f"{what}: {one['id']} by {members.role_label(one['role'])}: {one['why']}" for one in refusals[:_SHOWN]]
        if len(refusals) > _SHOWN:
            out.append(f"{what}: {len(refusals) - _SHOWN} more")
    if exchange.state.left:
        rest = plural(exchange.state.left, "record")
        larger = settings.size_instruction(settings.most_bytes(lenient=True))
        ways = "; ".join(way for way in ("promptx-mem decay --compact makes room", larger) if way)
        out.append(
            f"the oldest {rest} of the space did not fit: received records fill at most 80 % of the store; {ways}"
        )
    if exchange.copy.unsent:
        unsent = plural(exchange.copy.unsent, "record")
        out.append(f"{unsent} not sent, because too large or invalid; to list them: promptx-mem audit --verify")
    return out


def without(context: "Context", connect: Connect, role: str) -> Result[Sync]:
    """Remove the memories of a role from every file, and exclude the role from later exchanges.

    Raises Refused unless a person runs this.
    """
    session.demand_person("--without", context.command("sync", "--without", role, user="--user"))
    bound = demand(context)
    with locked(context.layout), disk_errors():
        with connect(bound.server, bound.space) as server:
            if role == server.role:
                raise UsageError(
                    "--without cannot name your own role", hint="to end a memory, usage: promptx-mem forget <id>"
                )
            lines = {row.data for page in server.since(None) for row in page.rows if row.role == role}
        if not lines:
            _demand_known(context, role)
        # The exclusion is recorded first, so that no later exchange brings removed memories back.
        state = notes.read(context.layout)
        state.space = state.space or bound.space
        state.without.add(role)
        notes.write(context.layout, state)
        count = context.store.write(lambda writer: _take_out(writer, lines))
        refresh(context)
    done = plural(count, "record")
    return Result("sync", {**place(context, bound), "act": "without", "role": role, "done": done})


def _take_out(writer: "Writer", lines: set[bytes]) -> int:
    where = writer.layout
    rewrite.recover(where)
    build.remove_caches(where)  # an old cache or .recent would report the lines as lost
    rewrite.clean_recent(where, *[lambda line: line.encode() not in lines] * 2)
    count = 0
    for name in archive.names(where):
        data = archive.read_permitted(where, name)
        if ranges := _ranges(data, lines):
            archive.replace(where, name, rewrite.cut(data, ranges))
            count += len(ranges)
    for path in (where.journal, where.declarative):
        data = append.read_settled(where, path)
        if ranges := _ranges(data, lines):
            writer.take_out(path, data, ranges)
            count += len(ranges)
    return count


def _ranges(data: bytes, lines: set[bytes]) -> list[tuple[int, int]]:
    return [(start, stop) for raw, start, stop in line_ranges(data) if raw and raw.rstrip(b"\r") in lines]
