"""Counts at most once in 2 hours and adds at most 1.0 a day."""

from promptx_mem.cli.one_memory import command_for
from promptx_mem.memory import Memory

command = command_for(Memory.boost)
