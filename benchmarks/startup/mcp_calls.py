"""What a call to the MCP server takes at 1,000 memories: the SDK's own client, a real process, medians.

Usage: python -m benchmarks.startup.mcp_calls [CALLS]      (needs the extra: pip install '.[mcp]')
"""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import mcp

from benchmarks.store.__main__ import make

MEMORIES = 1_000


async def timed(session: Any, tool: str, **arguments: Any) -> float:
    begin = time.perf_counter()
    result = await session.call_tool(tool, arguments)
    assert not result.is_error, result
    return 1000 * (time.perf_counter() - begin)


async def measure(root: Path, calls: int) -> dict[str, list[float]]:
    parameters = mcp.StdioServerParameters(
        command=sys.executable,
        args=["-m", "promptx_mem", "mcp"],
        cwd=str(root.parent),
        env={"PATH": os.environ["PATH"], "HOME": str(root.parent)},
    )
    taken: dict[str, list[float]] = {}
    async with mcp.stdio_client(parameters) as (reading, writing), mcp.ClientSession(reading, writing) as session:
        await session.initialize()
        for number in range(calls + 1):
            wanted: dict[str, dict[str, Any]] = {
                "recall": {"query": "database 数据库"},
                "remember": {"text": f"a fact of call {number} 新的事实", "tags": ["t"], "score": 8},
                "stats": {},
                "review": {},
            }
            for tool, arguments in wanted.items():
                taken.setdefault(tool, []).append(await timed(session, tool, **arguments))
    return taken


def main() -> None:
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / ".memory"
        root.mkdir()
        make(root, MEMORIES, "distinct")
        for tool, times in asyncio.run(measure(root, calls)).items():
            first, *rest = times
            print(f"{tool:10} first {first:6.1f} ms, then {statistics.median(rest):5.1f} ms (slowest {max(rest):.1f})")


if __name__ == "__main__":
    main()
