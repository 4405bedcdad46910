"""converse as text: one line, and one for each memory that was made; --show as a dialogue."""

from typing import Any

from promptx_mem.cli.render import elsewhere
from promptx_mem.core.text import printable_lines, shorten

_SPEAKERS = {"user": "❯", "assistant": "◆"}
_SUMMARY = 60
_LISTED = 5


def text(data: dict[str, Any]) -> str:
    if data.get("messages") is not None:
        return _dialogue(data)
    known = f", {data['known']} known" if data["known"] else ""
    place = f"  in {where}" if (where := elsewhere(data)) else ""
    lines = [f"💬 {data['added']} added{known}, {data['waiting']} in working memory{place}\n"]
    rolled = data["rolled"]
    lines += [f"🧠 {shorten(item['text'], _SUMMARY)}  {item['id']}\n" for item in rolled[:_LISTED]]
    if len(rolled) > _LISTED:
        lines.append(f"🧠 … and {len(rolled) - _LISTED} more\n")
    return "".join(lines)


def _dialogue(data: dict[str, Any]) -> str:
    if not data["messages"]:
        return f"working memory of {data['session']} is empty\n"
    lines = []
    for message in data["messages"]:
        when = (message["at"] or "")[:16].replace("T", " ")
        said = printable_lines(message["text"]).replace("\n", "\n  ")
        lines.append(f"{_SPEAKERS.get(message['role'], message['role'])} {said}{f'  ({when})' if when else ''}\n")
    return "".join(lines)
