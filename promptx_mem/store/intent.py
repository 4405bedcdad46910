"""`.intent`: the bytes of the append now under way, so that a torn tail can be told from what a person typed.

A JSON line with the file, the offset, the size and a checksum; then the bytes. It is on the disk before the first
of them is written, and emptied when all of them are, but for one byte: `{` until MEMORY.md says what was appended;
from then on a blank, and which start of the machine it is: what was not synced may be older after the next one.
"""

import contextlib
import json
import os
from typing import NamedTuple

from promptx_mem.core.ids import digest
from promptx_mem.core.json_text import loads
from promptx_mem.errors import StoreError
from promptx_mem.session import boot
from promptx_mem.store import files
from promptx_mem.store.layout import Layout

_FILES = ("declarative.md", "journal.jsonl")
_MAX_BYTES = 1 << 26
_LONGEST_MARK = 64


class Intent(NamedTuple):
    """An append: the file's name, its size before, and what was to be added, whole lines."""

    name: str
    at: int
    planned: bytes


def read(layout: Layout) -> Intent | None:
    """The append that was under way; None where there is none, or where `.intent` is torn itself, or foreign.

    Raises OSError for what may be gone a moment later: taken for no intent, it would make half a line a memory.
    """
    raw = files.read(layout.intent, 0, _MAX_BYTES) or b""
    head, newline, body = raw.partition(b"\n")
    if not newline:
        return None
    try:
        note = loads(head.decode())
        name, at, size, check = note["file"], note["at"], note["size"], note["sum"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    if name not in _FILES or type(at) is not int or type(size) is not int or at < 0 or size < 0:
        return None
    intent = Intent(name, at, body[:size])
    return intent if check == _checksum(intent) else None


def write(layout: Layout, intent: Intent) -> None:
    """Put the intent on the disk."""
    note = {"file": intent.name, "at": intent.at, "size": len(intent.planned), "sum": _checksum(intent)}
    with files.opened(layout.intent, os.O_RDWR, layout.mode) as fd:
        if os.fstat(fd).st_size == 0:  # new, or made by a writer that was killed before its name was durable
            files.sync_directory(layout.root)
        files.write_all(fd, json.dumps(note).encode() + b"\n" + intent.planned)
        files.sync(fd)


def clear(layout: Layout) -> None:
    """Empty it but for one byte, which says that its name is durable, and that MEMORY.md is behind the append.

    Without a sync: an old intent is told by its bytes being in the file, whole.
    """
    with contextlib.suppress(OSError, StoreError), files.opened(layout.intent, os.O_WRONLY) as fd:
        if os.fstat(fd).st_size:
            os.ftruncate(fd, 1)


def is_behind(layout: Layout) -> bool:
    """Whether MEMORY.md may say less than the store: since an append, or since the machine was started."""
    try:
        data = files.read(layout.intent, 0, _LONGEST_MARK)
    except OSError:
        return True
    return data is not None and data != _mark()


def caught_up(layout: Layout) -> None:
    """Note, under the lock, that MEMORY.md says what the store says. Without a sync."""
    with contextlib.suppress(OSError, StoreError), files.opened(layout.intent, os.O_WRONLY) as fd:
        if os.fstat(fd).st_size <= _LONGEST_MARK:  # otherwise it still holds an append
            mark = _mark()
            files.write_all(fd, mark)
            os.ftruncate(fd, len(mark))


def _mark() -> bytes:
    return f" {boot()}".encode()[:_LONGEST_MARK]


def torn_from(data: bytes, base: int, intent: Intent) -> int | None:
    """Where in `data` (the file from `base` on) the unfinished part of the append begins; None where none is.

    Whole lines of it stay: somebody may have read them. A power cut may leave NULs in place of any of its bytes.
    """
    start = intent.at - base
    if start < 0:
        return None
    if start <= len(data):
        tail = data[start:].rstrip(b"\0")
        if len(tail) <= len(intent.planned) and _matches(tail, intent.planned):
            cut = start + _whole_lines(tail, intent.planned)
            return cut if cut < len(data) else None
    if intent.planned.strip(b"\n") in data:
        return None
    # Someone has changed the file in front of it: only an unfinished last line can be told.
    body = data.rstrip(b"\0")
    last = body.rfind(b"\n") + 1
    begins = any(line.startswith(body[last:]) for line in intent.planned.split(b"\n") if line)
    return last if begins and last < len(data) else None


def _matches(tail: bytes, planned: bytes) -> bool:
    if b"\0" not in tail:
        return planned.startswith(tail)
    return all(byte in (0, target) for byte, target in zip(tail, planned, strict=False))


def _whole_lines(tail: bytes, planned: bytes) -> int:
    whole = 0
    while (stop := planned.find(b"\n", whole) + 1) and tail.startswith(planned[whole:stop], whole):
        whole = stop
    return whole


def _checksum(intent: Intent) -> str:
    return digest(f"{intent.name} {intent.at}\n".encode() + intent.planned, 16)
