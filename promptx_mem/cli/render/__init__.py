"""Result → what a person reads. A file a command: `text(data)`, and `draw(data, console)` for terminals."""

import importlib
import os
import sys
from typing import Any

from promptx_mem.core.text import printable_lines
from promptx_mem.result import Result

_HERE = os.path.join(".", ".memory")


def render(result: Result, module: str) -> str:
    """What a command says on stdout; empty where it has nothing to say."""
    data = _harmless(result.data)
    room = importlib.import_module(f"promptx_mem.cli.render.{module}")
    if hasattr(room, "draw") and is_terminal():
        from rich.console import Console

        console = Console(highlight=False, markup=False, emoji=False, no_color="NO_COLOR" in os.environ or None)
        with console.capture() as capture:
            room.draw(data, console)
        return capture.get()
    return str(room.text(data))


def elsewhere(data: dict[str, Any]) -> str:
    """The store that was written to where it is not ./.memory, else empty."""
    return "" if data["store"] == _HERE else str(data["store"])


def _harmless(value: Any) -> Any:
    """The same data with nothing in it that a terminal would obey: a path or a line from a file may hold anything."""
    if isinstance(value, str):
        return printable_lines(value)
    if isinstance(value, dict):
        return {key: _harmless(one) for key, one in value.items()}
    return [_harmless(one) for one in value] if isinstance(value, list | tuple) else value


def is_terminal() -> bool:
    """Whether stdout is a terminal that can be drawn on; rich is loaded only then."""
    return sys.stdout is not None and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
