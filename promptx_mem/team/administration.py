"""What whoever runs the server does: tables, grants, or the SQL to read and run by hand."""

import time
from typing import NamedTuple

from promptx_mem.core.text import plural
from promptx_mem.errors import UsageError
from promptx_mem.result import Result
from promptx_mem.team import setup as tables
from promptx_mem.team.sync import Sync

_MISSING = "promptx-mem sync --grant 'ROLE?' --space 'NAME?' --setup 'DSN?'"


class Kinds(NamedTuple):
    """What else a role is than a member; an indexer is none."""

    keeper: bool = False
    indexer: bool = False


def index(dsn: str, space: str | None) -> Result[Sync]:
    """Bring up to date what `recall --remote` searches in. Raises UsageError, StoreError, Refused."""
    if not space:
        raise UsageError("the space is missing", hint="promptx-mem sync --derive 'DSN?' --space 'NAME?'")
    from promptx_mem.team import derive, postgres
    from promptx_mem.team.derived import Derived

    with postgres.connect(dsn, space) as server, postgres.connection(dsn) as second, postgres.told(dsn):
        second.execute("SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0")
        done = derive.derive(server, Derived(second, space), space, time.time())
        role = server.role
    text = f"{space} can be searched: {plural(done.looked_at, 'memory was', 'memories were')} looked at anew"
    return Result("sync", {"act": "derive", "role": role, "space": space, "done": text})


def administer(
    dsn: str | None, space: str | None, *, grant: str | None, kinds: Kinds, revoke: str | None, sql: bool
) -> Result[Sync]:
    """Make the tables, grant or revoke a space, or give the SQL. Raises UsageError, StoreError, Refused."""
    if sql:
        return Result("sync", {"act": "sql", "sql": tables.sql()})
    if dsn is None or (grant and not space):
        raise UsageError("who makes the tables grants, and says which space on which server", hint=_MISSING)
    if grant and space:
        tables.grant(dsn, grant, space, keeper=kinds.keeper, indexer=kinds.indexer)
        done = f"{grant} may use {space}" + (", and overwrites there what is purged" if kinds.keeper else "")
        done += ", to make what recall --remote searches in" if kinds.indexer else ""
        return Result("sync", {"act": "grant", "role": grant, "space": space, "done": done})
    if revoke:
        count = tables.revoke(dsn, revoke, space)
        done = f"{revoke} may use {space or 'any space'} no more; what it wrote stays"
        if not count:
            done = f"{revoke} had no such grant"
        return Result("sync", {"act": "revoke", "role": revoke, "space": space or "", "done": done})
    return Result("sync", {"act": "setup", "done": tables.setup(dsn)})
