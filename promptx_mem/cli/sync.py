"""The store stays what every command reads and writes; the server is where it meets the others' (docs/team.md).

A password comes from where libpq takes it (~/.pgpass, PGPASSWORD, a certificate), never from the DSN.
"""

from typing import Annotated

from promptx_mem import session
from promptx_mem.cli.options import NONE_GIVEN, Common, Option
from promptx_mem.core.origin import USER
from promptx_mem.core.text import plural
from promptx_mem.errors import UsageError
from promptx_mem.memory import Memory
from promptx_mem.result import Result
from promptx_mem.store.settings import Binding
from promptx_mem.team import administration, sync, without
from promptx_mem.team.sync import Sync
from promptx_mem.usecases.context import Context

_EXAMPLE = "promptx-mem sync --join 'host=db.example.org dbname=memory user=alice' --space team"


def command(
    join: Annotated[
        str | None, Option(metavar="DSN", help="Bind this store to a space of a server, once, at a terminal.")
    ] = None,
    space: Annotated[
        str | None, Option(metavar="NAME", help="The space, with --join, --grant, --revoke or --derive.")
    ] = None,
    status: Annotated[bool, Option("--status", help="Say how far the two are apart; send and take nothing.")] = False,
    accept_purges: Annotated[
        bool, Option("--accept-purges", help="Destroy what more than 20 purges name that came at once.")
    ] = False,
    trust: Annotated[
        str | None, Option(metavar="ROLE", help="Take what a role wrote as your own, at a terminal.")
    ] = None,
    without_: Annotated[
        str | None, Option("--without", metavar="ROLE", help="Leave out what a role wrote, in this copy.")
    ] = None,
    setup: Annotated[
        str | None, Option(metavar="DSN", help="Make the tables, or bring them up to date: for who runs the server.")
    ] = None,
    sql: Annotated[bool, Option("--sql", help="Print what --setup would say to the server instead.")] = False,
    grant: Annotated[str | None, Option(metavar="ROLE", help="Let a role use a space, with --setup DSN.")] = None,
    keeper: Annotated[bool, Option("--keeper", help="With --grant: it overwrites what is purged.")] = False,
    indexer: Annotated[
        bool, Option("--indexer", help="With --grant: it makes what recall --remote searches in, and sends nothing.")
    ] = False,
    derive: Annotated[
        str | None, Option(metavar="DSN", help="Bring up to date what recall --remote searches in, as an indexer.")
    ] = None,
    revoke: Annotated[str | None, Option(metavar="ROLE", help="Take a space from a role, with --setup DSN.")] = None,
    yes: Annotated[bool, Option("--yes", "-y", help="Do not ask before --join.")] = False,
    common: Common = NONE_GIVEN,
) -> Result[Sync]:
    acts = {
        "--join": join, "--status": status, "--trust": trust, "--without": without_, "--sql": sql,
        "--grant": grant, "--revoke": revoke, "--accept-purges": accept_purges, "--derive": derive,
    }  # fmt: skip
    named = [name for name, value in acts.items() if value]
    if len(named) > 1 or (setup and named and named[0] not in ("--grant", "--revoke")):
        names = " and ".join([*named, *(["--setup"] if setup else [])])
        raise UsageError(f"{names} are two things to do", hint="one at a time")
    if sql or setup or grant or revoke:
        kinds = administration.Kinds(keeper=keeper, indexer=indexer)
        return administration.administer(setup, space, grant=grant, kinds=kinds, revoke=revoke, sql=sql)
    if derive:
        return administration.index(derive, space)
    if common.scope == USER:
        memory = common.memory_to_write()
    else:
        memory = Memory.open(common.memory_dir, common.session, None if common.memory_dir else "project")
    context = memory.context
    if join:
        return _join(context, join, space, ask=not yes and not common.json)
    if trust:
        if session.is_person():
            _ask_to_trust(context, trust)
        return sync.trust(context, trust)
    from promptx_mem.team.postgres import connect

    if without_:
        return without.without(context, connect, without_)
    return sync.status(context, connect) if status else sync.sync(context, connect, accept=accept_purges)


def _join(context: Context, dsn: str, space: str | None, *, ask: bool) -> Result[Sync]:
    """Say what would be sent where, ask, and bind."""
    if not space:
        raise UsageError("the space is missing", hint=_EXAMPLE)
    from promptx_mem.team import dsn as servers
    from promptx_mem.team.postgres import connect

    servers.parse(dsn)
    bound = Binding(dsn, space)
    if ask and session.is_person():
        planned = sync.plan(context, bound)
        from promptx_mem.cli.question import confirmed

        memories = plural(planned.memories, "memory", "memories")
        place = f"{space} ({servers.shown(dsn)})"
        if not confirmed(f"Send {memories} of {context.layout.display()} to {place}?", err=True):
            raise UsageError("the store was not bound, and nothing was sent", code="not_confirmed")
    return sync.join(context, connect, bound)


def _ask_to_trust(context: Context, role: str) -> None:
    """Ask a person for the store's name. Raises UsageError for another answer."""
    from promptx_mem.cli.question import typed_name

    if not typed_name(f"Your agents will read what {role} writes as your own notes.", context.layout.name):
        raise UsageError(f"{role} was not trusted", code="not_confirmed")


def as_text(data: Sync) -> str:
    if data["act"] == "sql":
        return data["sql"]
    if data["act"] in ("setup", "grant", "revoke", "derive"):
        return f"{data['done']}\n"
    place = f"{data['space']} ({data['server']})"
    if data["act"] == "join":
        memories = plural(data["memories"], "memory", "memories")
        return (
            f"{data['store']} is bound to {place}: {memories} to send, with promptx-mem sync\n"
            f"   noted in {data['done']}\n"
        )
    if data["act"] == "trust":
        return f"what {data['role']} wrote counts as your own in {data['store']}\n"
    if data["act"] == "without":
        return f"{data['done']} of {data['role']} left out of {data['store']}, and nothing more of it is taken\n"
    return _status(data, place) if data["act"] == "status" else _done(data, place)


def _done(data: Sync, place: str) -> str:
    parts = [f"sent {data['pushed']}", f"took {data['pulled']}"]
    if data["destroyed"]:
        parts.append(f"destroyed {plural(data['destroyed'], 'purged memory', 'purged memories')}")
    if data["left"]:
        parts.append(f"left {data['left']} for lack of room")
    return f"{', '.join(parts)}: {place}\n"


def _status(data: Sync, place: str) -> str:
    memories, records = plural(data["memories"], "memory", "memories"), plural(data["records"], "record")
    rows = [
        f"{place}, as {data['role']}",
        f"behind: {data['behind']}; ahead: {data['ahead']}; held back: {len(data['held'])}; left out: {data['left']}",
        f"the space has {memories} in {records}, {plural(data['bytes'], 'byte')}",
        f"last sync: {data['at'] or 'none yet'}",
    ]
    if data["purges_unfinished"]:
        rows.append(f"purges that the server may still hold bytes of: {data['purges_unfinished']}")
    return "".join(f"{row}\n" for row in rows)
