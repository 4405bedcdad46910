"""A bundle: files of a store as JSON lines, byte for byte (docs/file-format.md)."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from promptx_mem.core.json_text import load_object
from promptx_mem.core.text import escape_json

VERSION = 1
KEY = "promptx-mem"
DECLARATIVE, JOURNAL = "declarative.md", "journal.jsonl"
ARCHIVED_LINES = re.compile(r"archive/[0-9A-Za-z-]{1,40}\.md")
ARCHIVED_EVENTS = re.compile(r"archive/[0-9A-Za-z-]{1,40}\.jsonl")
CONVERSATION = re.compile(r"(?:archive/)?conversations/[A-Za-z0-9][A-Za-z0-9_-]{0,63}\.jsonl")

Files = Mapping[str, bytes]
"""The bytes of a store's files by their names; those of archive/ and of shelved conversations as they unpack."""


def write(files: Files) -> Iterator[str]:
    """Give the lines of a bundle: a header, then each physical line of each file."""
    yield _encoded({KEY: "bundle", "v": VERSION})
    for name, data in files.items():
        for raw in _split(data):
            yield _encoded(_record(name, raw))


def _split(data: bytes) -> list[bytes]:
    *lines, last = data.split(b"\n")
    return [*(line + b"\n" for line in lines), *([last] if last else [])]


def _record(name: str, raw: bytes) -> dict[str, Any]:
    try:
        return {"f": name, "t": raw.decode("utf-8")}
    except UnicodeDecodeError:
        return {"f": name, "x": raw.hex()}


def _encoded(record: Mapping[str, Any]) -> str:
    return escape_json(json.dumps(record, ensure_ascii=False, separators=(",", ":"))) + "\n"


def is_bundle(text: str) -> bool:
    """Whether a text begins as a bundle does."""
    first = load_object(text[:200].partition("\n")[0]) or {}
    return first.get(KEY) == "bundle"


def version(text: str) -> object:
    """Return the version that a bundle names."""
    return (load_object(text[:200].partition("\n")[0]) or {}).get("v")


def read(lines: Iterable[str]) -> tuple[dict[str, bytes], list[int]]:
    """Put the files together again; the numbers of lines that say nothing that is understood."""
    parts: dict[str, list[bytes]] = {}
    wrong: list[int] = []
    for number, line in enumerate(lines, 1):
        if number == 1 or not line.strip():
            continue
        record = load_object(line) or {}
        name, raw = record.get("f"), _bytes(record)
        if isinstance(name, str) and raw is not None and _is_known(name):
            parts.setdefault(name, []).append(raw)
        else:
            wrong.append(number)
    return {name: b"".join(raw) for name, raw in parts.items()}, wrong


def _bytes(record: Mapping[str, Any]) -> bytes | None:
    text, encoded = record.get("t"), record.get("x")
    if isinstance(text, str):
        return text.encode("utf-8", "replace")
    try:
        return bytes.fromhex(encoded) if isinstance(encoded, str) else None
    except ValueError:
        return None


def _is_known(name: str) -> bool:
    patterns = (ARCHIVED_LINES, ARCHIVED_EVENTS, CONVERSATION)
    return name in (DECLARATIVE, JOURNAL) or any(pattern.fullmatch(name) for pattern in patterns)
