"""A bundle: files of a store as JSON lines, byte for byte (docs/file-format.md)."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from promptx_mem.core.json_text import load_object
from promptx_mem.core.text import escape_json, plural

VERSION = 2
KEY = "promptx-mem"
DECLARATIVE, JOURNAL = "declarative.md", "journal.jsonl"
ARCHIVED_LINES = re.compile(r"archive/[0-9A-Za-z-]{1,40}\.md")
ARCHIVED_EVENTS = re.compile(r"archive/[0-9A-Za-z-]{1,40}\.jsonl")
CONVERSATION = re.compile(r"(?:archive/)?conversations/[A-Za-z0-9][A-Za-z0-9_-]{0,63}\.jsonl")

_KINDS = (DECLARATIVE, JOURNAL, "archive", "conversations")
_UNSEALED = 1
"""The version whose bundles have no last line."""

Files = Mapping[str, bytes]
"""The bytes of a store's files by their names; those of archive/ and of shelved conversations as they unpack."""


class Bundle(NamedTuple):
    """The files of a bundle; `wrong` are the numbers of lines that are not understood.

    `fault` names what is missing or differs from the last line; `sealed` is False where an older version wrote none.
    """

    files: dict[str, bytes]
    wrong: list[int]
    fault: str = ""
    sealed: bool = True


def write(files: Files) -> Iterator[str]:
    """Yield the lines of a bundle: a header, each physical line of each file, then the counts and a checksum."""
    checksum, counts = hashlib.sha256(), Counter[str]()
    for line in _lines(files, counts):
        checksum.update(line.encode())
        yield line
    yield _encoded({KEY: "end", "counts": {kind: counts[kind] for kind in _KINDS}, "sha256": checksum.hexdigest()})


def _lines(files: Files, counts: Counter[str]) -> Iterator[str]:
    yield _encoded({KEY: "bundle", "v": VERSION})
    for name, data in files.items():
        for raw in _split(data):
            counts[_kind(name)] += 1
            yield _encoded(_record(name, raw))


def _kind(name: str) -> str:
    if CONVERSATION.fullmatch(name):
        return "conversations"
    return name.partition("/")[0]


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
    """Return whether a text begins as a bundle does."""
    return _header(text).get(KEY) == "bundle"


def version(text: str) -> object:
    """Return the version that a bundle names."""
    return _header(text).get("v")


def is_readable(version: object) -> bool:
    """Return whether this program reads bundles of a version."""
    return version in (_UNSEALED, VERSION) and not isinstance(version, bool)


def _header(text: str) -> Mapping[str, Any]:
    return load_object(text[:200].partition("\n")[0]) or {}


def read(text: str) -> Bundle:
    """Put the files of a bundle together again, and compare it with its last line."""
    text = text.replace("\r\n", "\n")  # its own lines have no CR, but a transfer may have added them
    lines = text.rstrip("\n").split("\n")
    last = load_object(lines[-1]) or {}
    is_sealed = last.get(KEY) == "end"
    records = lines[1:-1] if is_sealed else lines[1:]
    parts: dict[str, list[bytes]] = {}
    counts: Counter[str] = Counter()
    wrong: list[int] = []
    for number, line in enumerate(records, 2):
        if not line.strip():
            continue
        record = load_object(line) or {}
        name, raw = record.get("f"), _bytes(record)
        if isinstance(name, str) and raw is not None and _is_known(name):
            counts[_kind(name)] += 1
            parts.setdefault(name, []).append(raw)
        else:
            wrong.append(number)
    files = {name: b"".join(raw) for name, raw in parts.items()}
    if not is_sealed:
        is_old = version(text) == _UNSEALED
        return Bundle(files, wrong, "" if is_old else _cut(records, counts), sealed=False)
    before = "".join(f"{line}\n" for line in lines[:-1])
    checksum = hashlib.sha256(before.encode("utf-8", "surrogatepass")).hexdigest()
    matches = last.get("sha256") == checksum and last.get("counts") == {kind: counts[kind] for kind in _KINDS}
    return Bundle(files, wrong, "" if matches else _difference(last.get("counts"), counts, wrong))


def _cut(records: list[str], counts: Counter[str]) -> str:
    """Return what is missing where the last line is."""
    if any((load_object(line) or {}).get(KEY) == "end" for line in records if '"end"' in line):
        return "there are more lines after its last one"
    there = ", ".join(f"{counts[kind]} of {kind}" for kind in _KINDS if counts[kind]) or "none"
    return f"its last line is missing, and with it every line after these: {there}"


def _difference(promised: object, counts: Counter[str], wrong: list[int]) -> str:
    """Return how the records differ from the last line, which does not match them."""
    promised = promised if isinstance(promised, dict) else {}
    parts = []
    for kind in _KINDS:
        number = promised.get(kind)
        if not isinstance(number, int):
            parts.append(f"the number of lines of {kind}")
        elif number > counts[kind]:
            parts.append(f"{number - counts[kind]} of {plural(number, 'line')} of {kind}")
    if parts:
        places = f" (line {wrong[0]} cannot be read)" if wrong else ""
        return f"missing: {', '.join(parts)}{places}"
    if wrong:
        return f"line {wrong[0]} cannot be read"
    more = [kind for kind in _KINDS if counts[kind] > promised[kind]]
    return f"there are too many lines of {', '.join(more)}" if more else "a line was changed, or lines changed places"


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
