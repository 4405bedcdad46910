"""Commands that do one thing to the memory an id names."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from promptx_mem.memory import Memory
from promptx_mem.result import Result

if TYPE_CHECKING:  # typer reads the annotations, and only where a command line has options (cli/parser)
    from typing import Annotated

    import typer

    from promptx_mem.cli import options


def command_for(act: Callable[[Memory, str], Result]) -> Callable[..., Result]:
    """Make the command of a method of Memory that takes an id."""

    def command(
        ident: Annotated[str, typer.Argument(metavar="ID", help="Its id, or the beginning of it.", show_default=False)],
        memory_dir: options.MemoryDir = None,
        session: options.Session = None,
        json: options.Json = False,
    ) -> Result:
        return act(Memory.open(memory_dir, session), ident)

    return command
