"""edit as text: what remember says, or that nothing was changed."""

from typing import Any

from promptx_mem.cli.render import remember
from promptx_mem.cli.render.change import line


def text(data: dict[str, Any]) -> str:
    return line("unchanged", data) if data["verdict"] == "unchanged" else remember.text(data)
