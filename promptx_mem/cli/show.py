"""Its text and fields, who stored it, what happened to it, and the memories it replaced or was replaced by.

`recall ID` prints the same.
"""

from typing import TYPE_CHECKING, Annotated

from promptx_mem.cli import recall
from promptx_mem.cli.options import Argument, Json, MemoryDir, Scope
from promptx_mem.core.description import Recall
from promptx_mem.memory import Memory
from promptx_mem.result import Result

if TYPE_CHECKING:
    from rich.console import Console


def command(
    ident: Annotated[str, Argument(metavar="ID", help="Its id, or the beginning of it.")],
    scope: Scope = None,
    memory_dir: MemoryDir = None,
    json: Json = False,
) -> Result[Recall]:
    result = Memory.open(memory_dir, scope=scope).show(ident)
    return result._replace(data={**result.data, "format": "json" if json else None})


def as_text(data: Recall) -> str:
    return recall.as_text(data)


def draw(data: Recall, console: "Console") -> None:
    recall.draw(data, console)
