"""remember as text: `🧠` and at most 10 characters of it, id and score (SPEC 2.5)."""

from typing import Any

from promptx_mem.cli.render import elsewhere
from promptx_mem.core.syntax import format_score
from promptx_mem.core.text import shorten

LABEL = 10
"""The most characters of a text that a `🧠` line shows (source 001)."""

_VERBS = {"stored": "", "repeated": "  known already", "restored": "  restored", "changed": "  changed"}


def text(data: dict[str, Any]) -> str:
    if data.get("items") is not None:
        return "".join(_item(item) for item in data["items"]) + _place(data)
    return _remembered(data) + _place(data)


def _item(item: dict[str, Any]) -> str:
    if item["error"] is None:
        return _remembered(item)
    hints = "".join(f"   → {line}\n" for line in item["error"]["hint"].split("\n") if line)
    return f"🚫 {shorten(item['text'], LABEL)}  {item['error']['message']}\n{hints}"


def _remembered(data: dict[str, Any]) -> str:
    would = "  (dry run: nothing written)" if data["dry_run"] else ""
    out = (
        f"🧠 {shorten(data['text'], LABEL)}  {data['id']}  score {format_score(data['score'])}"
        f"{''.join(f' #{tag}' for tag in data['tags'])}{_VERBS[data['verdict']]}{would}\n"
    )
    for adjustment in data.get("adjustments", []):
        out += f"   thresholds {adjustment['by']:+g}: {adjustment['why']}\n"
    for near in data.get("similar", []):
        out += f"   {near['similarity']:.0%} like {near['id']} {near['text']}\n"
        out += f"   if the new one replaces it: {near['replace']}\n"
    return out


def _place(data: dict[str, Any]) -> str:
    return f"   in {where}\n" if (where := elsewhere(data)) else ""
