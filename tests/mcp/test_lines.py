"""Lines that a client may send, and the SDK cannot read: each is answered."""

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from tests.api import Cues, Memory


def answers(root: Path, *lines: str) -> dict[int, Any]:
    """What a real server says to some raw lines, by the number of the question."""
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    start = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ]
    command = [sys.executable, "-m", "promptx_mem", "mcp", "--memory-dir", str(root / ".memory")]
    said: dict[int, Any] = {}
    with subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        late = threading.Timer(60, server.kill)  # who waits for an answer that never comes reads the end
        late.start()
        for line in [*map(json.dumps, start), *lines]:
            server.stdin.write(line + "\n")
            server.stdin.flush()
            if '"id"' in line:
                answer = json.loads(server.stdout.readline())
                said[answer["id"]] = answer
        late.cancel()
        server.stdin.close()
        assert server.wait(30) == 0
    return said


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


def test_a_lone_surrogate_is_answered(tmp_path: Path) -> None:
    said = answers(tmp_path, *(call(number, text) for number, (text, _) in ROWS.items()))
    assert all("error" not in said[number]["result"]["structuredContent"] for number in ROWS)
    assert _texts(tmp_path) == {text for _, text in ROWS.values()}
