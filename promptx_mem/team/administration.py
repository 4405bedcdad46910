"""`sync admin`: the server's admin sets up tables, grants spaces, updates the search table, or prints the SQL."""

import os
import time
from collections.abc import Sequence

from promptx_mem.core.text import plural
from promptx_mem.errors import Refused, UsageError
from promptx_mem.record import TYPE_CHECKING, Any
from promptx_mem.result import Result
from promptx_mem.team import postgres
from promptx_mem.team.sync import Sync

if TYPE_CHECKING:
    import psycopg

_FOLDER = os.path.join(os.path.dirname(__file__), "sql")
_LONGEST = 63
_PLACEHOLDER = "<name>"
"""Placeholder in the printed usage lines. The user must replace it by a name."""

_KINDS = {
    None: ("promptx_mem_member",),
    "keeper": ("promptx_mem_member", "promptx_mem_keeper"),
    "indexer": ("promptx_mem_indexer",),
}
"""For each kind of role, the roles of the server that are granted to it."""


def sql(above: int = 0) -> str:
    """Return the SQL that migrates tables from the version `above` (0: no tables yet) to this program's version."""
    parts = []
    for version in range(above + 1, postgres.SCHEMA + 1):
        folder = os.path.join(_FOLDER, str(version))
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                parts.append(f"-- version {version}: {name}\n{file.read()}")
    return "".join(parts)


def setup(dsn: str) -> str:
    """Create or migrate the tables in one transaction. Return the changes as a text. Raises StoreError, Refused."""
    with postgres.connection(dsn) as connection, postgres.told(dsn):
        connection.execute("SET statement_timeout = 0")
        there = postgres.fetch(connection, postgres.EXISTS)[0]["there"]
        version = 0
        if there:
            about = postgres.fetch(connection, postgres.VERSION)[0]
            version = about["version"]
            postgres.demand_version(max(version, postgres.OLDEST), about["oldest"])
        with connection.transaction():
            if script := sql(version):
                connection.execute(script.encode())
            done = (
                "the tables already existed"
                if not script
                else "the tables were migrated"
                if there
                else "the tables were created"
            )
            if there and _is_restored(connection):
                for statement in postgres.RENEW.split(";\n"):
                    connection.execute(statement.encode())
                done += ", and the restored dump is accepted"
    return f"{done}: version {max(version, postgres.SCHEMA)}"


def _is_restored(connection: "psycopg.Connection[Any]") -> bool:
    connection.execute("ALTER TABLE promptx_mem.records NO FORCE ROW LEVEL SECURITY")
    restored = bool(postgres.fetch(connection, postgres.IS_RESTORED)[0]["restored"])
    connection.execute("ALTER TABLE promptx_mem.records FORCE ROW LEVEL SECURITY")
    return restored


def grant(dsn: str, role: str, space: str, kind: str | None = None) -> None:
    """Allow a role to use a space. A keeper can also overwrite purged records; an indexer can only index memories.

    Raises UsageError for an invalid name of a space, or for a role that the server does not have.
    """
    from psycopg import sql as quoting

    _demand_name(space)
    with postgres.connection(dsn) as connection, postgres.told(dsn), connection.transaction():
        _demand_role(connection, role)
        if space.startswith("user:") and space != f"user:{role}":
            raise Refused(
                f"{space} is the private space of one person", code="server_right", hint="choose another name"
            )
        for group in _KINDS[kind]:
            connection.execute(
                quoting.SQL("GRANT {} TO {}").format(quoting.Identifier(group), quoting.Identifier(role))
            )
        connection.execute(postgres.GRANT_SPACE.encode(), {"space": space, "role": role})


def revoke(dsn: str, role: str, space: str | None) -> int:
    """Revoke a space, or all spaces, from a role. Return the number of revoked spaces. The role's records stay."""
    with postgres.connection(dsn) as connection, postgres.told(dsn):
        statement = postgres.REVOKE_ALL if space is None else postgres.REVOKE_SPACE
        return max(connection.execute(statement.encode(), {"role": role, "space": space}).rowcount, 0)


