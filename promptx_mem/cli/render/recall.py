"""recall as text: two lines a memory, the same on a pipe and, without colour, on a terminal."""

from typing import Any

from promptx_mem.core.syntax import format_score
from promptx_mem.core.text import printable_lines


def text(data: dict[str, Any]) -> str:
    if not data["memories"]:
        what = f" for {' '.join(data['cues'])}" if data["cues"] else ""
        nothing = f"nothing found{what}" if data["total"] else "the memory is empty"
        return "".join(f"{line}\n" for line in [nothing, *(f"  {miss}" for miss in data["near_misses"])])
    return "".join(memory_lines(memory) for memory in data["memories"])


def memory_lines(memory: dict[str, Any]) -> str:
    """One memory: its text with tags, then a line of facts; further lines of the text are indented."""
    text = printable_lines(memory["text"]).replace("\n", "\n  ")
    tags = "".join(f" #{tag}" for tag in memory["tags"])
    facts = [memory["id"], f"score {format_score(memory['score'])}", memory["duration"], memory["at"][:10]]
    if memory["category"] != "fact":
        facts.append(memory["category"])
    if memory["topic"]:
        facts.append(memory["topic"])
    if not memory["lives"]:
        facts.append(f"ended ({memory['end']})")
    out = f"- {text}{tags}\n  {'  '.join(facts)}\n"
    for name, value in memory.get("why", {}).items():
        out += f"    {value:8.3f}  {name}\n"
    return out
