"""Commands that do one thing to the memory an id names."""

from collections.abc import Callable
from typing import Annotated

from promptx_mem.cli.options import Argument, Json, MemoryDir, Session
from promptx_mem.memory import Memory
from promptx_mem.result import Result


def command_for(act: Callable[[Memory, str], Result]) -> Callable[..., Result]:
    """Make the command of a method of Memory that takes an id."""

    def command(
        ident: Annotated[str, Argument(metavar="ID", help="Its id, or the beginning of it.")],
        memory_dir: MemoryDir = None,
        session: Session = None,
        json: Json = False,
    ) -> Result:
        return act(Memory.open(memory_dir, session), ident)

    return command
