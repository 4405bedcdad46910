"""mcp as text: nothing, since its stdout is the protocol's."""

from typing import Any


def text(data: dict[str, Any]) -> str:
    return ""
