"""The MCP server over stdio (extra `promptx-mem[mcp]`). It calls Memory, so all rules of the command line apply."""
