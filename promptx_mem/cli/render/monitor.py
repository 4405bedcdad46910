"""monitor as text: a line for each directive; the prompt where there is no judge."""

from typing import Any

from promptx_mem.cli.render import elsewhere
from promptx_mem.core.text import shorten

_MARKS = {"done": "🧠", "skipped": "·", "ignored": "·", "failed": "🚫"}
_TEXT = 40


def text(data: dict[str, Any]) -> str:
    if data.get("prompt"):
        hint = "No judge is configured (llm.command): answer this yourself, with promptx-mem monitor '[ADD] …' …"
        return f"{data['prompt']}\n{hint}\n"
    place = f"   in {where}\n" if (where := elsewhere(data)) and data["done"] else ""
    return "".join(map(_line, data["items"])) + place or "no directive\n"


def _line(item: dict[str, Any]) -> str:
    outcome = item["outcome"] if item["op"] in ("error", "ignored", "skip", None) else item["op"]
    said = shorten(item["text"] or item["line"], _TEXT)
    ident = f"  {item['id']}" if item["id"] else ""
    note = f"  ({item['message']})" if item["message"] else ""
    return f"{_MARKS[item['outcome']]} {outcome}: {said}{ident}{note}\n"
