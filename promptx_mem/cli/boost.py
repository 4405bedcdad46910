"""Counts at most once in 2 hours and adds at most 1.0 a day."""

from typing import Annotated

import typer

from promptx_mem.cli import options
from promptx_mem.memory import Memory
from promptx_mem.result import Result


def command(
    ctx: typer.Context,
    ident: Annotated[str, typer.Argument(metavar="ID", help="Its id, or the beginning of it.", show_default=False)],
    memory_dir: options.MemoryDir = None,
    session: options.Session = None,
    json: options.Json = False,
) -> Result:
    return Memory.open(options.memory_dir(ctx, memory_dir), session).boost(ident)
