"""What is offered to hosts as a whole: the plugin for Claude Code, and the entry for the registry of MCP servers."""

import json
import re
from pathlib import Path
from typing import Any

from promptx_mem import __version__
from promptx_mem.hooks.entries import Setup
from promptx_mem.private import VARIABLE
from promptx_mem.store.layout import ENVIRONMENT

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "plugins" / "claude-code"


def _read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def test_its_hooks_are_those_that_install_writes() -> None:
    assert _read(PLUGIN / "hooks" / "hooks.json")["hooks"] == Setup("claude", "project").entries()


def test_its_server_is_the_program() -> None:
    assert _read(PLUGIN / ".mcp.json")["mcpServers"]["promptx-mem"] == {"command": "promptx-mem", "args": ["mcp"]}


def test_versions_and_places_are_those_of_the_package() -> None:
    assert _read(PLUGIN / ".claude-plugin" / "plugin.json")["version"] == __version__
    [offered] = _read(ROOT / ".claude-plugin" / "marketplace.json")["plugins"]
    assert (ROOT / offered["source"]).resolve() == PLUGIN
    server = _read(ROOT / "server.json")
    [package] = server["packages"]
    assert (server["version"], package["version"], package["identifier"]) == (__version__, __version__, "promptx-mem")
    assert {one["name"] for one in package["environmentVariables"]} == {ENVIRONMENT, VARIABLE}
    assert len(server["description"]) <= 100  # the registry takes no more


def test_its_skill_says_when_and_names_commands_that_exist() -> None:
    text = (PLUGIN / "skills" / "memory" / "SKILL.md").read_text("utf-8")
    front = re.match(r"---\nname: memory\ndescription: (.+)\n---\n", text)
    assert front
    assert 50 < len(front[1]) <= 1_024
    for command in ("recall", "remember --explicit", "remember --split", "remember --update", "forget", "review"):
        assert f"promptx-mem {command}" in text
