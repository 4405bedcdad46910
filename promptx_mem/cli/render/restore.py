"""restore as text."""

from typing import Any

from promptx_mem.cli.render.change import line


def text(data: dict[str, Any]) -> str:
    return line("🧠 restored", data)
