"""mem0: what get_all, an export or OpenMemory give as JSON, and ChatGPT's memory.json; a memory an item."""

from typing import Any

from promptx_mem.core.tags import unique
from promptx_mem.core.text import plural
from promptx_mem.importers.form import Form, Item, Reading, Rest, Source, tags, text_of
from promptx_mem.importers.moments import moment

_TEXTS = ("memory", "data", "text", "content")
_LISTS = ("results", "memories", "items", "data")
_GONE = ("deleted", "archived", "switched off")
"""What OpenMemory calls memories that it shows no more, and what `enabled: false` says in ChatGPT's memory.json."""


def _items(source: Source) -> list[tuple[int, Any]]:
    value = source.json
    if isinstance(value, dict):
        value = next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)
    if isinstance(value, list):
        return [(0, item) for item in value]
    return source.records


def _text(item: object) -> str:
    return next((text for key in _TEXTS if (text := text_of(item.get(key)))), "") if isinstance(item, dict) else ""


def matches(source: Source) -> bool:
    """Whether its first item has a text, and an id or whose it is."""
    return any(
        _text(item) and ("memory" in item or {"id", "user_id", "agent_id", "hash", "created_at"} & item.keys())
        for _, item in _items(source)[:1]
    )


def read(source: Source) -> Reading:
    """Read each item's text, its categories as tags, and when it was made."""
    items: list[Item] = []
    leftovers: list[Rest] = []
    for line, item in _items(source):
        if not (text := _text(item)):
            leftovers.append(Rest(line, "an item without a text"))
            continue
        state = "switched off" if item.get("enabled") is False else item.get("state")
        if state in _GONE:
            leftovers.append(Rest(line, f"it is {state} there", text))
            continue
        metadata = item.get("metadata") if isinstance(item.get("metadata"), dict) else {}
        words = (item.get("categories"), item.get("tags"), metadata.get("category"), metadata.get("tags"))
        names = unique(name for word in words for name in tags([word] if isinstance(word, str) else word))
        at = moment(item.get("created_at")) or moment(item.get("createdAt")) or moment(item.get("updated_at"))
        items.append(Item(text, line, names, at=at))
    relations = source.json.get("relations") if isinstance(source.json, dict) else None
    notes = (f"not taken: {plural(len(relations), 'relation')}",) if isinstance(relations, list) and relations else ()
    return Reading(tuple(items), tuple(leftovers), notes=notes)


FORM = Form("mem0", "mem0's memories as JSON", matches, read)
