"""Import formats: jrnl, mem0, the MCP memory server, ChatGPT, CSV and TSV tables, and promptx-mem's exports."""

import csv
import io
import re

from promptx_mem.core import citations
from promptx_mem.core.document import has_tokens
from promptx_mem.core.durations import canonical
from promptx_mem.core.entry import FIELDS, TYPES
from promptx_mem.core.ids import is_id
from promptx_mem.core.labels import normalise_tag, unique
from promptx_mem.core.request import split_tokens
from promptx_mem.core.slices import Message
from promptx_mem.core.syntax import parse_score
from promptx_mem.core.text import clean, plural
from promptx_mem.importers.form import DATE, SAME, Item, Reading, Source, Talk, dated, fields_of, tags, text_of
from promptx_mem.importers.markdown import FACTS, MARKER, read_body, with_facts
from promptx_mem.record import Any


def _entries(source: Source) -> list[dict[str, Any]]:
    entries = fields_of(source.json).get("entries")
    return list(map(fields_of, entries)) if isinstance(entries, list) else []


def matches_jrnl(source: Source) -> bool:
    """Return whether the file has a list of entries, and the first entry has a title and a date."""
    return any("title" in entry and "date" in entry for entry in _entries(source)[:1])


def read_jrnl(source: Source) -> Reading:
    """Read each entry as a memory: title and body as the text, the time, the tags without the @, and `starred`."""
    out = Reading()
    for entry in _entries(source):
        text = "\n".join(filter(None, (text_of(entry.get(key)) for key in ("title", "body"))))
        if not text:
            out.leave(0, "an entry without a text")
            continue
        words = entry.get("tags")
        names = tags([str(word).lstrip("@") for word in words]) if isinstance(words, list) else ()
        starred = ("starred",) if entry.get("starred") is True else ()
        at = out.time(0, " ".join(filter(None, (text_of(entry.get(key)) for key in ("date", "time")))))
        out.items.append(Item(text, 0, unique((*names, *starred)), at=at))
    return out


_TEXTS = ("memory", "data", "text", "content")
_TIMES = ("created_at", "createdAt", "updated_at")
_READ = {*_TEXTS, *_TIMES, "id", "hash", "tags", "categories", "metadata", "enabled", "state"}
_INVALID = "it is not valid JSON"
_LISTS = ("results", "memories", "items", "data")
_GONE = ("deleted", "archived", "switched off")
"""States of memories to skip: two of OpenMemory, and one for `enabled: false` in ChatGPT's memory.json."""


def listed(source: Source) -> list[tuple[int, Any]]:
    """Return (line number, item) pairs of JSON lines, or (0, item) pairs of a JSON list or of a list in an object."""
    value = source.json
    if isinstance(value, dict):
        value = next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)
    return [(0, item) for item in value] if isinstance(value, list) else source.records


def _text(item: object) -> str:
    return next((text for key in _TEXTS if (text := text_of(fields_of(item).get(key)))), "")


def matches_mem0(source: Source) -> bool:
    """Return whether the first item has a text and a known field: `memory`, an id, an owner, a hash or a time."""
    return any(
        _text(item) and ("memory" in item or {"id", "user_id", "agent_id", "hash", "created_at"} & item.keys())
        for _, item in listed(source)[:1]
    )


def read_mem0(source: Source) -> Reading:
    """Read each item as a memory: its text, its tags and categories as tags, and its time."""
    out, others = Reading(), set[str]()
    for line, item in listed(source):
        if item is None:
            out.leave(line, _INVALID, is_damaged=True)
            continue
        text, fields = _text(item), fields_of(item)
        state = "switched off" if fields.get("enabled") is False else fields.get("state")
        if not text or state in _GONE:
            out.leave(line, f"it is {state} at the source" if text else "an item without a text", text)
            continue
        metadata = fields_of(fields.get("metadata"))
        words = [*map(fields.get, ("tags", "categories")), *map(metadata.get, ("category", "tags"))]
        names = unique(name for word in words for name in tags([word] if isinstance(word, str) else word))
        out.items.append(Item(text, line, names, at=out.time(line, *map(fields.get, _TIMES))))
        others.update(key for key, value in fields.items() if value and key not in _READ)
        others.update(f"metadata.{key}" for key in metadata if key not in ("category", "tags"))
    if others:
        out.notes = [f"keys that are not imported: {', '.join(sorted(others))}"]
    relations = fields_of(source.json).get("relations")
    if isinstance(relations, list) and relations:
        out.notes.append(f"not imported: {plural(len(relations), 'relation')}")
    return out


