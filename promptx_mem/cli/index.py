"""MEMORY.md shows what matters most, by topic, in at most 200 lines and 25 KB: for an agent to read at its start.

remember and decay keep it current.
"""

from typing import Annotated

from promptx_mem.cli.options import Json, MemoryDir, Option
from promptx_mem.errors import UsageError
from promptx_mem.memory import Memory
from promptx_mem.result import Result


def command(
    check: Annotated[
        bool, Option("--check", help="Make it again for the moment in its header; exit 1 if it differs.")
    ] = False,
    topics: Annotated[bool, Option("--topics", help="Show the tree of topics instead.")] = False,
    memory_dir: MemoryDir = None,
    json: Json = False,
) -> Result:
    if check and topics:
        raise UsageError("--check and --topics do not go together", hint="promptx-mem index --check")
    memory = Memory.open(memory_dir)
    if topics:
        return memory.topics()
    return memory.check_index() if check else memory.index()
