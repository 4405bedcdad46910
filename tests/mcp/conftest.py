"""The tests of the MCP server need the extra promptx-mem[mcp], which `dev` includes."""

import importlib.util

collect_ignore = [] if importlib.util.find_spec("mcp.server") else ["test_codex.py", "test_server.py"]
