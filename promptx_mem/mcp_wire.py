"""Input from an MCP client. Lines that the MCP SDK cannot read are corrected, since the SDK would never answer them."""

import io
import os
import re

from promptx_mem.record import Any

_SURROGATE = "\\ud"
_ESCAPE = r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
"""A JSON escape. Its group matches only a lone surrogate."""
_NUMBER = r'"(?:[^"\\]|\\.)*+"|(-?\d[\d.eE+-]*+)'
"""A JSON string or a number. Its group matches only a number."""
_MAX_NUMBER = 400


async def serve(server: Any) -> None:
    """Serve through the MCP SDK, but correct the lines from stdin first. Child processes get an empty stdin."""
    import anyio
    from mcp.server.stdio import stdio_server

    wire = os.dup(0)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    # closefd: a thread can still be reading when everything else has ended
    stdin = _Corrected(os.fdopen(wire, "rb", closefd=False), encoding="utf-8", errors="replace")
    async with stdio_server(anyio.wrap_file(stdin)) as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


class _Corrected(io.TextIOWrapper):
    """An input stream of JSON lines. It replaces lone surrogates by U+FFFD, and turns very long numbers into strings.

    The SDK drops a line with a lone surrogate or a very long number, and never answers it.
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
