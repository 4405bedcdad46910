"""`sync admin`: the tasks of the person who runs the server: tables, grants, the search table, the SQL."""

import time
from collections.abc import Sequence

from promptx_mem.core.text import plural
from promptx_mem.errors import UsageError
from promptx_mem.result import Result
from promptx_mem.team import setup as tables
from promptx_mem.team.sync import Sync

TASKS = {
    "setup": "setup <dsn>",
    "grant": "grant <role> <dsn> --space <name> [--as keeper|indexer]",
    "revoke": "revoke <role> <dsn> [--space <name>]",
    "derive": "derive <dsn> --space <name>",
    "sql": "sql",
}
USAGE = "\n".join(f"usage: promptx-mem sync admin {usage}" for usage in TASKS.values())
_KINDS = ("keeper", "indexer")


def administer(words: Sequence[str], space: str | None, kind: str | None) -> Result[Sync]:
    """Do a task of `sync admin`. Raises UsageError, StoreError, Refused."""
    task = words[1] if words[0] == "admin" and len(words) > 1 else ""
    if task not in TASKS:
        if list(words) == ["admin"]:
            raise UsageError("the task is missing", hint=USAGE)
        hint = USAGE if words[0] == "admin" else "what there is: promptx-mem sync --help"
        raise UsageError(f"sync has no task {' '.join(words)[:40]!r}", hint=hint)
    usage = TASKS[task]
    if len(words) - 2 != usage.partition(" --")[0].partition(" [")[0].count("<"):
        raise UsageError(f"sync admin {task} needs other arguments", hint=f"usage: promptx-mem sync admin {usage}")
    if not space and " --space" in usage and "[--space" not in usage:
        raise UsageError("the space is missing", hint=f"usage: promptx-mem sync admin {usage}")
    if kind is not None and (task != "grant" or kind not in _KINDS):
        raise UsageError(
            f"--as {kind[:40]!r} is not known here", hint=f"usage: promptx-mem sync admin {TASKS['grant']}"
        )
    if task == "sql":
        return Result("sync", {"act": "sql", "sql": tables.sql()})
    if task == "setup":
        return Result("sync", {"act": "setup", "done": tables.setup(words[2])})
    if task == "derive":
        return _derive(words[2], space or "")
    if task == "grant":
        return _grant(words[2], words[3], space or "", kind)
    return _revoke(words[2], words[3], space)


def _grant(role: str, dsn: str, space: str, kind: str | None) -> Result[Sync]:
    tables.grant(dsn, role, space, keeper=kind == "keeper", indexer=kind == "indexer")
    done = f"{role} may use {space}" + (", and overwrites there what is purged" if kind == "keeper" else "")
    done += ", to make what recall --remote searches in" if kind == "indexer" else ""
    return Result("sync", {"act": "grant", "role": role, "space": space, "done": done})


def _revoke(role: str, dsn: str, space: str | None) -> Result[Sync]:
    count = tables.revoke(dsn, role, space)
    done = f"{role} may use {space or 'any space'} no more; what it wrote stays"
    return Result(
        "sync",
        {"act": "revoke", "role": role, "space": space or "", "done": done if count else f"{role} had no such grant"},
    )


def _derive(dsn: str, space: str) -> Result[Sync]:
    """Bring up to date what `recall --remote` searches in."""
    from promptx_mem.team import derive, postgres
    from promptx_mem.team.derived import Derived

    with postgres.connect(dsn, space) as server, postgres.connection(dsn) as second, postgres.told(dsn):
        second.execute("SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0")
        done = derive.derive(server, Derived(second, space), space, time.time())
        role = server.role
    text = f"{space} can be searched: {plural(done.looked_at, 'memory was', 'memories were')} looked at again"
    return Result("sync", {"act": "derive", "role": role, "space": space, "done": text})
