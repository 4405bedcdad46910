"""What a process does that answers one call after the other, as the MCP server."""

from promptx_mem.search.cache import keep_open


def begin() -> None:
    """Keep the cache open between the calls, all of which are to be of one thread."""
    keep_open()
