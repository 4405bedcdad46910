"""review as text: two lines a question, or the prompts for an agent."""

from typing import Any

from promptx_mem.cli.render.change import line
from promptx_mem.core.text import shorten


def text(data: dict[str, Any]) -> str:
    if data.get("decision"):
        end = "" if data["lives"] else "; it has ended"
        return line("🧠", {**data, "note": f"{data['review']} review: {data['decision']}{end}"})
    if not data["reviews"]:
        return "nothing waits for a decision\n"
    if data["as_prompt"]:
        return "\n---\n\n".join(item["prompt"] for item in data["reviews"])
    return "".join(_question(item) for item in data["reviews"])


def _question(item: dict[str, Any]) -> str:
    asked = "core for ever?" if item["review"] == "promotion" else "still of value?"
    answers = "promote|keep|delete" if item["review"] == "promotion" else "keep|delete"
    return (
        f"{item['id']}  {asked}  importance {item['importance']:g}  {shorten(item['text'], 60)}\n"
        f"  promptx-mem review {item['id']} {answers}\n"
    )
