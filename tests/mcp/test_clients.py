"""Clients of other makes: the inspector's command line, one that shows the text alone, one that shows the structure."""

import asyncio
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mcp
import pytest

READERS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "text": lambda result: json.loads("".join(part.text for part in result.content)),
    "structure": lambda result: result.structured_content,
}


@pytest.mark.parametrize("reader", READERS)
def test_one_form_of_an_answer_is_enough(tmp_path: Path, reader: str) -> None:
    read = READERS[reader]

    async def run() -> None:
        parameters = mcp.StdioServerParameters(
            command=sys.executable,
            args=["-m", "promptx_mem", "mcp"],
            cwd=str(tmp_path),
            env={
                "PATH": os.environ["PATH"],
                "HOME": f"{tmp_path}-home",
                "XDG_STATE_HOME": os.environ["XDG_STATE_HOME"],
            },
        )
        async with mcp.stdio_client(parameters) as streams, mcp.ClientSession(*streams) as session:
            await session.initialize()

            async def call(tool: str, **arguments: Any) -> dict[str, Any]:
                return read(await session.call_tool(tool, arguments))

            facts = [{"text": "用户喜欢茶", "tags": "drink"}, {"text": "the user likes black coffee", "tags": "drink"}]
            stored = await call("remember", facts=facts, score=8)
            assert [item["verdict"] for item in stored["items"]] == ["stored", "stored"]
            [best, *_] = (await call("recall", query="coffee"))["memories"]
            changed = await call("remember", text="the user likes white coffee", score=8, update=best["id"])
            whole = await call("get", id=changed["id"])
            assert whole["memory"]["tags"] == ["drink"]
            assert [item["id"] for item in whole["history"]] == [best["id"]]
            error = (await call("change", id="m_nowhere", action="boost"))["error"]
            assert error["code"] == "not_found"
            assert "promptx-mem" not in error["fix"]
            assert (await call("change", id=changed["id"], action="forget"))["lives"] is False
            assert [item["text"] for item in (await call("list", tags="drink"))["memories"]] == ["用户喜欢茶"]

    asyncio.run(asyncio.wait_for(run(), 60))
