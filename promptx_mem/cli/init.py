"""Made at the top of the git repository, else here; the first remember does the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptx_mem.memory import Memory
from promptx_mem.result import Result

if TYPE_CHECKING:  # typer reads the annotations, and only where a command line has options (cli/parser)
    from typing import Annotated

    import typer

    from promptx_mem.cli import options


def command(
    shared: Annotated[
        bool,
        typer.Option("--shared", help="Let git track the memories; logs, conversations and the index stay private."),
    ] = False,
    agent: Annotated[
        bool, typer.Option("--agent", help="Print what to put into an agent's instructions (AGENTS.md, CLAUDE.md).")
    ] = False,
    memory_dir: options.MemoryDir = None,
    json: options.Json = False,
) -> Result:
    return Memory.open(memory_dir).init(shared=shared, agent=agent)
