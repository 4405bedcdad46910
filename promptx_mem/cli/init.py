"""Made at the top of the git repository, else here; the first remember does the same."""

from typing import Annotated

from promptx_mem.cli.options import Json, MemoryDir, Option
from promptx_mem.memory import Memory
from promptx_mem.result import Result
from promptx_mem.usecases.init import Init


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
) -> Result[Init]:
    return Memory.open(memory_dir).init(shared=shared, agent=agent)


def as_text(data: Init) -> str:
    if data["agent"]:
        return data["agent"]
    made = "made" if data["created"] else "kept"
    if data["shared"]:
        how = f"{data['store']} is shared from now on" if data["opened"] else f"{made} {data['store']}, shared"
        return (
            f"{how}; to hand it to git: git add {data['store']}\n"
            "on a machine that has a store of its own, do the same and commit, before git pull replaces it\n"
        )
    return f"{made} {data['store']}, private: git does not see it; to share it: promptx-mem init --shared\n"
