"""Commands that do one thing to the memory an id names."""

from collections.abc import Callable
from typing import Annotated

import typer

from promptx_mem.cli import options
from promptx_mem.memory import Memory
from promptx_mem.result import Result


def command_for(act: Callable[[Memory, str], Result]) -> Callable[..., Result]:
    """Make the command of a method of Memory that takes an id."""

    def command(
        ctx: typer.Context,
        ident: Annotated[str, typer.Argument(metavar="ID", help="Its id, or the beginning of it.", show_default=False)],
        memory_dir: options.MemoryDir = None,
        session: options.Session = None,
        json: options.Json = False,
    ) -> Result:
        return act(Memory.open(options.memory_dir(ctx, memory_dir), session), ident)

    return command
