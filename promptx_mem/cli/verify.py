"""From now on it counts as noted today."""

from promptx_mem.cli.one_memory import command_for
from promptx_mem.memory import Memory

command = command_for(Memory.verify)
