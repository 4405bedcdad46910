"""The last line holds its tags, score and duration."""

from promptx_mem.cli import remember
from promptx_mem.cli.one_memory import command_for, line
from promptx_mem.memory import Memory
from promptx_mem.usecases.attempt import Remember

command = command_for(Memory.edit)


def as_text(data: Remember) -> str:
    return line("unchanged", data) if data["verdict"] == "unchanged" else remember.as_text(data)
