"""jrnl: `jrnl --format json`; a memory an entry."""

from typing import Any

from promptx_mem.core.tags import unique
from promptx_mem.importers.form import Form, Item, Reading, Rest, Source, tags, text_of
from promptx_mem.importers.moments import moment


def _entries(source: Source) -> list[Any]:
    value = source.json
    entries = value.get("entries") if isinstance(value, dict) else None
    return entries if isinstance(entries, list) else []


def matches(source: Source) -> bool:
    """Whether it has entries with a title and a date."""
    return any(isinstance(entry, dict) and "title" in entry and "date" in entry for entry in _entries(source)[:1])


def read(source: Source) -> Reading:
    """Read title and body, the tags without their @, the time."""
    items: list[Item] = []
    leftovers: list[Rest] = []
    for value in _entries(source):
        entry = value if isinstance(value, dict) else {}
        text = "\n".join(filter(None, (text_of(entry.get("title")), text_of(entry.get("body")))))
        if not text:
            leftovers.append(Rest(0, "an entry without a text"))
            continue
        words = entry.get("tags")
        names = tags([str(word).lstrip("@") for word in words]) if isinstance(words, list) else ()
        starred = ("starred",) if entry.get("starred") is True else ()
        at = moment(" ".join(filter(None, (text_of(entry.get("date")), text_of(entry.get("time"))))))
        items.append(Item(text, 0, unique((*names, *starred)), at=at))
    return Reading(tuple(items), tuple(leftovers))


FORM = Form("jrnl", "a journal of jrnl as JSON", matches, read)
