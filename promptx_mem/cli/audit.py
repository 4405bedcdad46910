"""Every attempt, newest first; or --stats, or --verify for the whole store, or --allow to lift a block."""

from typing import Annotated

from promptx_mem.cli.options import Json, MemoryDir, Option
from promptx_mem.cli.progress import progress
from promptx_mem.errors import UsageError
from promptx_mem.memory import Memory
from promptx_mem.result import Result
from promptx_mem.usecases.audit_log import DEFAULT_COUNT, Wanted


def command(
    session: Annotated[str | None, Option("--session", metavar="NAME", help="Only of this session.")] = None,
    verdict: Annotated[
        str | None, Option(metavar="WORD", help="Only with this verdict: stored, repeated, refused….")
    ] = None,
    since: Annotated[str | None, Option(metavar="DATE", help="Only from then on: 7d, yesterday, 上周….")] = None,
    violations: Annotated[bool, Option("--violations", help="Only what broke the rules.")] = False,
    count: Annotated[int, Option("-n", help="How many at most.")] = DEFAULT_COUNT,
    stats: Annotated[bool, Option("--stats", help="Count days, verdicts and scores; show the limits.")] = False,
    verify: Annotated[bool, Option("--verify", help="Check the whole store; exit 1 if something is wrong.")] = False,
    allow: Annotated[str | None, Option(metavar="SESSION", help="Lift the block of this session.")] = None,
    memory_dir: MemoryDir = None,
    json: Json = False,
) -> Result:
    filters = bool(session or verdict or since or violations or count != DEFAULT_COUNT)
    if stats + verify + (allow is not None) + filters > 1:
        raise UsageError(
            "--stats, --verify, --allow and the filters of the log do not go together",
            hint="promptx-mem audit --help",
        )
    memory = Memory.open(memory_dir)
    if allow is not None:
        return memory.allow(allow)
    if stats:
        return memory.audit_stats()
    if verify:
        with progress(show=not json) as report:
            return memory.audit_verify(report)
    return memory.audit(Wanted(session, verdict, since, violations, count))
