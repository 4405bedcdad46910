"""The last line holds its tags, score and duration."""

from promptx_mem.cli.one_memory import command_for
from promptx_mem.memory import Memory

command = command_for(Memory.edit)