def matches_mcp_memory(source: Source) -> bool:
    """Return whether the first record is an entity or a relation."""
    first = [fields_of(record) for _, record in source.records[:1]]
    return any(one.get("type") in ("entity", "relation") and ("name" in one or "from" in one) for one in first)


def read_mcp_memory(source: Source) -> Reading:
    """Read each observation as a memory "entity: observation", and each relation as "name relation name".

    Tags are the entity's name and type, or the two names in the relation.
    """
    out = Reading()
    for line, found in source.records:
        record = fields_of(found)
        name, relation = text_of(record.get("name")), text_of(record.get("relationType"))
        ends = text_of(record.get("from")), text_of(record.get("to"))
        observations = record.get("observations")
        at = out.time(line, record.get("createdAt"), record.get("created_at"))
        if record.get("type") == "relation" and relation and all(ends):
            names = tags(ends)
            out.items.append(Item(f"{ends[0]} {relation} {ends[1]}", line, names, at=at))
        elif record.get("type") == "entity" and name and isinstance(observations, list):
            names = tags((name, record.get("entityType")))
            texts = [text_of(one.get("content") if isinstance(one, dict) else one) for one in observations]
            out.items += [Item(f"{name}: {text}", line, names, at=at) for text in texts if text]
            if not texts or not all(texts):
                out.leave(line, "an observation without a text" if texts else "an entity without observations", name)
        elif found is None:
            out.leave(line, _INVALID, is_damaged=True)
        else:
            out.leave(line, "neither an entity nor a relation")
    return out


_ABOUT = re.compile(rf"(?:the )?user\b|用户|{DATE}", re.IGNORECASE)
_NOTED = re.compile(rf"^#{{1,6}} |^[-*+•] \[[ xX]\] |{FACTS.pattern.removeprefix('(?m)')}")
_MOST = 1_000
_SPOKEN = ("user", "assistant")


def _talks(source: Source) -> list[dict[str, Any]]:
    value = source.json
    if isinstance(value, dict):
        value = value.get("conversations", [value])
    return list(map(fields_of, value)) if isinstance(value, list) else []


def holds_talks(source: Source) -> bool:
    """Return whether the first conversation in the file has a `mapping` of messages, as in ChatGPT's exports."""
    return any(isinstance(talk.get("mapping"), dict) for talk in _talks(source)[:1])


def read_talks(source: Source) -> Reading:
    """Read each conversation's messages of the user and the assistant. Of several branches, read the last viewed."""
    out = Reading()
    for talk in _talks(source):
        names = (text_of(talk.get(key)) for key in ("conversation_id", "id", "title"))
        name, messages = next(filter(None, names), ""), tuple(_messages(talk, out))
        if messages and name:
            out.talks.append(Talk(f"chatgpt:{name}", messages))
        else:
            out.leave(0, "a conversation without messages, or without an id and a title", text_of(talk.get("title")))
    return out


def _messages(talk: dict[str, Any], reading: Reading) -> list[Message]:
    mapping = fields_of(talk.get("mapping"))
    out: list[Message] = []
    for node in _branch(mapping, talk.get("current_node")):
        message = fields_of(node.get("message"))
        content = fields_of(message.get("content"))
        role, parts = fields_of(message.get("author")).get("role"), content.get("parts")
        text = clean("\n".join(part for part in parts if isinstance(part, str))) if isinstance(parts, list) else ""
        is_text = content.get("content_type", "text") in ("text", "multimodal_text")
        if role in _SPOKEN and text and is_text and message.get("weight", 1.0) != 0:
            out.append(Message(role, text, reading.time(0, message.get("create_time"))))
    return out


