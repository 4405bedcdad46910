"""Text output within a number of tokens: the first items of a list, and how many more there are."""

from collections.abc import Callable
from typing import Any

from promptx_mem.core.budget import tokens
from promptx_mem.result import Result

_WITH_COUNT = ("recall", "list", "audit")


def cut(result: Result[Any], text: str, render: Callable[[Result[Any]], str], most: int) -> tuple[str, str]:
    """Return the text with as many items as fit, and the line about the rest; `text` is the whole one."""
    items = result.data.get(result.cut) or []
    if tokens(text) <= most or not items:
        return text, ""

    def rendered(count: int) -> str:
        return render(result._replace(data={**result.data, result.cut: items[:count]}))

    few, many = 0, len(items)
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (middle, many) if tokens(rendered(middle)) <= most else (few, middle)
    if few == 0:
        return _first(result, items[0], render, most), _note(result, items, 1, most)
    return rendered(few), _note(result, items, few, most)


def _first(result: Result[Any], item: dict[str, Any], render: Callable[[Result[Any]], str], most: int) -> str:
    """Return one item with as much of its text as fits."""
    whole = str(item.get("text", ""))
    few, many = 0, len(whole)
    while many - few > 1:
        middle = (few + many) // 2
        text = _with_text(result, item, whole[:middle], render)
        few, many = (middle, many) if tokens(text) <= most else (few, middle)
    return _with_text(result, item, whole[:few], render)


def _with_text(result: Result[Any], item: dict[str, Any], text: str, render: Callable[[Result[Any]], str]) -> str:
    return render(result._replace(data={**result.data, result.cut: [{**item, "text": f"{text}…"}]}))


def _note(result: Result[Any], items: list[Any], shown: int, most: int) -> str:
    more = len(items) - shown + (result.data.get("more") or result.data.get("left_out") or 0)
    if not more:
        return f"cut to {most} tokens; all of it: promptx-mem show {items[0].get('id', '')}\n"
    way = f"-n {shown + more}" if result.command in _WITH_COUNT else "--json"
    return f"{more} more, since text is cut to {most} tokens; {way} shows them\n"
