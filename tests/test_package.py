"""What is published: a source archive that holds all that its tests need, and a name that the MCP registry finds."""

import json
import re
import subprocess
import tomllib
from pathlib import Path

import promptx_mem

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_the_source_archive_holds_everything() -> None:
    included = SETTINGS["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert included == sorted(included)
    assert not [name for name in included if not (ROOT / name).exists()]
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    top = {name.partition("/")[0] for name in tracked.split("\n") if name}
    assert top <= {*included, "pyproject.toml"}


def test_the_registry_finds_the_server() -> None:
    server = json.loads((ROOT / "server.json").read_text("utf-8"))
    assert server["version"] == promptx_mem.__version__ == server["packages"][0]["version"]
    for page in ("README.md", "README.zh-CN.md"):
        assert re.findall(r"<!-- mcp-name: (\S+) -->", (ROOT / page).read_text("utf-8")) == [server["name"]]
