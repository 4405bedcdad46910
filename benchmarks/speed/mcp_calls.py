"""Time of calls to the MCP server: a real process and a small client, one call after the other."""

import json
import statistics
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from benchmarks.speed.process import environment
from benchmarks.speed.rows import FACTS


class Server:
    """The server's process; `call` waits for its answer."""

    def __init__(self, python: Path, folder: Path) -> None:
        self._number = 0
        self._process = subprocess.Popen(
            [python.with_name("promptx-mem"), "mcp"],
            cwd=folder,
            env=environment(folder),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def __enter__(self) -> Self:
        hello = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self._ask("initialize", hello)
        self._say({"method": "notifications/initialized"})
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.communicate()

    def call(self, tool: str, arguments: dict[str, Any]) -> None:
        result = self._ask("tools/call", {"name": tool, "arguments": arguments})
        assert not result.get("isError"), result

    def _ask(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        self._say({"id": self._number, "method": method, "params": parameters})
        assert self._process.stdout
        while line := self._process.stdout.readline():
            answer = json.loads(line)
            if answer.get("id") == self._number:
                assert "result" in answer, answer
                return dict(answer["result"])
        raise EOFError(method)

    def _say(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()


_CALLS = """
import json, sys, time
from promptx_mem.mcp_server.tools import Tools
from promptx_mem.memory import begin

begin()  # as the server does
tools = Tools(None)
for calls in json.load(sys.stdin):
    for tool, arguments in calls.items():
        begin = time.perf_counter()
        answer, failed = tools.call(tool, arguments, None)
        print(tool, 1000 * (time.perf_counter() - begin))
        assert not failed, answer
"""
"""Program that runs the server's tools in one process, without a client. It prints milliseconds."""


def _calls(number: int) -> dict[str, dict[str, Any]]:
    """Return one call of each tool. Every number gives other arguments."""
    return {
        "recall": {"query": FACTS[-1 - number][:12]},
        "remember": {"text": FACTS[number], "tags": ["fact"], "score": 8},
        "list": {},
        "review": {},
    }


def measure(python: Path, folder: Path, calls: int) -> dict[str, Any]:
    """Return milliseconds from start to first answer, and those of each tool's calls.

    For each tool: with a client, the first call, the median and the slowest of the others; and `inside_ms`, the median
    of as many other calls in one process, without a client.
    """
    taken: dict[str, list[float]] = {}
    begin = time.perf_counter()
    with Server(python, folder) as server:
        ready = 1000 * (time.perf_counter() - begin)
        for number in range(calls + 1):
            for tool, arguments in _calls(number).items():
                begin = time.perf_counter()
                server.call(tool, arguments)
                taken.setdefault(tool, []).append(1000 * (time.perf_counter() - begin))
    inside = _inside(python, folder, [_calls(number) for number in range(calls + 1, 2 * calls + 2)])
    tools = {
        tool: {
            "first_ms": round(first, 2),
            "ms": round(statistics.median(rest), 2),
            "slowest_ms": round(max(rest), 2),
            "inside_ms": round(statistics.median(inside[tool][1:]), 2),
        }
        for tool, (first, *rest) in taken.items()
    }
    return {"ready_ms": round(ready, 1), "calls": calls, "tools": tools}


def _inside(python: Path, folder: Path, calls: list[dict[str, dict[str, Any]]]) -> dict[str, list[float]]:
    """Return the milliseconds of each tool's calls in one process."""
    run = subprocess.run(
        [python, "-c", _CALLS],
        cwd=folder,
        env=environment(folder),
        input=json.dumps(calls),
        capture_output=True,
        text=True,
        check=True,
    )
    taken: dict[str, list[float]] = {}
    for tool, ms in map(str.split, run.stdout.splitlines()):
        taken.setdefault(tool, []).append(float(ms))
    return taken
