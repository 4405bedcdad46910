"""It supersedes what had superseded it."""

from promptx_mem.cli.one_memory import command_for, line
from promptx_mem.memory import Memory
from promptx_mem.usecases.change import Change

command = command_for(Memory.restore)


def as_text(data: Change) -> str:
    return line("🧠 restored", data, data["note"])
