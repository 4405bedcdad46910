"""Words in Chinese or English, '#tags', or nothing at all for what matters most now."""

from typing import Annotated

import typer

from promptx_mem.cli import options
from promptx_mem.cli.progress import progress
from promptx_mem.memory import Memory
from promptx_mem.result import Result
from promptx_mem.usecases.recall import DEFAULT_COUNT, Cues


def command(
    ctx: typer.Context,
    text: Annotated[list[str] | None, typer.Argument(help="What to look for.", show_default=False)] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", "-t", help="Only with this tag; repeatable.")] = None,
    type_: Annotated[str | None, typer.Option("--type", help="user, feedback, project or reference.")] = None,
    category: Annotated[str | None, typer.Option(help="fact, core, episode or system.")] = None,
    min_score: Annotated[float | None, typer.Option(help="Only from this score on.")] = None,
    session: Annotated[str | None, typer.Option("--session", metavar="NAME", help="Only from this session.")] = None,
    count: Annotated[int, typer.Option("-n", help="How many at most.")] = DEFAULT_COUNT,
    explain: Annotated[bool, typer.Option("--explain", help="Show every term of the ranking.")] = False,
    exit_status: Annotated[bool, typer.Option("--exit-status", help="Exit 4 when nothing is found.")] = False,
    memory_dir: options.MemoryDir = None,
    json: options.Json = False,
) -> Result:
    cues = Cues(
        text=" ".join(text or ()),
        tags=tuple(tag or ()),
        type=type_,
        category=category,
        session=session,
        min_score=min_score,
        count=count,
        explain=explain,
    )
    with progress(show=not json) as report:
        result = Memory.open(options.memory_dir(ctx, memory_dir)).recall(cues, report)
    if exit_status and not result.data["count"]:
        return Result(result.command, result.data, result.warnings, exit_status=4)
    return result
