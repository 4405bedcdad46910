"""Reads one event of Claude Code (PreToolUse) or Gemini CLI (BeforeTool) on stdin and answers in that host's form.

A tool call that writes to a memory is denied with the command that does the same; everything else passes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptx_mem.hooks import guard
from promptx_mem.result import Result

if TYPE_CHECKING:  # typer reads the annotations, and only where a command line has options (cli/parser)
    from promptx_mem.cli import options


def command(json: options.Json = False) -> Result:
    return Result("guard", {"answer": guard.answer()})
