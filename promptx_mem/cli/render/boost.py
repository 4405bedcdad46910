"""boost as text."""

from typing import Any

from promptx_mem.cli.render.change import importance, line


def text(data: dict[str, Any]) -> str:
    return line("🧠", {**data, "note": importance(data)})
