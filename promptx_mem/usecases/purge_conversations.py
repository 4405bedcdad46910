"""What a purge does to conversations: raw messages that hold the text, or that a purged episode summarised."""

import json
from collections.abc import Iterable

from promptx_mem.core.slices import PURGED, parse_reference
from promptx_mem.core.text import escape_json
from promptx_mem.store import conversations, files, removal, shelved
from promptx_mem.store.layout import Layout

REDACTED = PURGED


def clean(where: Layout, texts: set[str]) -> list[str]:
    """Redact raw messages that hold the text: in a JSON line it stands as JSON writes it."""
    touched = []
    needles = set()
    for text in texts:
        for ascii_only in (False, True):
            encoded = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
            needles |= {encoded.encode("utf-8", "replace"), escape_json(encoded).encode("utf-8", "replace")}
    needles.discard(b"")
    for name in sorted(files.names(where.conversations)):
        path = where.conversations / name
        data = files.read(path) or b""
        clean = _without(data, needles)
        if clean != data:
            files.replace(path, clean, where.mode, durable=True)
            touched.append(f"conversations/{name}")
    for unit in shelved.units(where):
        data = shelved.read(where, unit)
        clean = _without(data, needles)
        if clean != data:
            shelved.write(where, unit, clean)
            touched.append(f"archive/conversations/{unit}{shelved.SUFFIX}")
    return touched


def _without(data: bytes, needles: set[bytes]) -> bytes:
    for needle in sorted(needles, key=len, reverse=True):
        data = data.replace(needle, REDACTED.encode())
    return data


def clean_slice(where: Layout, named: str) -> list[str]:
    """Redact the raw messages that a purged episode summarised: they are what it remembered."""
    reference = parse_reference(named)
    if reference is None:
        return []
    conversation = conversations.read(where, reference.unit)
    if reference.number not in conversation.slices:
        return []
    removal.redact(where, conversation, {reference.number}, (), REDACTED)
    return [f"conversations/{reference.unit}.jsonl"]


def redact_parts(where: Layout, units: Iterable[tuple[str, Iterable[int], Iterable[int]]]) -> list[str]:
    """Redact slices, and messages that wait for one, by unit; what is gone or redacted stays. Returns the names."""
    touched = []
    for name, slices, messages in units:
        unit = conversations.read(where, name)
        named = [number for number in messages if number in unit.messages]
        removal.redact(where, unit, [number for number in slices if number in unit.slices], named, REDACTED)
        if unit.waiting().keys() & set(named):
            last = {number: message for number, message in unit.messages.items() if number <= max(named)}
            removal.close(where, unit._replace(messages=last))
        touched.append(f"conversations/{name}{conversations.SUFFIX}")
    return touched


def redact(where: Layout, unit: str, ids: set[str]) -> list[str]:
    """Redact what was said in the slices of purged episodes; returns their ids."""
    conversation = conversations.read(where, unit)
    episodes = {
        number: ident
        for number, ident in conversation.episodes.items()
        if ident in ids and number in conversation.slices and conversation.slices[number].summary != REDACTED
    }
    if episodes:
        removal.redact(where, conversation, episodes.keys(), (), REDACTED)
    return list(episodes.values())
