"""What whoever runs the server does: tables, grants, or the SQL to read and run by hand."""

from promptx_mem.errors import UsageError
from promptx_mem.result import Result
from promptx_mem.team import setup as tables
from promptx_mem.team.sync import Sync

_MISSING = "promptx-mem sync --grant ROLE --space NAME --setup DSN"


def administer(
    dsn: str | None, space: str | None, *, grant: str | None, keeper: bool, revoke: str | None, sql: bool
) -> Result[Sync]:
    """Make the tables, grant or revoke a space, or give the SQL. Raises UsageError, StoreError, Refused."""
    if sql:
        return Result("sync", {"act": "sql", "sql": tables.sql()})
    if dsn is None or (grant and not space):
        raise UsageError("who makes the tables grants, and says which space on which server", hint=_MISSING)
    if grant and space:
        tables.grant(dsn, grant, space, keeper=keeper)
        done = f"{grant} may use {space}" + (", and overwrites there what is purged" if keeper else "")
        return Result("sync", {"act": "grant", "role": grant, "space": space, "done": done})
    if revoke:
        count = tables.revoke(dsn, revoke, space)
        done = f"{revoke} may use {space or 'any space'} no more; what it wrote stays"
        if not count:
            done = f"{revoke} had no such grant"
        return Result("sync", {"act": "revoke", "role": revoke, "space": space or "", "done": done})
    return Result("sync", {"act": "setup", "done": tables.setup(dsn)})
