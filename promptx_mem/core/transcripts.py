"""What was said in a host's own transcript: the words of user and agent with the host's ids, and nothing else.

Claude Code writes JSON lines with a uuid each, Codex JSON lines of `response_item`s, Gemini CLI (and Qwen Code) one
JSON object or JSON lines with an id each. Tool calls, side chains and what the host put in itself are left out; a
line that is still being written is left for the next time.
"""

import re
from collections.abc import Iterator
from typing import Any

from promptx_mem.core.ids import digest
from promptx_mem.core.json_text import load_object, loads
from promptx_mem.core.slices import Message
from promptx_mem.core.text import clean
from promptx_mem.core.times import is_time, iso, parse_at

BY_WORDS = "#"
"""What a key begins with where the host has no id: another session may well have the same."""

_UNIQUE = 16
_ROLES = {"user": "user", "assistant": "assistant", "gemini": "assistant", "model": "assistant", "qwen": "assistant"}
_TAGS = (
    "system-reminder|command-name|command-message|command-args|local-command-[a-z]+|bash-[a-z]+|hook_context|skill"
    "|environment_context|user_instructions|permissions instructions|recommended_plugins|turn_aborted|INSTRUCTIONS"
    "|task-notification|session_context"
)
_OPENINGS = (
    r"# AGENTS\.md instructions|Caveat: The messages below|\[Request interrupted"
    r"|This session is being continued from a previous conversation"
)
_INJECTED = re.compile(rf"\s*(?:<(?:{_TAGS})\b|{_OPENINGS})")
_BLOCKS = re.compile(r"<(system-reminder|hook_context|session_context|environment_context)>.*?</\1>", re.DOTALL)
_SKIPPED = ("isSidechain", "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage")


def read(data: bytes) -> list[Message]:
    """Return what was said, in order, each once; `key` is how the host's own id names it."""
    messages: dict[str, Message] = {}
    counts: dict[str, int] = {}
    for record in _records(data):
        speech = _speech(record)
        if speech is None:
            continue
        role, content, ident, at = speech
        text = clean(_said(content)).strip()
        if not text:
            continue
        own = digest(f"{role}\0{text}".encode("utf-8", "replace"))
        if not ident:  # the same words twice are two messages: the second is the second everywhere
            counts[own] = counts.get(own, 0) + 1
            ident = f"{BY_WORDS}{own}-{counts[own]}"
        elif len(ident) < _UNIQUE:  # a model's server may count from one in every session
            ident = f"{ident}-{own}"
        messages[ident] = Message(role, text, at, key=ident)
    return list(messages.values())


def is_unique(key: str) -> bool:
    """Whether a host's id is no other message's; one that was short stands here with a hash of the words."""
    head, mark, _ = key.rpartition("-")
    return len(head if mark else key) >= _UNIQUE


def _records(data: bytes) -> Iterator[dict[str, Any]]:
    text = data.decode("utf-8", "replace")
    whole = _whole(text)
    if whole is not None:
        yield from whole
        return
    lines = text.split("\n")
    for line in lines[:-1]:  # the last has no end yet
        fields = load_object(line) if line.strip() else None
        if fields is not None:
            yield fields


def _whole(text: str) -> list[dict[str, Any]] | None:
    """The messages of a file that is one JSON object; None where it is lines, or not yet written."""
    if '"messages"' not in text[:2_000]:
        return None
    try:
        value = loads(text)
    except (ValueError, RecursionError):
        return None
    messages = value.get("messages") if isinstance(value, dict) else None
    return [item for item in messages if isinstance(item, dict)] if isinstance(messages, list) else None


def _speech(record: dict[str, Any]) -> tuple[str, str, str, str | None] | None:
    """Role, words, id and time of a record, None where nobody speaks in it."""
    if any(record.get(name) for name in _SKIPPED):
        return None
    kind, at = record.get("type"), _time(record.get("timestamp"))
    payload, message = record.get("payload"), record.get("message")
    if kind == "response_item" and isinstance(payload, dict):
        if payload.get("type") != "message" or payload.get("role") not in ("user", "assistant"):
            return None
        return _ROLES[payload["role"]], _words(payload.get("content")), _id(payload.get("id")), at
    if kind not in _ROLES:
        return None
    content = message.get("content") if isinstance(message, dict) else record.get("content")
    if content is None and isinstance(message, dict):
        content = message.get("parts")
    ident = _id(record.get("uuid")) or _id(record.get("id"))
    return (_ROLES[kind], _words(content), ident, at) if ident else None


def _words(content: Any) -> str:
    """The text of a message: as it is, or of its blocks that are text; what a tool gave back is none."""
    if isinstance(content, str):
        return content
    blocks = [
        {"text": block} if isinstance(block, str) else block
        for block in (content if isinstance(content, list) else ())
        if isinstance(block, str | dict)
    ]
    if any(block.get("type") == "tool_result" or "functionResponse" in block for block in blocks):
        return ""
    texts = (block.get("text") for block in blocks if block.get("type") in _TEXTS and not block.get("thought"))
    return "\n".join(part for text in texts if isinstance(text, str) and (part := _said(text)))


def _said(text: str) -> str:
    """What was said of a block: a host may put what hooks and itself add before a person's words, or in their place."""
    text = _BLOCKS.sub("", text)
    return "" if _INJECTED.match(text) else text


_TEXTS = ("text", "input_text", "output_text", None)


def _id(value: Any) -> str:
    return value if isinstance(value, str) and 0 < len(value) <= 100 and value.isprintable() else ""


def _time(value: Any) -> str | None:
    try:
        at = iso(parse_at(value).timestamp()) if isinstance(value, str) else ""
    except (ValueError, OverflowError, OSError):
        return None
    return at if is_time(at) else None
