"""PromptX's declarative.dpml: XML, a memory an item."""

import html
import re

from promptx_mem.core import promptx
from promptx_mem.importers.form import Form, Item, Reading, Rest, Source
from promptx_mem.importers.moments import moment

_ITEM = re.compile(r"<item\b([^<>]*)>((?:(?!<item\b).)*?)</item>", re.DOTALL)
_CONTENT = re.compile(r"<content\b[^<>]*>((?:(?!<content\b).)*?)</content>", re.DOTALL)
_TAGS = re.compile(r"<tags\b[^<>]*>((?:(?!<tags\b).)*?)</tags>", re.DOTALL)
_TIME = re.compile(r"\btime\s*=\s*[\"']([^\"']*)[\"']")


def matches(source: Source) -> bool:
    """Whether it has a `<memory>` of `<item>`s."""
    return "<memory" in source.text and "<item" in source.text and "</item>" in source.text


def read(source: Source) -> Reading:
    """Read each item's content without the indentation its file gives it, its tags and its time."""
    items: list[Item] = []
    leftovers: list[Rest] = []
    for match in _ITEM.finditer(source.text):
        line = source.line_of(match.start())
        content = _CONTENT.search(match[2])
        if content is None or not content[1].strip():
            leftovers.append(Rest(line, "an item without content"))
            continue
        tags = _TAGS.search(match[2])
        body = html.unescape(promptx.dedent(content[1].strip("\n").split("\n")).strip())
        entry = promptx.read_block([*body.split("\n"), f"--tags {html.unescape(tags[1]).strip() if tags else ''}"], "")
        time = _TIME.search(match[1])
        at = moment(time[1]) if time else None
        items.append(Item(entry.text, line, entry.tags, entry.score, entry.duration, at))
    torn = source.text.count("<item") - len(items) - len(leftovers)
    if torn > 0:
        leftovers.append(Rest(0, f"{torn} items without an end"))
    return Reading(tuple(items), tuple(leftovers))


FORM = Form("promptx-dpml", "PromptX's declarative.dpml", matches, read)
