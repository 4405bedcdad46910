"""Commands that do one thing to the memory an id names: their options, and the line that says what was done."""

from collections.abc import Callable
from typing import Annotated, Any

from promptx_mem.cli.options import Argument, Json, MemoryDir, Session
from promptx_mem.cli.output import LABEL, elsewhere
from promptx_mem.core.text import shorten
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


def line(verb: str, data: dict[str, Any]) -> str:
    """What was done to which memory, where it lies if not here, and what there is to say of it."""
    note = f"  ({data['note']})" if data.get("note") else ""
    place = f"\n   in {where}" if (where := elsewhere(data)) else ""
    return f"{verb} {shorten(data['text'], LABEL)}  {data['id']}{note}{place}\n"
