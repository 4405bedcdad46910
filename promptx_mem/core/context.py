"""The XML block that puts recalled memories into a prompt: `<activated_memory_slices>` (source 004).

Every text in it is escaped, so that no memory can close the block, open a tag or pass for the reminder of source 002.
"""

from collections.abc import Mapping, Sequence

from promptx_mem.core.description import Activation, Description, Recall, Turn, references, warnings
from promptx_mem.core.origin import OWN, USER
from promptx_mem.core.text import format_score, printable, printable_lines

BLOCK = "activated_memory_slices"
_MARKS = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"}
_ESCAPES = str.maketrans(_MARKS)


def block(data: Recall) -> str:
    """Render recall's `data` (memories, left_out, as_of) as one block; also where nothing was found."""
    head = {"count": len(data["memories"]), "left_out": data["left_out"] or None, "as_of": data["as_of"]}
    return f"<{BLOCK}{_attributes(head)}>\n{''.join(map(_memory, data['memories']))}</{BLOCK}>\n"


def escape(text: str) -> str:
    """Make any text harmless between tags: marks escaped, what does not print replaced, newlines kept."""
    return printable_lines(text).translate(_ESCAPES)


def _attributes(fields: Mapping[str, object]) -> str:
    attributes = {name: value for name, value in fields.items() if value is not None}
    return "".join(f' {name}="{escape(printable(str(value)))}"' for name, value in attributes.items())


def _memory(memory: Description) -> str:
    fields = {
        "id": memory["id"],
        "date": memory["at"][:10],
        "origin": memory["origin"] if memory["origin"] != OWN else None,
        "scope": memory["scope"] if memory["scope"] == USER else None,
        "unscored": "true" if memory["unscored"] else None,
        "source": memory["source"],
        "score": format_score(memory["score"]),
        "tags": " ".join(memory["tags"]) or None,
        "topic": memory["topic"],
        "type": memory["type"],
        "category": memory["category"] if memory["category"] != "fact" else None,
        "verified": "true" if memory["verified"] else "false" if memory["unverified"] else None,
        "ended": memory["end"] if not memory["lives"] else None,
        "note": ", ".join(references(memory)) or None,
    }
    note = f"<system-reminder>\n{memory['freshness']}\n</system-reminder>\n" if memory["freshness"] else ""
    part = _slice(memory["slice"]) if memory["slice"] else ""
    stale = "".join(f"<warning>{escape(line)}</warning>\n" for line in warnings(memory))
    return f"<memory{_attributes(fields)}>\n{escape(memory['text'])}\n{stale}{part}{note}</memory>\n"


def _slice(part: Activation) -> str:
    head = {"ref": part["ref"], "date": part["date"], "time": part["time"]}
    summary = f"<summary>{escape(part['summary'])}</summary>\n" if part["summary"] else ""
    return f"<slice{_attributes(head)}>\n{summary}{''.join(map(_message, items(part)))}</slice>\n"


def _message(item: Turn | int) -> str:
    if isinstance(item, int):
        return f'<left_out messages="{item}"/>\n'
    fields = {"role": item["role"], "at": item["at"]}
    return f"<message{_attributes(fields)}>{escape(item['text'])}</message>\n"


def items(part: Activation) -> Sequence[Turn | int]:
    """Return the messages of an activated slice in order, with the number left out where a gap is."""
    turns: list[Turn | int] = list(part["messages"])
    gaps: Sequence[int] = part["left_out"]
    if not turns:
        return gaps
    # the first 2, a gap, the middle 4, a gap, the last 2 (source 004)
    for place, missing in sorted(zip((2, 6), gaps, strict=False), reverse=True):
        turns.insert(place, missing)
    return [turn for turn in turns if turn != 0]
