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


def measure(python: Path, folder: Path, calls: int) -> dict[str, Any]:
    """Return milliseconds from start to first answer, and for each tool those of its first call and the median."""
    taken: dict[str, list[float]] = {}
    begin = time.perf_counter()
    with Server(python, folder) as server:
        ready = 1000 * (time.perf_counter() - begin)
        for number in range(calls + 1):
            wanted: dict[str, dict[str, Any]] = {
                "recall": {"query": FACTS[-1 - number][:12]},
                "remember": {"text": FACTS[number], "tags": ["fact"], "score": 8},
                "list": {},
                "review": {},
            }
            for tool, arguments in wanted.items():
                begin = time.perf_counter()
                server.call(tool, arguments)
                taken.setdefault(tool, []).append(1000 * (time.perf_counter() - begin))
    tools = {
        tool: {"first_ms": round(first, 2), "ms": round(statistics.median(rest), 2), "slowest_ms": round(max(rest), 2)}
        for tool, (first, *rest) in taken.items()
    }
    return {"ready_ms": round(ready, 1), "calls": calls, "tools": tools}
