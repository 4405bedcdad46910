"""MEMORY.md shows what matters most, by topic, in at most 200 lines and 25 KB: for an agent to read at its start.

remember and decay keep it current.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptx_mem.errors import UsageError
from promptx_mem.memory import Memory
from promptx_mem.result import Result

if TYPE_CHECKING:  # typer reads the annotations, and only where a command line has options (cli/parser)
    from typing import Annotated

    import typer

    from promptx_mem.cli import options


def command(
    check: Annotated[
        bool, typer.Option("--check", help="Make it again for the moment in its header; exit 1 if it differs.")
    ] = False,
    topics: Annotated[bool, typer.Option("--topics", help="Show the tree of topics instead.")] = False,
    memory_dir: options.MemoryDir = None,
    json: options.Json = False,
) -> Result:
    if check and topics:
        raise UsageError("--check and --topics do not go together", hint="promptx-mem index --check")
    memory = Memory.open(memory_dir)
    if topics:
        return memory.topics()
    return memory.check_index() if check else memory.index()
