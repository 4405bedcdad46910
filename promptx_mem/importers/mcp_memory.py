"""The MCP reference server's memory.jsonl: a knowledge graph; a memory an observation, and a relation."""

from typing import Any

from promptx_mem.core.syntax import unique
from promptx_mem.importers.form import Form, Item, Reading, Rest, Source, tag, text_of
from promptx_mem.importers.moments import moment


def _records(source: Source) -> list[tuple[int, Any]]:
    graph = source.json
    if isinstance(graph, dict) and isinstance(graph.get("entities"), list):
        relations = graph.get("relations")
        kinds = (("entity", graph["entities"]), ("relation", relations if isinstance(relations, list) else []))
        return [(0, {"type": kind, **one} if isinstance(one, dict) else None) for kind, ones in kinds for one in ones]
    return source.records


def matches(source: Source) -> bool:
    """Whether its first record is an entity or a relation."""
    return any(
        isinstance(record, dict)
        and record.get("type") in ("entity", "relation")
        and ("name" in record or "from" in record)
        for _, record in _records(source)[:1]
    )


def read(source: Source) -> Reading:
    """Read `entity: observation` with the entity and its type as tags, and `from relation to`."""
    items: list[Item] = []
    left: list[Rest] = []
    for line, value in _records(source):
        record = value if isinstance(value, dict) else {}
        name, relation = text_of(record.get("name")), text_of(record.get("relationType"))
        ends = text_of(record.get("from")), text_of(record.get("to"))
        seen = record.get("observations")
        at = moment(record.get("createdAt") or record.get("created_at"))
        if record.get("type") == "relation" and relation and all(ends):
            names = unique(one for end in ends if (one := tag(end)))
            items.append(Item(f"{ends[0]} {relation} {ends[1]}", line, names, at=at))
        elif record.get("type") == "entity" and name and isinstance(seen, list):
            names = unique(one for word in (name, record.get("entityType")) if (one := tag(word)))
            texts = [text_of(one.get("content") if isinstance(one, dict) else one) for one in seen]
            items += [Item(f"{name}: {text}", line, names, at=at) for text in texts if text]
            if not any(texts):
                left.append(Rest(line, "an entity without observations", name))
        else:
            left.append(Rest(line, "neither an entity nor a relation"))
    return Reading(tuple(items), tuple(left))


FORM = Form("mcp-memory", "memory.jsonl of the MCP reference server", matches, read)
