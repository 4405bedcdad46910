"""The server's own tests need the extra promptx-mem[mcp], which `dev` brings along."""

import importlib.util

collect_ignore = [] if importlib.util.find_spec("mcp.server") else ["test_codex.py", "test_server.py"]
