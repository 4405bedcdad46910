"""server.json names the server with its extra, as the registry of MCP servers starts it."""

import json
import re
from pathlib import Path

SERVER = json.loads((Path(__file__).parents[1] / "server.json").read_text("utf-8"))


def test_what_it_runs_is_the_server_with_its_extra() -> None:
    [package] = SERVER["packages"]
    assert package["transport"] == {"type": "stdio"}
    runtime = [part for one in package["runtimeArguments"] for part in (one["name"], one["value"])]
    words = [
        package["runtimeHint"],
        *runtime,
        package["identifier"],
        *(one["value"] for one in package["packageArguments"]),
    ]
    assert words == ["uvx", "--with", "promptx-mem[mcp]", "promptx-mem", "mcp"]
    assert re.fullmatch(r"io\.github\.[\w-]+/promptx-mem", SERVER["name"])
    assert package["registryType"] == "pypi"
