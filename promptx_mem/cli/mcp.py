"""For agents that speak the Model Context Protocol (docs/agents.md lists the tools).

The store: --memory-dir, PROMPTX_MEM_DIR, or up from the working directory.
"""

import importlib.util

from promptx_mem.cli.options import Json, MemoryDir
from promptx_mem.errors import no_extra
from promptx_mem.result import Nothing, Result


def command(
    memory_dir: MemoryDir = None,
    json: Json = False,
) -> Result[Nothing]:
    try:
        spec = importlib.util.find_spec("mcp.server.lowlevel")
    except ModuleNotFoundError:
        spec = None
    if spec is None:
        raise no_extra("the MCP server needs an extra that is not installed", "mcp")
    import gc

    from promptx_mem.mcp_server.server import serve

    # It runs for long, but the loaded modules stay, and a call's thousands of objects are freed with it.
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    gc.enable()
    serve(memory_dir)
    return Result("mcp", {})


def as_text(data: Nothing) -> str:
    return ""
