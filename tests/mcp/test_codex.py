"""What Codex sent to the server in a real call, played again: its session, its few variables, what its model got."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.inside import HOSTS, INSTRUCTIONS, TOOLS, VARIABLE

RECORDED = json.loads((Path(__file__).parent / "recorded" / "codex.json").read_text("utf-8"))
META = RECORDED["params"]["_meta"]
SESSION = META["sessionId"]
HOST = """
import os, subprocess, sys
few = {name: os.environ[name] for name in sys.argv[1].split(",") if name in os.environ}
subprocess.run([sys.executable, "-m", "promptx_mem", "mcp"], env=few, check=True)
"""
"""A host that passes on only some of its variables."""


def _ask(root: Path, method: str, params: dict[str, Any], passed: str = "", **environment: str) -> dict[str, Any]:
    """What the server says to a first question in a project."""
    lines: list[dict[str, Any]] = [
        {"id": 0, "method": "initialize", "params": RECORDED["initialize"]},
        {"method": "notifications/initialized"},
        {"id": 1, "method": method, "params": params},
    ]
    names = ",".join([*RECORDED["environment"], passed])
    with subprocess.Popen(
        [sys.executable, "-c", HOST, names],
        cwd=root,
        env={
            "PATH": os.environ["PATH"],
            "HOME": f"{root}-home",
            "XDG_STATE_HOME": os.environ["XDG_STATE_HOME"],
            **environment,
        },
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as host:
        assert host.stdin is not None
        assert host.stdout is not None
        for line in lines:
            host.stdin.write(json.dumps({"jsonrpc": "2.0", **line}).replace("{root}", str(root)) + "\n")
            host.stdin.flush()
            said = json.loads(host.stdout.readline()) if "id" in line else {}
        host.stdin.close()
        assert host.wait(30) == 0
    return dict(said["result"])


def test_the_recorded_call_is_of_the_host_and_has_its_arguments() -> None:
    assert RECORDED["host"] == HOSTS["codex"].title
    assert json.loads(RECORDED["item"]["arguments"]) == RECORDED["params"]["arguments"]


def test_a_model_that_searches_for_tools_knows_of_them_and_finds_them() -> None:
    """Codex shows it the first 250 characters of the instructions, and looks into names and descriptions."""
    assert {"memory", "recall", "remember"} <= set(re.findall(r"\w+", INSTRUCTIONS[:247]))
    said = {name: set(re.findall(r"\w+", f"{name} {tool.about}".lower())) for name, tool in TOOLS.items()}
    assert set(TOOLS["change"].arguments["action"]["enum"]) <= said["change"]
    assert {"store", "fact"} <= said["remember"]


def test_a_call_belongs_to_the_session_of_its_hooks_and_commands(tmp_path: Path) -> None:
    said = _ask(tmp_path, "tools/call", RECORDED["params"])
    assert not said["isError"]
    assert f'"s":"{SESSION}"' in (tmp_path / ".memory" / "audit.jsonl").read_text("utf-8")
    shown = json.loads(RECORDED["output"].replace("{root}", str(tmp_path)).partition("Output:\n")[2])
    assert said["structuredContent"] == shown


@pytest.mark.parametrize("passed", ["", VARIABLE])
def test_a_private_host_is_offered_nothing(tmp_path: Path, passed: str) -> None:
    if not passed and not os.access("/proc/self/environ", os.R_OK):
        pytest.skip("what another process has in its environment cannot be read here")
    assert _ask(tmp_path, "tools/list", {}, passed, **{VARIABLE: "1"})["tools"] == []


@pytest.mark.parametrize("value", ["", "0"])
def test_a_host_with_the_variable_off_is_not_private(tmp_path: Path, value: str) -> None:
    assert len(_ask(tmp_path, "tools/list", {}, **{VARIABLE: value})["tools"]) == 8
