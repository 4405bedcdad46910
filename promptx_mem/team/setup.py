"""Make the tables, bring them up to date, and say who may use which space: for who runs the server."""

import os
from typing import TYPE_CHECKING, Any

from promptx_mem.errors import Refused, UsageError
from promptx_mem.team import postgres, statements

if TYPE_CHECKING:
    import psycopg

_FOLDER = os.path.join(os.path.dirname(__file__), "sql")
_LONGEST = 63
_PLACEHOLDER = "<name>"
"""Stands for a name in the usage lines that are printed."""

MEMBER, KEEPER, INDEXER = "promptx_mem_member", "promptx_mem_keeper", "promptx_mem_indexer"


def sql(above: int = 0) -> str:
    """The statements that take tables from version `above` to this program's; 0 where there are none."""
    parts = []
    for version in range(above + 1, postgres.SCHEMA + 1):
        folder = os.path.join(_FOLDER, str(version))
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                parts.append(f"-- version {version}: {name}\n{file.read()}")
    return "".join(parts)


def setup(dsn: str) -> str:
    """Make or migrate the tables in one transaction; what was done. Raises StoreError, Refused."""
    with postgres.connection(dsn) as connection, postgres.told(dsn):
        connection.execute("SET statement_timeout = 0")
        there = _one(connection, statements.EXISTS)["there"]
        version = 0
        if there:
            about = _one(connection, statements.VERSION)
            version = about["version"]
            postgres.demand_version(max(version, postgres.OLDEST), about["oldest"])
        with connection.transaction():
            if script := sql(version):
                connection.execute(script.encode())
            done = "the tables were there" if not script else "the tables were migrated" if there else "tables made"
            if there and _is_restored(connection):
                for statement in statements.RENEW.split(";\n"):
                    connection.execute(statement.encode())
                done += ", and take up a restored dump"
    return f"{done}: version {max(version, postgres.SCHEMA)}"


def _is_restored(connection: "psycopg.Connection[Any]") -> bool:
    connection.execute("ALTER TABLE promptx_mem.records NO FORCE ROW LEVEL SECURITY")
    restored = bool(_one(connection, statements.IS_RESTORED)["restored"])
    connection.execute("ALTER TABLE promptx_mem.records FORCE ROW LEVEL SECURITY")
    return restored


def grant(dsn: str, role: str, space: str, *, keeper: bool = False, indexer: bool = False) -> None:
    """Let a role use a space, and overwrite there what was purged; or index it alone. Raises UsageError without one."""
    from psycopg import sql as quoting

    _demand_name(space)
    with postgres.connection(dsn) as connection, postgres.told(dsn), connection.transaction():
        _demand_role(connection, role)
        if space.startswith("user:") and space != f"user:{role}":
            raise Refused(f"{space} is one person's own space", code="server_right", hint="take another name")
        groups = [INDEXER] if indexer else [MEMBER]
        for group in [*groups, *([KEEPER] if keeper else [])]:
            connection.execute(
                quoting.SQL("GRANT {} TO {}").format(quoting.Identifier(group), quoting.Identifier(role))
            )
        connection.execute(statements.GRANT_SPACE.encode(), {"space": space, "role": role})


def revoke(dsn: str, role: str, space: str | None) -> int:
    """Take a space, or all, from a role; from how many. What it wrote stays."""
    with postgres.connection(dsn) as connection, postgres.told(dsn):
        statement = statements.REVOKE_ALL if space is None else statements.REVOKE_SPACE
        return max(connection.execute(statement.encode(), {"role": role, "space": space}).rowcount, 0)


def _demand_role(connection: "psycopg.Connection[Any]", role: str) -> None:
    if not _one(connection, statements.IS_ROLE, role=role)["there"]:
        raise UsageError(
            f"the server has no role {role[:_LONGEST]!r}",
            code="no_role",
            hint="who runs the server makes one: CREATE ROLE … LOGIN",
        )


def _demand_name(space: str) -> None:
    if not 0 < len(space) <= 100 or not space.isprintable() or space == _PLACEHOLDER:
        raise UsageError("a space has a name of 1 to 100 characters that print", hint="--space team")


def _one(connection: "psycopg.Connection[Any]", statement: str, **values: Any) -> dict[str, Any]:
    from psycopg.rows import dict_row

    with connection.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute(statement.encode(), values or None).fetchone()
    assert row is not None
    return row
