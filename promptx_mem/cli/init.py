"""Made at the top of the git repository, else here; the first remember does the same."""

from typing import Annotated

from promptx_mem.cli.options import Json, MemoryDir, Option
from promptx_mem.memory import Memory
from promptx_mem.result import Result


def command(
    shared: Annotated[
        bool,
        Option("--shared", help="Let git track the memories; logs, conversations and the index stay private."),
    ] = False,
    agent: Annotated[
        bool, Option("--agent", help="Print what to put into an agent's instructions (AGENTS.md, CLAUDE.md).")
    ] = False,
    memory_dir: MemoryDir = None,
    json: Json = False,
) -> Result:
    return Memory.open(memory_dir).init(shared=shared, agent=agent)
