"""index as text: a line that says how much MEMORY.md shows, or the tree of topics."""

from typing import Any

from promptx_mem.core.paths import parse_path
from promptx_mem.core.topics import tree

_LIMITS = {"lines": "200 lines", "bytes": "25 KB"}


def text(data: dict[str, Any]) -> str:
    if data.get("topics") is not None:
        return tree({parse_path(topic["path"]): topic["count"] for topic in data["topics"]}) or (
            "no memory has a topic: promptx-mem remember … --topic 'project->part' gives one\n"
        )
    shown = f"{data['shown']} of {data['total']} memories"
    if data["limit"]:
        shown += f" ({_LIMITS[data['limit']]} are full)"
    if data.get("difference"):
        return f"{data['store']}/MEMORY.md is not current: {data['difference']}\n  → promptx-mem index\n"
    if data.get("written"):
        return f"{data['store']}/MEMORY.md shows {shown}\n"
    return f"{data['store']}/MEMORY.md is current as of {data['as_of']}: {shown}\n"
