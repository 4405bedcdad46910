"""The MCP reference server's memory.jsonl: a knowledge graph; a memory an observation, and a relation."""

from typing import Any

from promptx_mem.core.tags import unique
from promptx_mem.importers.form import Form, Item, Reading, Rest, Source, tag, text_of
from promptx_mem.importers.moments import moment

_FIRST = 2
_SAFETY_MARK = "_aim"
"""The type of the first line in files of mcp-knowledge-graph, a server that goes on from the reference one."""


def _records(source: Source) -> list[tuple[int, Any]]:
    graph = source.json
    if isinstance(graph, dict) and isinstance(graph.get("entities"), list):
        relations = graph.get("relations")
        kinds = (("entity", graph["entities"]), ("relation", relations if isinstance(relations, list) else []))
        return [
            (0, {"type": kind, **item} if isinstance(item, dict) else None) for kind, items in kinds for item in items
        ]
    return source.records


def matches(source: Source) -> bool:
    """Whether one of its first records is an entity or a relation: some servers write a mark of their own above."""
    return any(
        isinstance(record, dict)
        and record.get("type") in ("entity", "relation")
        and ("name" in record or "from" in record)
        for _, record in _records(source)[:_FIRST]
    )


def read(source: Source) -> Reading:
    """Read `entity: observation` with the entity and its type as tags, and `from relation to`."""
    items: list[Item] = []
    leftovers: list[Rest] = []
    for line, value in _records(source):
        record = value if isinstance(value, dict) else {}
        name, relation = text_of(record.get("name")), text_of(record.get("relationType"))
        ends = text_of(record.get("from")), text_of(record.get("to"))
        observations = record.get("observations")
        at = moment(record.get("createdAt") or record.get("created_at"))
        if record.get("type") == "relation" and relation and all(ends):
            names = unique(label for end in ends if (label := tag(end)))
            items.append(Item(f"{ends[0]} {relation} {ends[1]}", line, names, at=at))
        elif record.get("type") == "entity" and name and isinstance(observations, list):
            names = unique(label for word in (name, record.get("entityType")) if (label := tag(word)))
            texts = [
                text_of(observation.get("content") if isinstance(observation, dict) else observation)
                for observation in observations
            ]
            items += [Item(f"{name}: {text}", line, names, at=at) for text in texts if text]
            if not any(texts):
                leftovers.append(Rest(line, "an entity without observations", name))
        elif record.get("type") != _SAFETY_MARK:
            leftovers.append(Rest(line, "neither an entity nor a relation"))
    return Reading(tuple(items), tuple(leftovers))


FORM = Form("mcp-memory", "memory.jsonl of the MCP reference server", matches, read)
