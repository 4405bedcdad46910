"""Counts at most once in 2 hours and adds at most 1.0 a day."""

from promptx_mem.cli.one_memory import command_for, line
from promptx_mem.memory import Memory
from promptx_mem.usecases.change import Change

command = command_for(Memory.boost)


def as_text(data: Change) -> str:
    return line("🧠", data, _importance(data))


def _importance(data: Change) -> str:
    before, after = data["importance_before"], data["importance"]
    if before == after:
        return f"importance stays {after:g}: {data['note']}"
    return f"importance {before:g} → {after:g}"
