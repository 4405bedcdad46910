"""Six dimensions: importance, novelty, relevance, credibility, granularity, timeliness, each 0-10."""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptx_mem.memory import Memory
from promptx_mem.result import Result

if TYPE_CHECKING:  # typer reads the annotations, and only where a command line has options (cli/parser)
    from typing import Annotated

    import typer

    from promptx_mem.cli import options


def command(
    dims: Annotated[
        str | None, typer.Argument(metavar="DIMS", help="9,7,9,8,8,9 or importance=9/8/10,…", show_default=False)
    ] = None,
    dims_option: Annotated[str | None, typer.Option("--dims", help="The same, as an option.")] = None,
    profile: Annotated[str | None, typer.Option(help="execution or declarative.")] = None,
    explicit: Annotated[bool, typer.Option("--explicit", help="The user asked to remember it.")] = False,
    guide: Annotated[bool, typer.Option("--guide", help="Show the questions behind the dimensions.")] = False,
    memory_dir: options.MemoryDir = None,
    session: options.Session = None,
    json: options.Json = False,
) -> Result:
    memory = Memory.open(memory_dir, session)
    return memory.score(dims_option or dims, profile, explicit=explicit, guide=guide)
