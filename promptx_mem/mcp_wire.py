"""The lines of an MCP client. Those that the SDK cannot read are corrected, since the SDK would not answer them."""

import io
import os
import re

from promptx_mem.record import Any

_SURROGATE = "\\ud"
_ESCAPE = r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
"""A JSON escape; its group is a lone surrogate."""
_NUMBER = r'"(?:[^"\\]|\\.)*+"|(-?\d[\d.eE+-]*+)'
"""A JSON string, or a number in the group."""
_MAX_NUMBER = 400


async def serve(server: Any) -> None:
    """Serve as the SDK does, but from a corrected standard input. For child processes stdin is closed."""
    import anyio
    from mcp.server.stdio import stdio_server

    wire = os.dup(0)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    # closefd: a thread may still be reading when all else has ended
    stdin = _Mended(os.fdopen(wire, "rb", closefd=False), encoding="utf-8", errors="replace")
    async with stdio_server(anyio.wrap_file(stdin)) as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


class _Mended(io.TextIOWrapper):
    """Lines of JSON whose lone surrogates become U+FFFD, and whose very long numbers become texts.

    The SDK drops a line with one of them, and never answers it.
    """

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override] # as in the standard library
        line = super().readline(size)
        if len(line) > _MAX_NUMBER:
            line = re.sub(_NUMBER, _readable, line)
        return re.sub(_ESCAPE, _whole, line) if _SURROGATE in line.lower() else line


def _readable(match: re.Match[str]) -> str:
    return f'"{match[1]}"' if match[1] and len(match[1]) >= _MAX_NUMBER else match[0]


def _whole(match: re.Match[str]) -> str:
    return "\\ufffd" if match[1] else match[0]
