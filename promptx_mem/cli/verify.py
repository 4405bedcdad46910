"""From now on it counts as noted today."""

from typing import Any

from promptx_mem.cli.one_memory import command_for, line
from promptx_mem.memory import Memory

command = command_for(Memory.verify)


def as_text(data: dict[str, Any]) -> str:
    return line("🧠 verified", data)
