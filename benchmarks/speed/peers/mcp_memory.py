"""The memory server of the Model Context Protocol: a process that answers one call over stdio and ends."""

import json
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from benchmarks.speed.peers.peer import node, npm
from benchmarks.speed.process import Command, environment

VERSION = "2026.8.31"


class McpMemory:
    name = f"MCP server-memory {VERSION}"

    def set_up(self, home: Path) -> None:
        package = npm(home / "mcp-memory", f"@modelcontextprotocol/server-memory@{VERSION}")
        self._argv = (node(home), str(package / "dist" / "index.js"))

    def load(self, folder: Path, texts: Sequence[str]) -> None:
        folder.mkdir(parents=True)
        lines = (json.dumps({"type": "entity", **_entity(text)}, ensure_ascii=False) for text in texts)
        (folder / "memory.jsonl").write_text("\n".join(lines), "utf-8")

    def write(self, folder: Path, text: str) -> Command:
        return self._call(folder, "create_entities", {"entities": [_entity(text)]})

    def search(self, folder: Path, word: str) -> Command:
        return self._call(folder, "search_nodes", {"query": word})

    def kept(self, folder: Path) -> str:
        return (folder / "memory.jsonl").read_text("utf-8")

    def _call(self, folder: Path, tool: str, arguments: dict[str, Any]) -> Command:
        return Command(
            self._argv,
            folder,
            environment(folder, MEMORY_FILE_PATH=str(folder / "memory.jsonl")),
            session_input(tool, arguments),
        )


def session_input(tool: str, arguments: dict[str, Any]) -> bytes:
    """Return the input of a client that makes one call."""
    hello = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}},
    ]
    return "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages).encode()


def _entity(text: str) -> dict[str, Any]:
    name = blake2b(text.encode(), digest_size=8).hexdigest()
    return {"name": name, "entityType": "fact", "observations": [text]}
