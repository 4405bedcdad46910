"""`.intent`: the write-ahead copy of the current append. It distinguishes an interrupted append from hand-written text.

The copy is a JSON line with the file, the offset, the size and a checksum, followed by the bytes. It is on disk before
the first byte is appended. After the append, the copy is shortened to its first byte, `{`. When MEMORY.md includes the
append, a blank and the machine's boot id replace this byte. After a restart the id differs. Then MEMORY.md can be
out of date, since it is not synced.
"""

import contextlib
import os

from promptx_mem.core.ids import digest
from promptx_mem.core.json_text import dumps, loads
from promptx_mem.errors import StoreError
from promptx_mem.record import NamedTuple
from promptx_mem.session import boot
from promptx_mem.store import files
from promptx_mem.store.layout import Layout

_FILES = ("declarative.md", "journal.jsonl")
_MAX_BYTES = 1 << 26
_LONGEST_MARK = 64


class Intent(NamedTuple):
    """A planned append: the file's name, its size before the append, and the bytes to append."""

    name: str
    at: int
    planned: bytes

    def checksum(self) -> str:
        return digest(f"{self.name} {self.at}\n".encode() + self.planned, 16)


def read(layout: Layout) -> Intent | None:
    """Return the interrupted append; None if there is none, or if `.intent` is incomplete or invalid.

    Raises OSError for an error that could be temporary. With None instead, callers would take half a line for a memory.
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
    return intent if check == intent.checksum() else None


def write(layout: Layout, intent: Intent) -> None:
    """Write a planned append to `.intent`, and sync it to the disk."""
    note = {"file": intent.name, "at": intent.at, "size": len(intent.planned), "sum": intent.checksum()}
    with files.opened(layout.intent, os.O_RDWR, layout.mode) as fd:
        if os.fstat(fd).st_size == 0:  # it is new, or its creator was killed before the name was durable
            files.sync_directory(layout.root)
        files.write_all(fd, dumps(note, space=" ").encode() + b"\n" + intent.planned)
        files.sync(fd)


def clear(layout: Layout) -> None:
    """Shorten `.intent` to one byte. This records that the append is durable and MEMORY.md is outdated.

    No sync is needed: if a crash brings the old intent back, all bytes of its append are already in their file.
    """
    with contextlib.suppress(OSError, StoreError), files.opened(layout.intent, os.O_WRONLY) as fd:
        if os.fstat(fd).st_size:
            os.ftruncate(fd, 1)


def is_behind(layout: Layout) -> bool:
    """Return whether MEMORY.md could be out of date, after an append or a restart of the machine."""
    try:
        data = files.read(layout.intent, 0, _LONGEST_MARK)
    except OSError:
        return True
    return data is not None and data != _mark()


def caught_up(layout: Layout) -> None:
    """Record without a sync that MEMORY.md is up to date. The caller holds the lock."""
    with contextlib.suppress(OSError, StoreError), files.opened(layout.intent, os.O_WRONLY) as fd:
        if os.fstat(fd).st_size <= _LONGEST_MARK:  # otherwise it still contains an append
            mark = _mark()
            files.write_all(fd, mark)
            os.ftruncate(fd, len(mark))


def _mark() -> bytes:
    return f" {boot()}".encode()[:_LONGEST_MARK]


def torn_from(data: bytes, base: int, intent: Intent) -> int | None:
    """Return the offset in `data` at which the incomplete end of an append begins; None if the append is complete.

    `data` is the file from offset `base`. Complete lines of the append stay, since another process could have read
    them. After a power cut, NUL bytes can replace appended bytes.
    """
    start = intent.at - base
    if start < 0:
        return None
    if start <= len(data):
        tail = data[start:].rstrip(b"\0")
        matches = (byte in (0, target) for byte, target in zip(tail, intent.planned, strict=False))
        if len(tail) <= len(intent.planned) and (intent.planned.startswith(tail) or (b"\0" in tail and all(matches))):
            cut = start + _whole_lines(tail, intent.planned)
            return cut if cut < len(data) else None
    if intent.planned.strip(b"\n") in data:
        return None
    # Bytes before the append were changed, so its offset is wrong: only an incomplete last line can be found.
    body = data.rstrip(b"\0")
    last = body.rfind(b"\n") + 1
    begins = any(line.startswith(body[last:]) for line in intent.planned.split(b"\n") if line)
    return last if begins and last < len(data) else None


def _whole_lines(tail: bytes, planned: bytes) -> int:
    whole = 0
    while (stop := planned.find(b"\n", whole) + 1) and tail.startswith(planned[whole:stop], whole):
        whole = stop
    return whole
