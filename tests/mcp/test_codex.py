"""Raw lines to the server: a recorded call of Codex, and lines that the SDK cannot read."""

import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.api import Cues, Memory
from tests.inside import INSTRUCTIONS, OFF, TOOLS

RECORDED = json.loads((Path(__file__).parent / "recorded" / "codex.json").read_text("utf-8"))
META = RECORDED["params"]["_meta"]
SESSION = META["sessionId"]
HOST = """
import os, subprocess, sys
few = {name: os.environ[name] for name in sys.argv[1].split(",") if name in os.environ}
subprocess.run([sys.executable, "-m", "promptx_mem", "mcp"], env=few, check=True)
"""
"""A host that passes on only some of its variables."""


def _answers(root: Path, command: list[str], lines: list[str], **environment: str) -> dict[int, Any]:
    """Send raw lines to a real server. Return its answers by request id."""
    places = {"PATH": os.environ["PATH"], "HOME": f"{root}-home", "XDG_STATE_HOME": os.environ["XDG_STATE_HOME"]}
    start = [
        {"id": 0, "method": "initialize", "params": RECORDED["initialize"]},
        {"method": "notifications/initialized"},
    ]
    first = [json.dumps({"jsonrpc": "2.0", **one}).replace("{root}", str(root)) for one in start]
    said: dict[int, Any] = {}
    words, env = [sys.executable, *command], places | environment
    with subprocess.Popen(words, cwd=root, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        late = threading.Timer(60, server.kill)  # if an answer is missing, readline returns at the end of file
        late.start()
        for line in [*first, *lines]:
            server.stdin.write(line + "\n")
            server.stdin.flush()
            if '"id"' in line:
                answer = json.loads(server.stdout.readline())
                said[answer["id"]] = answer
        late.cancel()
        server.stdin.close()
        assert server.wait(30) == 0
    return said


def _ask(root: Path, method: str, params: dict[str, Any], passed: str = "", **environment: str) -> dict[str, Any]:
    """Send a first request in a project. Return the result."""
    question = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).replace("{root}", str(root))
    names = ",".join([*RECORDED["environment"], passed])
    return dict(_answers(root, ["-c", HOST, names], [question], **environment)[1]["result"])


def test_instructions_and_tool_texts_contain_the_searched_words() -> None:
    """Codex shows the model the first 250 characters of the instructions, and searches names and descriptions."""
    assert {"memory", "recall", "remember"} <= set(re.findall(r"\w+", INSTRUCTIONS[:247]))
    said = {name: set(re.findall(r"\w+", f"{name} {tool.about}".lower())) for name, tool in TOOLS.items()}
    assert set(TOOLS["change"].arguments["action"]["enum"]) <= said["change"]
    assert {"store", "fact"} <= said["remember"]


def test_call_is_recorded_under_the_session_of_the_host(tmp_path: Path) -> None:
    said = _ask(tmp_path, "tools/call", RECORDED["params"])
    assert not said["isError"]
    assert f'"s":"{SESSION}"' in (tmp_path / ".memory" / "audit.jsonl").read_text("utf-8")
    shown = json.loads(RECORDED["output"].replace("{root}", str(tmp_path)).partition("Output:\n")[2])
    assert said["structuredContent"] == shown


@pytest.mark.parametrize("passed", ["", OFF])
def test_private_host_is_offered_no_tools(tmp_path: Path, passed: str) -> None:
    if not passed and not os.access("/proc/self/environ", os.R_OK):
        pytest.skip("the environment of another process cannot be read here")
    assert _ask(tmp_path, "tools/list", {}, passed, **{OFF: "1"})["tools"] == []


@pytest.mark.parametrize("value", ["", "0"])
def test_host_with_an_empty_or_zero_variable_is_not_private(tmp_path: Path, value: str) -> None:
    assert len(_ask(tmp_path, "tools/list", {}, **{OFF: value})["tools"]) == 8


def _texts(root: Path) -> set[str]:
    return {one["text"] for one in Memory.open(str(root / ".memory")).recall(Cues(count=100)).data["memories"]}


def call(number: int, text: str) -> str:
    arguments = f'{{"text":"{text}","tags":["t"],"score":9}}'
    params = f'{{"name":"remember","arguments":{arguments}}}'
    return f'{{"jsonrpc":"2.0","id":{number},"method":"tools/call","params":{params}}}'


ROWS = {
    1: (r"a\ud800b", "a\ufffdb"),
    2: (r"c\udc00", "c\ufffd"),
    3: (r"\ud83d\ude00 d", "😀 d"),
    4: (r"e\\ud800", r"e\ud800"),
    5: (r"f\uD800\ud800", "f\ufffd\ufffd"),
}


def test_lone_surrogates_are_stored_as_replacement_characters(tmp_path: Path) -> None:
    said = _answers(tmp_path, ["-m", "promptx_mem", "mcp"], [call(number, text) for number, (text, _) in ROWS.items()])
    assert all("error" not in said[number]["result"]["structuredContent"] for number in ROWS)
    assert _texts(tmp_path) == {text for _, text in ROWS.values()}
