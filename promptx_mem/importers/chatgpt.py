"""ChatGPT: conversations.json as conversations; saved memories, copied as text, a memory a line."""

import re
from typing import Any

from promptx_mem.core.slices import Message
from promptx_mem.core.text import clean
from promptx_mem.importers.form import Form, Item, Reading, Rest, Source, Talk, text_of
from promptx_mem.importers.moments import moment

_DATED = re.compile(r"(?:[-*•] *)?[\[(]?(\d{4}-\d{2}-\d{2})[\])]?[.:]? *[-–—]? *(.+)")
_ABOUT = re.compile(r"(?:the )?user\b|用户|[\[(]?\d{4}-\d{2}-\d{2}", re.IGNORECASE)
_MOST = 1_000
_SPOKEN = ("user", "assistant")


def _talks(source: Source) -> list[Any]:
    value = source.json
    if isinstance(value, dict):
        value = value.get("conversations", [value])
    return value if isinstance(value, list) else []


def holds_talks(source: Source) -> bool:
    """Whether its first conversation has a mapping of messages."""
    return any(isinstance(value, dict) and isinstance(value.get("mapping"), dict) for value in _talks(source)[:1])


def read_talks(source: Source) -> Reading:
    """Read what was said in each conversation, along the branch that was last looked at."""
    talks: list[Talk] = []
    leftovers: list[Rest] = []
    for value in _talks(source):
        conversation = value if isinstance(value, dict) else {}
        name = (
            text_of(conversation.get("conversation_id"))
            or text_of(conversation.get("id"))
            or text_of(conversation.get("title"))
        )
        messages = tuple(_messages(conversation))
        if messages and name:
            talks.append(Talk(f"chatgpt:{name}", messages))
        else:
            leftovers.append(Rest(0, "a conversation in which nothing was said", text_of(conversation.get("title"))))
    return Reading(leftovers=tuple(leftovers), talks=tuple(talks))


def _messages(talk: dict[str, Any]) -> list[Message]:
    mapping = talk.get("mapping")
    nodes: dict[str, Any] = mapping if isinstance(mapping, dict) else {}
    out: list[Message] = []
    for node in _branch(nodes, talk.get("current_node")):
        message = node.get("message")
        message = message if isinstance(message, dict) else {}
        author, content = message.get("author"), message.get("content")
        role = author.get("role") if isinstance(author, dict) else None
        parts = content.get("parts") if isinstance(content, dict) else None
        kind = content.get("content_type", "text") if isinstance(content, dict) else ""
        texts = [part for part in parts if isinstance(part, str)] if isinstance(parts, list) else []
        text = clean("\n".join(texts))
        if role in _SPOKEN and text and kind in ("text", "multimodal_text") and message.get("weight", 1.0) != 0:
            at = moment(message.get("create_time"))
            out.append(Message(role, text, at))
    return out


def _branch(nodes: dict[str, Any], last: object) -> list[dict[str, Any]]:
    """The nodes from the root to `last`, or where that is not given to the newest leaf."""
    if not isinstance(last, str) or last not in nodes:
        parents = {node.get("parent") for node in nodes.values() if isinstance(node, dict)}
        last = next((name for name in reversed(nodes) if name not in parents), None)
    out: list[dict[str, Any]] = []
    names: set[object] = set()
    while isinstance(last, str) and last not in names and isinstance(node := nodes.get(last), dict):
        names.add(last)
        out.append(node)
        last = node.get("parent")
    return out[::-1]


def _lines(source: Source) -> list[tuple[int, str]]:
    return [(number, line.strip()) for number, line in enumerate(source.text.split("\n"), 1) if line.strip()]


def holds_memories(source: Source) -> bool:
    """Whether most of its lines speak of the user, or begin with a date."""
    lines = _lines(source)
    about = sum(_ABOUT.match(line.lstrip("-*•[( ")) is not None for _, line in lines)
    return bool(lines) and about * 2 > len(lines) and all(len(line) <= _MOST for _, line in lines)


def read_memories(source: Source) -> Reading:
    """Read each line as a memory, with its date where it begins with one."""
    items: list[Item] = []
    for number, line in _lines(source):
        match = _DATED.fullmatch(line)
        text = match[2] if match else line.lstrip("-*•").strip()
        items.append(Item(text, number, at=moment(match[1]) if match else None))
    return Reading(tuple(items))


TALKS = Form("chatgpt", "ChatGPT's conversations.json", holds_talks, read_talks)
MEMORIES = Form("chatgpt-memories", "ChatGPT's saved memories, a line each", holds_memories, read_memories)
