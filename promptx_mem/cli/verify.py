"""Its age counts from today."""

from promptx_mem.cli.one_memory import command_for, line
from promptx_mem.memory import Memory
from promptx_mem.usecases.change import Change

command = command_for(Memory.verify)


def as_text(data: Change) -> str:
    return line("🧠 verified", data, data["note"])
