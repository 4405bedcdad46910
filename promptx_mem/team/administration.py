"""`sync admin`: the server's admin sets up tables, grants spaces, updates the search table, or prints the SQL."""

import time
from collections.abc import Sequence
from pathlib import Path

from promptx_mem.core.text import plural
from promptx_mem.errors import Refused, UsageError
from promptx_mem.result import Result
from promptx_mem.team import postgres
from promptx_mem.team.sync import Sync

_FOLDER = Path(__file__).with_name("sql")
_KINDS = {
    None: ("", "promptx_mem_member"),
    "keeper": (", and erases purged texts there", "promptx_mem_member", "promptx_mem_keeper"),
    "indexer": (", and can update the search table of recall --remote", "promptx_mem_indexer"),
}
"""For each kind of role, its additional right in words, and the roles of the server that it gets."""


def sql(above: int = 0) -> str:
    """Return the SQL that migrates tables from the version `above` (0: no tables yet) to this program's version."""
    script = ""
    for version in range(above + 1, postgres.SCHEMA + 1):
        for file in sorted(Path(_FOLDER, str(version)).iterdir()):
            script += f"-- version {version}: {file.name}\n{file.read_text(encoding='utf-8')}"
    return script


def setup(dsn: str) -> str:
    """Create or migrate the tables in one transaction. Return the changes as a text. Raises StoreError, Refused."""
    with postgres.connection(dsn) as connection, postgres.told(dsn):
        connection.execute("SET statement_timeout = 0")
        tables = postgres.fetch(connection, "SELECT to_regclass('promptx_mem.about') IS NOT NULL AS there")
        there, version = tables[0]["there"], 0
        if there:
            about = postgres.fetch(connection, "SELECT version, oldest FROM promptx_mem.about")[0]
            version = about["version"]
            postgres.demand_version(max(version, postgres.OLDEST), about["oldest"])
        with connection.transaction():
            done = "the tables already existed"
            if script := sql(version):
                connection.execute(script.encode())
                done = f"the tables were {'migrated' if there else 'created'}"
            if there:
                connection.execute("ALTER TABLE promptx_mem.records NO FORCE ROW LEVEL SECURITY")
                if postgres.fetch(connection, postgres.IS_RESTORED)[0]["restored"]:
                    connection.execute(postgres.RENEW.encode())
                    done += ", and the restored dump is accepted"
                connection.execute("ALTER TABLE promptx_mem.records FORCE ROW LEVEL SECURITY")
    return f"{done}: version {max(version, postgres.SCHEMA)}"


def grant(dsn: str, role: str, space: str, kind: str | None = None) -> None:
    """Allow a role to use a space. A keeper can also overwrite purged records; an indexer can only index memories.

    Raises UsageError for an invalid name or an unknown role, Refused for another person's private space.
    """
    from psycopg import sql as quoting

    if not 0 < len(space) <= 100 or not space.isprintable() or space == "<name>":
        raise UsageError("a space needs a name with 1 to 100 printable characters", hint="replace <name>: --space team")
    with postgres.connection(dsn) as connection, postgres.told(dsn), connection.transaction():
        if not postgres.fetch(connection, "SELECT FROM pg_catalog.pg_roles WHERE rolname = %(role)s", role=role):
            name = quoting.Identifier(role).as_string(connection)
            raise UsageError(
                f"the server has no role {role[:63]!r}",
                code="no_role",
                hint=f"ask the server's admin to create it: CREATE ROLE {name} LOGIN",
            )
        if space.startswith("user:") and space != f"user:{role}":
            raise Refused(
                f"{space} is the private space of one person", code="server_right", hint="choose another name"
            )
        for group in _KINDS[kind][1:]:
            connection.execute(
                quoting.SQL("GRANT {} TO {}").format(quoting.Identifier(group), quoting.Identifier(role))
            )
        add = "INSERT INTO promptx_mem.grants (space, role) VALUES (%s, %s) ON CONFLICT DO NOTHING"
        connection.execute(add, (space, role))


def revoke(dsn: str, role: str, space: str | None) -> int:
    """Revoke a space, or all spaces, from a role. Return the number of revoked spaces. The role's records stay."""
    with postgres.connection(dsn) as connection, postgres.told(dsn):
        statement = "DELETE FROM promptx_mem.grants WHERE role = %s AND space = coalesce(%s, space)"
        return max(connection.execute(statement, (role, space)).rowcount, 0)


USAGE = """\
usage: promptx-mem sync admin setup <dsn>
usage: promptx-mem sync admin grant <role> <dsn> --space <name> [--as keeper|indexer]
usage: promptx-mem sync admin revoke <role> <dsn> [--space <name>]
usage: promptx-mem sync admin derive <dsn> --space <name>
usage: promptx-mem sync admin sql"""


def administer(words: Sequence[str], space: str | None, kind: str | None) -> Result[Sync]:
    """Carry out a task of `sync admin`. Raises UsageError, StoreError, Refused."""
    match [*words, space, kind]:
        case ["admin", "sql", _, None]:
            return Result("sync", {"act": "sql", "sql": sql()})
        case ["admin", "setup", str(dsn), _, None]:
            return Result("sync", {"act": "setup", "done": setup(dsn)})
        case ["admin", "grant", str(role), str(dsn), str(name), _] if kind in _KINDS:
            grant(dsn, role, name, kind)
            done = f"{role} can now use {name}" + _KINDS[kind][0]
        case ["admin", "revoke", str(role), str(dsn), _, None]:
            done = f"{role} can no longer use {space or 'any space'}; its records stay"
            done = done if revoke(dsn, role, space) else f"{role} had no such grant"
        case ["admin", "derive", str(dsn), str(name), None]:
            from promptx_mem.team import remote

            with postgres.connect(dsn, name) as server, postgres.connection(dsn) as second, postgres.told(dsn):
                second.execute("SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0")
                count, role = remote.derive(server, postgres.Derived(second, name), time.time()), server.role
            done = f"{name} can be searched: {plural(count, 'memory was', 'memories were')} indexed"
        case _:
            raise UsageError("unknown task of sync admin, or missing arguments", hint=USAGE)
    return Result("sync", {"act": words[1], "role": role, "space": space or "", "done": done})