def _demand_role(connection: "psycopg.Connection[Any]", role: str) -> None:
    if not postgres.fetch(connection, postgres.IS_ROLE, role=role)[0]["there"]:
        raise UsageError(
            f"the server has no role {role[:_LONGEST]!r}",
            code="no_role",
            hint="ask the server's admin to create it: CREATE ROLE … LOGIN",
        )


def _demand_name(space: str) -> None:
    if not 0 < len(space) <= 100 or not space.isprintable() or space == _PLACEHOLDER:
        raise UsageError("the name of a space must have 1 to 100 printable characters", hint="--space team")


TASKS = {
    "setup": "setup <dsn>",
    "grant": "grant <role> <dsn> --space <name> [--as keeper|indexer]",
    "revoke": "revoke <role> <dsn> [--space <name>]",
    "derive": "derive <dsn> --space <name>",
    "sql": "sql",
}
USAGE = "\n".join(f"usage: promptx-mem sync admin {usage}" for usage in TASKS.values())


def administer(words: Sequence[str], space: str | None, kind: str | None) -> Result[Sync]:
    """Carry out a task of `sync admin`. Raises UsageError, StoreError, Refused."""
    task = words[1] if words[0] == "admin" and len(words) > 1 else ""
    if task not in TASKS:
        if list(words) == ["admin"]:
            raise UsageError("the task is missing", hint=USAGE)
        hint = USAGE if words[0] == "admin" else "see promptx-mem sync --help"
        raise UsageError(f"sync has no task {' '.join(words)[:40]!r}", hint=hint)
    usage = TASKS[task]
    if len(words) - 2 != usage.partition(" --")[0].partition(" [")[0].count("<"):
        raise UsageError(f"sync admin {task} has wrong arguments", hint=f"usage: promptx-mem sync admin {usage}")
    if not space and " --space" in usage and "[--space" not in usage:
        raise UsageError("the space is missing", hint=f"usage: promptx-mem sync admin {usage}")
    if kind is not None and (task != "grant" or kind not in _KINDS):
        raise UsageError(f"--as {kind[:40]!r} is not known", hint=f"usage: promptx-mem sync admin {TASKS['grant']}")
    if task == "sql":
        return Result("sync", {"act": "sql", "sql": sql()})
    if task == "setup":
        return Result("sync", {"act": "setup", "done": setup(words[2])})
    if task == "derive":
        return _derive(words[2], space or "")
    if task == "grant":
        return _grant(words[2], words[3], space or "", kind)
    return _revoke(words[2], words[3], space)


def _grant(role: str, dsn: str, space: str, kind: str | None) -> Result[Sync]:
    grant(dsn, role, space, kind)
    done = f"{role} can now use {space}" + (", and erases purged texts there" if kind == "keeper" else "")
    done += ", and can update the search table of recall --remote" if kind == "indexer" else ""
    return Result("sync", {"act": "grant", "role": role, "space": space, "done": done})


def _revoke(role: str, dsn: str, space: str | None) -> Result[Sync]:
    count = revoke(dsn, role, space)
    done = f"{role} can no longer use {space or 'any space'}; its records stay"
    return Result(
        "sync",
        {"act": "revoke", "role": role, "space": space or "", "done": done if count else f"{role} had no such grant"},
    )


def _derive(dsn: str, space: str) -> Result[Sync]:
    """Update the table in which `recall --remote` searches a space."""
    from promptx_mem.team import postgres, remote
    from promptx_mem.team.postgres import Derived

    with postgres.connect(dsn, space) as server, postgres.connection(dsn) as second, postgres.told(dsn):
        second.execute("SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0")
        count = remote.derive(server, Derived(second, space), space, time.time())
        role = server.role
    text = f"{space} can be searched: {plural(count, 'memory was', 'memories were')} indexed"
    return Result("sync", {"act": "derive", "role": role, "space": space, "done": text})
