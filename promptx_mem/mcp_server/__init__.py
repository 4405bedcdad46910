"""The MCP server over stdio: it calls Memory, so every rule is that of the command line (extra `promptx-mem[mcp]`)."""