def _branch(nodes: dict[str, Any], last: object) -> list[dict[str, Any]]:
    """Return a conversation's nodes from the root to the node `last`, or to the last leaf if `last` is unknown."""
    if not isinstance(last, str) or last not in nodes:
        parents = {node.get("parent") for node in nodes.values() if isinstance(node, dict)}
        last = next((name for name in reversed(nodes) if name not in parents), None)
    out: dict[str, dict[str, Any]] = {}
    while isinstance(last, str) and last not in out and isinstance(node := nodes.get(last), dict):
        out[last] = node
        last = node.get("parent")
    return [*reversed(out.values())]


def _lines(source: Source) -> list[tuple[int, str]]:
    return [(number, line.strip()) for number, line in enumerate(source.text.split("\n"), 1) if line.strip()]


def holds_memories(source: Source) -> bool:
    """Return whether more than half of the lines begin with "user" or a date, and no line has over 1,000 characters.

    A Markdown list with a heading, a task box, a tag or a score never matches.
    """
    lines = [line for _, line in _lines(source)]
    about = sum(_ABOUT.match(line.lstrip("-*•[(【（ ")) is not None for line in lines)
    if about * 2 <= len(lines) or any(len(line) > _MOST for line in lines):
        return False
    return not (
        any(map(MARKER.match, lines)) and any(_NOTED.search(line) or has_tokens(split_tokens(line)) for line in lines)
    )


def read_memories(source: Source) -> Reading:
    """Read each line as a memory. A date at the beginning of a line becomes the memory's time."""
    out = Reading()
    for number, line in _lines(source):
        text = line.lstrip("-*•").strip()
        at, date, rest = dated(text)
        out.items.append(Item(rest, number, at=at, date=date) if rest else Item(text, number, at=at))
    return out


COLUMNS = {
    "text": ("text", "content", "memory", "fact", "note", "notes", "value", "body", "正文", "内容", "记忆", "文本"),
    "tags": ("tags", "tag", "labels", "label", "标签"),
    "category": ("category", "categories", "分类", "类别"),
    "score": ("score", "评分", "分数"),
    "duration": ("duration", "有效期"),
    "at": (
        *("at", "time", "date", "created_at", "createdat", "created", "timestamp", "datetime"),
        *("时间", "日期", "创建时间", "updated_at"),
    ),
    "topic": ("topic", "主题"),
    "type": ("type", "类型"),
}
"""The possible names of the column of each field of a memory. The preferred name is first."""

_DELIMITERS = (",", ";", "\t")
_ENDINGS = (".csv", ".tsv")


def _header(source: Source) -> tuple[str, dict[str, int], list[str]]:
    """Return the delimiter, the column number of each field of a memory, and the names of all columns.

    There are no fields if no column is for the text, or if a file other than .csv and .tsv has only one column.
    """
    first = source.text.partition("\n")[0].rstrip("\r")
    delimiter = max(_DELIMITERS, key=first.count)
    try:
        names = [name.strip() for name in next(csv.reader([first], delimiter=delimiter), [])]
    except csv.Error:
        return delimiter, {}, []
    low = [name.lower() for name in names]
    places = {field: low.index(word) for field, words in COLUMNS.items() for word in reversed(words) if word in low}
    good = "text" in places and (len(names) > 1 or source.name.lower().endswith(_ENDINGS))
    return delimiter, places if good else {}, names


def matches_table(source: Source) -> bool:
    """Return whether the first line names a column for the text, or a .csv or .tsv file has several columns.

    Only .csv and .tsv files can have a single column.
    """
    _, places, names = _header(source)
    return bool(places) or (len(names) > 1 and source.name.lower().endswith(_ENDINGS))


