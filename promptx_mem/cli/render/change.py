"""boost, verify, forget and restore as text: one line."""

from typing import Any

from promptx_mem.cli.render import elsewhere
from promptx_mem.core.text import shorten

LABEL = 10


def line(verb: str, data: dict[str, Any]) -> str:
    """What was done to which memory, where it lies if not here, and what there is to say of it."""
    note = f"  ({data['note']})" if data.get("note") else ""
    place = f"\n   in {where}" if (where := elsewhere(data)) else ""
    return f"{verb} {shorten(data['text'], LABEL)}  {data['id']}{note}{place}\n"


def importance(data: dict[str, Any]) -> str:
    before, after = data["importance_before"], data["importance"]
    if before == after:
        return f"importance stays {after:g}: {data['note']}"
    return f"importance {before:g} → {after:g}"
