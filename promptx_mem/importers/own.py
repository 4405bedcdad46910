"""Import format of promptx-mem itself: its exports as JSON and as Markdown."""

from promptx_mem.core import citations
from promptx_mem.core.durations import canonical
from promptx_mem.core.entry import FIELDS, Entry
from promptx_mem.core.ids import is_id
from promptx_mem.core.labels import normalise_tag, unique
from promptx_mem.core.syntax import parse_score
from promptx_mem.core.text import plural
from promptx_mem.importers.exports import listed
from promptx_mem.importers.form import Item, Reading, Source, fields_of, moment, text_of
from promptx_mem.importers.markdown import FACTS, read_body, with_facts
from promptx_mem.importers.promptx import of_entry
from promptx_mem.record import Any

_TITLE, _TOPIC, _NO_TOPIC = "# Memory", "## ", "(no topic)"
_NEEDED = frozenset({"id", "text", "score", "duration", "at"})
_BUNDLE = "to keep everything: promptx-mem export -o FILE"


def matches(source: Source) -> bool:
    """Return whether the file is an export of promptx-mem as JSON or Markdown, or another of its JSON answers."""
    if source.text.lstrip().startswith(_TITLE + "\n"):
        return FACTS.search(source.text) is not None
    if [fields_of(source.json).get(key) for key in ("command", "form")] == ["export", "json"]:
        return True
    return any(
        isinstance(value, dict) and value.keys() >= _NEEDED and is_id(str(value["id"]))
        for _, value in listed(source)[:1]
    )


def read(source: Source) -> Reading:
    """Read each memory with its score, duration and time. Skip memories that have ended."""
    return _read_markdown(source) if source.text.lstrip().startswith(_TITLE) else _read_json(source)


def _read_json(source: Source) -> Reading:
    out = Reading()
    ended = unscored = episodes = marked = 0
    for line, value in listed(source):
        memory = fields_of(value)
        if memory.get("lives") is False:
            ended += 1
        elif memory.get("unscored") is True:
            unscored += 1
        elif memory.get("category") == "episode":
            episodes += 1
        elif item := _item(memory, line):
            out.items.append(item)
            marked += memory.get("verified") is True or memory.get("category") in ("core", "system")
        else:
            out.leave(line, "no text, score or duration that can be read", text_of(memory.get("text")))
    counts = (
        (ended, "memory that has ended", "memories that have ended"),
        (unscored, "unscored memory", "unscored memories"),
        (episodes, "episode of a conversation", "episodes of conversations"),
        (marked, "mark (core, system, verified)", "marks (core, system, verified)"),
    )
    out.notes = [f"not imported: {plural(count, one, many)}; {_BUNDLE}" for count, one, many in counts if count]
    return out


def _item(memory: dict[str, Any], line: int) -> Item | None:
    text, duration = text_of(memory.get("text")), canonical(text_of(memory.get("duration")))
    try:
        score = parse_score(str(memory.get("score")))
    except ValueError:
        return None
    if not text or duration is None:
        return None
    cites = memory.get("cites")
    found = {**memory, "cites": [_cite(cite) for cite in cites] if isinstance(cites, list) else None}
    fields = {field.name: field.read(found[field.name]) for field in FIELDS if field.name in found}
    words = memory.get("tags")
    tags = (tag for word in words if (tag := normalise_tag(str(word)))) if isinstance(words, list) else ()
    entry = Entry(text, unique(tags), score, duration, at=moment(memory.get("at")))
    return of_entry(entry._replace(**{name: value for name, value in fields.items() if value is not None}), line)


def _cite(cite: object) -> str | None:
    """Return a citation as a memory's line has it, or None if it is not valid."""
    path, names = (fields_of(cite).get(key) for key in ("path", "names"))
    return citations.written(path, map(str, names)) if isinstance(path, str) and isinstance(names, list) else None


def _read_markdown(source: Source) -> Reading:
    """Read each list item that ends in day, score and duration. Read the other lines like any Markdown list."""
    lines = source.text.split("\n")
    topic: str | None = None
    items: list[Item] = []
    ended = number = 0
    while number < len(lines):
        first, line = number, lines[number]
        number += 1
        if line.startswith("- "):
            while number < len(lines) and (lines[number].startswith("  ") or not lines[number].strip()):
                number += 1
            text = "\n".join(line[2:] for line in lines[first:number]).rstrip()
            if (entry := with_facts(text)) is None:
                continue
            if entry.problems:
                ended += 1
            else:
                items.append(
                    Item(entry.text, first + 1, entry.tags, entry.score, entry.duration, entry.at, topic=topic)
                )
        elif line.startswith(_TOPIC):
            topic = None if line == _TOPIC + _NO_TOPIC else line.removeprefix(_TOPIC)
        elif line != _TITLE:
            continue
        lines[first:number] = [""] * (number - first)
    out = read_body(source, "\n".join(lines), 0)
    out.items = sorted((*items, *out.items), key=lambda item: item.line)
    if ended:
        out.notes = [f"not imported: {plural(ended, 'memory that has ended', 'memories that have ended')}; {_BUNDLE}"]
    return out
