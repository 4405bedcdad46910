"""Every attempt, newest first; or --stats, or --verify for the whole store, or --allow to lift a block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptx_mem.cli.progress import progress
from promptx_mem.errors import UsageError
from promptx_mem.memory import Memory
from promptx_mem.result import Result
from promptx_mem.usecases.audit_log import DEFAULT_COUNT, Wanted

if TYPE_CHECKING:  # typer reads the annotations, and only where a command line has options (cli/parser)
    from typing import Annotated

    import typer

    from promptx_mem.cli import options


def command(
    session: Annotated[str | None, typer.Option("--session", metavar="NAME", help="Only of this session.")] = None,
    verdict: Annotated[
        str | None, typer.Option(metavar="WORD", help="Only with this verdict: stored, repeated, refused….")
    ] = None,
    since: Annotated[str | None, typer.Option(metavar="DATE", help="Only from then on: 7d, yesterday, 上周….")] = None,
    violations: Annotated[bool, typer.Option("--violations", help="Only what broke the rules.")] = False,
    count: Annotated[int, typer.Option("-n", help="How many at most.")] = DEFAULT_COUNT,
    stats: Annotated[bool, typer.Option("--stats", help="Count days, verdicts and scores; show the limits.")] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Check the whole store; exit 1 if something is wrong.")
    ] = False,
    allow: Annotated[
        str | None, typer.Option(metavar="SESSION", help="Lift the block of this session.", show_default=False)
    ] = None,
    memory_dir: options.MemoryDir = None,
    json: options.Json = False,
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
