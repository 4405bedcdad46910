"""It supersedes what had superseded it."""

from typing import Any

from promptx_mem.cli.one_memory import command_for, line
from promptx_mem.memory import Memory

command = command_for(Memory.restore)


def as_text(data: dict[str, Any]) -> str:
    return line("🧠 restored", data)
