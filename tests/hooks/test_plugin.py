"""The plugins for Claude Code and Codex."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from promptx_mem import __version__
from promptx_mem.cli import setup as cli
from promptx_mem.hooks import setup
from promptx_mem.hooks.entries import Setup
from promptx_mem.places import OFF

ROOT = Path(__file__).parents[2]
PLUGINS = ROOT / "plugins"
DEBUG = "PROMPTX_MEM_DEBUG"
HOSTS = {"claude": "claude-code", "codex": "codex"}
"""The hosts that have a plugin, each with its folder."""


@pytest.fixture(autouse=True)
def _has_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that the library of the MCP server is installed."""
    monkeypatch.setattr(setup, "_has_extra", lambda: True)


@pytest.fixture(params=HOSTS)
def host(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def plugin(host: str) -> Path:
    return PLUGINS / HOSTS[host]


def _read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def test_plugin_has_the_hooks_that_setup_writes(host: str, plugin: Path) -> None:
    assert _read(plugin / "hooks" / "hooks.json")["hooks"] == Setup(host).entries()


def test_plugin_starts_the_program_as_mcp_server(host: str, plugin: Path) -> None:
    """Codex passes only the named variables to the server."""
    server = _read(plugin / ".mcp.json")["mcpServers"]["promptx-mem"]
    documented = re.findall(
        r"^\| `(PROMPTX_MEM_\w+)`", (ROOT / "docs" / "settings.md").read_text("utf-8"), re.MULTILINE
    )
    passed = (
        {"env_vars": [name for name in documented if name not in (DEBUG, "PROMPTX_MEM_LANG")]}
        if host == "codex"
        else {}
    )
    assert OFF in documented
    assert server == {"command": "promptx-mem", "args": ["mcp"], **passed}


def test_plugin_manifest_names_the_version_and_existing_files(host: str, plugin: Path) -> None:
    manifest = _read(plugin / f".{host}-plugin" / "plugin.json")
    assert (manifest["name"], manifest["version"]) == ("promptx-mem", __version__)
    named = {"skills": "./skills/", "mcpServers": "./.mcp.json", "hooks": "./hooks/hooks.json"}
    assert all((plugin / path).exists() for path in named.values())
    if host == "codex":  # Claude Code uses the default paths
        assert named.items() <= manifest.items()


def test_marketplaces_point_to_the_plugins() -> None:
    [offered] = _read(ROOT / ".claude-plugin" / "marketplace.json")["plugins"]
    assert (ROOT / offered["source"]).resolve() == PLUGINS / "claude-code"
    [offered] = _read(ROOT / ".agents" / "plugins" / "marketplace.json")["plugins"]
    assert (ROOT / offered["source"]["path"]).resolve() == PLUGINS / "codex"


def test_plugin_skill_has_a_description_and_names_the_commands(plugin: Path) -> None:
    text = (plugin / "skills" / "memory" / "SKILL.md").read_text("utf-8")
    front = re.match(r"---\nname: memory\ndescription: (.+)\n---\n", text)
    assert front
    assert 50 < len(front[1]) <= 1_024
    for command in ("recall", "remember --explicit", "remember --split", "remember --update", "forget", "review"):
        assert f"promptx-mem {command}" in text
    assert len({(PLUGINS / folder / "skills/memory/SKILL.md").read_bytes() for folder in HOSTS.values()}) == 1


ENABLED = {
    "claude": (".claude/settings.json", '{"enabledPlugins": {"promptx-mem@anywhere": true}}'),
    "codex": (".codex/config.toml", '[plugins."promptx-mem@anywhere"]\nenabled = true\n'),
}


def test_status_lists_plugins_and_duplicates(host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setattr("promptx_mem.hooks.entries.in_login_shell", lambda: True)
    name, text = ENABLED[host]
    path = tmp_path / "home" / name
    path.parent.mkdir(parents=True)
    path.write_text(text, "utf-8")
    [known] = [entry for entry in setup.state()[0] if entry["state"] != "none"]
    assert (known["host"], known["state"], known["path"]) == (host, "plugin", str(path))
    assert known["events"] == sorted(Setup(host).entries())
    assert "twice" not in _status()
    assert f"setup {host}" not in _status()
    setup.set_up(host, write=True)
    assert f"promptx-mem setup --remove {host} --yes" in _status()
    path.write_text(text.replace("true", "false"), "utf-8")
    assert "twice" not in _status()


def _status() -> str:
    return cli.as_text(cli.command().data)
