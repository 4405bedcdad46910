"""Commands use the local store; sync exchanges memories with the server (docs/sharing.md).

Tasks of the server's administrator: sync admin setup DSN; sync admin grant ROLE DSN --space NAME; sync admin
revoke ROLE DSN; sync admin derive DSN --space NAME; sync admin sql.

A password comes from ~/.pgpass, PGPASSWORD or a certificate, never from the DSN.
"""

from promptx_mem import session
from promptx_mem.cli import usage
from promptx_mem.cli.options import NONE_GIVEN, Argument, Common, Option, Word, Words
from promptx_mem.cli.output import local
from promptx_mem.core.state import USER
from promptx_mem.core.text import plural
from promptx_mem.errors import Refused, UsageError
from promptx_mem.memory import Memory
from promptx_mem.record import Annotated
from promptx_mem.result import Result
from promptx_mem.store.settings import Binding
from promptx_mem.team import administration, notes, sync
from promptx_mem.team.port import JOIN
from promptx_mem.team.sync import Sync
from promptx_mem.usecases.context import Context


def command(
    task: Annotated[Words, Argument("A task of the server's administrator.", metavar="[admin TASK...]")] = (),
    join: Annotated[
        Word, Option("Connect this store to a space on a server. Only at a terminal.", metavar="DSN")
    ] = None,
    space: Annotated[Word, Option("With --join or admin: the name of the space.", metavar="NAME")] = None,
    status: Annotated[bool, Option("Show how far this store and the server differ.")] = False,
    accept_purges: Annotated[bool, Option("Allow more than 20 purges, and the end of your core memories.")] = False,
    trust: Annotated[Word, Option("Trust the memories that a role sent. Only at a terminal.", metavar="ROLE")] = None,
    without_: Annotated[
        Word, Option("Remove a role's memories from this store. Only at a terminal.", metavar="ROLE")
    ] = None,
    as_: Annotated[
        Word,
        Option("The new role's right, for `admin grant`: keeper (erases purged texts) or indexer.", metavar="KIND"),
    ] = None,
    common: Common = NONE_GIVEN,
) -> Result[Sync]:
    acts = {
        "--join": join, "--status": status, "--trust": trust, "--without": without_, "--accept-purges": accept_purges,
    }  # fmt: skip
    named = [name for name, value in acts.items() if value]
    if len(named) + bool(task) > 1:
        raise UsageError(f"{', '.join([*task[:1], *named])} cannot be combined", hint="give one of them")
    if task:
        return administration.administer(task, space, as_)
    if as_:
        raise UsageError("--as is only for sync admin grant", hint=administration.USAGE)
    if common.scope == USER:
        usage.demand_allowed("--user")
        memory = common.opened_to_write(Memory)
    else:
        scope = None if common.memory_dir else "project"
        memory = Memory.open(common.memory_dir, common.session, scope) if join else common.memory(scope=scope)
    context = memory.context
    if join:
        common.demand_known(memory)
        return _join(context, join, space, ask=not common.json)
    if trust:
        if session.is_person():
            from promptx_mem.cli.terminal import demand_typed_name

            question = f"Your agents will read the memories of {trust} as your own notes."
            demand_typed_name(question, context.layout.name, f"{trust} was not trusted")
        return sync.trust(context, trust)
    from promptx_mem.team.postgres import connect

    if without_:
        return sync.without(context, connect, without_)
    return sync.status(context, connect) if status else sync.sync(context, connect, accept=accept_purges)


def _join(context: Context, dsn: str, space: str | None, *, ask: bool) -> Result[Sync]:
    if not space:
        raise UsageError("the space is missing", hint=JOIN)
    from promptx_mem.team import postgres as servers

    servers.parse(dsn)
    if ask and session.is_person():
        from promptx_mem.cli.terminal import confirmed

        memories = plural(sync.plan(context, Binding(dsn, space)), "memory", "memories")
        question = f"Send {memories} of {context.path} to {space} ({servers.shown(dsn)})?"
        if (left := notes.of(context.layout)) and left != Binding(dsn, space):
            question = f"This store leaves {left.space} ({servers.shown(left.server)}). {question}"
        if not confirmed(question, err=True):
            raise Refused("the store was not connected, and nothing was sent", code="not_confirmed")
    return sync.join(context, servers.connect, Binding(dsn, space))


def as_text(data: Sync) -> str:
    return data["sql"] or local(_done(data))


def _done(data: Sync) -> str:
    if data["act"] in ("sql", "setup", "grant", "revoke", "derive"):
        return f"{data['done']}\n"
    place, memories = f"{data['space']} ({data['server']})", plural(data["memories"], "memory", "memories")
    if data["act"] == "join":
        return (
            f"{data['store']} is connected to {place}, with {memories} to send: promptx-mem sync\n"
            f"   the connection is recorded in {data['done']}\n"
        )
    if data["act"] == "trust":
        return f"trusted {data['role']} in {data['store']}\n"
    if data["act"] == "without":
        return f"{data['done']} of {data['role']} removed from {data['store']}; new ones will not be accepted\n"
    if data["act"] == "status":
        return _status(data, place, memories)
    parts = [f"sent {data['pushed']}", f"received {data['pulled']}"]
    if data["destroyed"]:
        parts.append(f"destroyed {plural(data['destroyed'], 'purged memory', 'purged memories')}")
    if data["left"]:
        parts.append(f"left out {data['left']} that do not fit into this store")
    return f"{', '.join(parts)}: {place}\n"


def _status(data: Sync, place: str, memories: str) -> str:
    records = plural(data["records"], "record")
    rows = [
        f"{place}, as {data['role']}",
        f"{data['behind']} to receive, {data['ahead']} to send, {len(data['held'])} held back, {data['left']} left out",
        f"the space has {memories} in {records}, {plural(data['bytes'], 'byte')}",
        f"last sync: {data['at'] or 'never'}",
    ]
    rows += [f"{name}: {', '.join(data[name])}" for name in ("trusted", "excluded") if data[name]]
    if data["purges_unfinished"]:
        rows.append(f"purges whose text could still be on the server: {data['purges_unfinished']}")
    return "".join(f"{row}\n" for row in rows)