def read_table(source: Source) -> Reading:
    """Read each row as a memory. Report rows without a text or with an invalid score or duration."""
    delimiter, places, names = _header(source)
    out = Reading()
    if not places:
        out.leave(
            1, f"no column for the text; rename a column to one of: {', '.join(COLUMNS['text'])}", ", ".join(names)
        )
        return out
    rows = csv.reader(io.StringIO(source.text, newline=""), delimiter=delimiter)
    try:
        next(rows)
        line = rows.line_num + 1
        for row in rows:
            if any(cell.strip() for cell in row):
                cells = {field: row[at].strip() for field, at in places.items() if at < len(row)}
                own = unique((*tags(cells.get("tags")), *tags([cells.get("category", "")])))
                _add(out, line, cells, own)
            line = rows.line_num + 1
    except csv.Error as error:
        out.leave(0, f"rest unreadable: {error}")
    others = ", ".join(name for number, name in enumerate(names) if number not in places.values() and name)
    out.notes = [f"columns that are not imported: {others}"] if others else []
    return out


def _add(out: Reading, line: int, cells: dict[str, str], names: tuple[str, ...]) -> None:
    text, duration = cells.get("text", ""), None
    try:
        score = parse_score(cells["score"]) if cells.get("score") else None
    except ValueError as error:
        out.leave(line, str(error), text)
        return
    if cells.get("duration") and (duration := canonical(cells["duration"])) is None:
        out.leave(line, f"{cells['duration']!r} is not a duration", text)
    elif not text:
        out.leave(line, "a row without a text")
    else:
        kind = cells.get("type")
        at, topic = out.time(line, cells.get("at")), cells.get("topic") or None
        out.items.append(Item(text, line, names, score, duration, at, topic, type=kind if kind in TYPES else None))


_TITLE, _TOPIC, _NO_TOPIC = "# Memory", "## ", "(no topic)"
_OWN_FIELDS = frozenset({"id", "text", "score", "duration", "at"})
_BUNDLE = "to keep everything: promptx-mem export -o FILE"


def matches_own(source: Source) -> bool:
    """Return whether the file is a JSON or Markdown export of promptx-mem, or another JSON answer of promptx-mem."""
    if source.text.lstrip().startswith(_TITLE + "\n"):
        return FACTS.search(source.text) is not None
    if [fields_of(source.json).get(key) for key in ("command", "form")] == ["export", "json"]:
        return True
    return any(
        isinstance(value, dict) and value.keys() >= _OWN_FIELDS and is_id(str(value["id"]))
        for _, value in listed(source)[:1]
    )


def read_own(source: Source) -> Reading:
    """Read each memory with its score, duration and time. Skip ended and unscored memories, and episodes."""
    return _read_own_markdown(source) if source.text.lstrip().startswith(_TITLE) else _read_own_json(source)


def _read_own_json(source: Source) -> Reading:
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
        elif item := _own_item(memory, line, out):
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


def _own_item(memory: dict[str, Any], line: int, out: Reading) -> Item | None:
    text, duration = text_of(memory.get("text")), canonical(text_of(memory.get("duration")))
    try:
        score = parse_score(str(memory.get("score")))
    except ValueError:
        return None
    if not text or duration is None:
        return None
    cites, words = memory.get("cites"), memory.get("tags")
    found = {**memory, "cites": [_cite(cite) for cite in cites] if isinstance(cites, list) else None}
    fields = {one.name: value for one in FIELDS if one.name in SAME and (value := one.read(found.get(one.name)))}
    tags = (tag for word in words if (tag := normalise_tag(str(word)))) if isinstance(words, list) else ()
    return Item(text, line, unique(tags), score, duration, out.time(line, memory.get("at")), **fields)


def _cite(cite: object) -> str | None:
    """Return a citation in the format of a memory's line, or None if the citation is invalid."""
    path, names = (fields_of(cite).get(key) for key in ("path", "names"))
    return citations.written(path, map(str, names)) if isinstance(path, str) and isinstance(names, list) else None


def _read_own_markdown(source: Source) -> Reading:
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
