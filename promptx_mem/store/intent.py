"""Copies of bytes appended to a store: `.intent` for a crash, `.recent` for an editor that overwrites them.

`.intent`: the write-ahead copy of the current append. It distinguishes an interrupted append from hand-written text.
The copy is a JSON line with the file, the offset, the size and a checksum, followed by the bytes. It is on disk before
the first byte is appended. After the append, the copy is shortened to its first byte, `{` (see `checks`).

`.recent`: the lines last appended to declarative.md and journal.jsonl, in case an editor overwrites them. Each line
begins with a mark that names the file. `.recent` is written under the lock, but not synced, and errors are ignored. The
file protects against editors that save an old version of a file, not against power cuts.
"""

import contextlib
import os

from promptx_mem.core.ids import short_hash
from promptx_mem.core.json_text import dumps, load_object
from promptx_mem.errors import StoreError
from promptx_mem.record import NamedTuple
from promptx_mem.store import disk, files
from promptx_mem.store.checks import LONGEST_MARK, Lost, Stamps, mark
from promptx_mem.store.layout import Layout

_MAX_BYTES = 1 << 26

RECENT_BYTES = 256 * 1024
"""Maximum size of `.recent` in bytes. If the file is larger, only half of this size is kept, the newest lines."""

RECENT_READ = 2 * RECENT_BYTES
"""Maximum number of bytes read from the end of `.recent`. promptx-mem never writes a larger file."""

MARKS = {"declarative.md": b"d ", "journal.jsonl": b"j "}


class Intent(NamedTuple):
    """A planned append: the file's name, its size before the append, and the bytes to append."""

    name: str
    at: int
    planned: bytes

    def checksum(self) -> str:
        return short_hash(f"{self.name} {self.at}\n".encode() + self.planned, 16)


def read(layout: Layout) -> Intent | None:
    """Return the interrupted append; None if there is none, or if `.intent` is incomplete or invalid.

    Raises OSError for an error that could be temporary. After None, callers would read half a line as a memory.
    """
    raw = files.read(layout.intent, 0, _MAX_BYTES) or b""
    head, newline, body = raw.partition(b"\n")
    match load_object(head) if newline else None:
        case {"file": str(name), "at": int(at), "size": int(size), "sum": check} if name in MARKS:
            intent = Intent(name, at, body[:size])
            return intent if min(at, size) >= 0 and check == intent.checksum() else None
    return None


def write(layout: Layout, intent: Intent) -> None:
    """Write a planned append to `.intent`, and sync it to the disk."""
    note = {"file": intent.name, "at": intent.at, "size": len(intent.planned), "sum": intent.checksum()}
    with files.opened(layout.intent, os.O_RDWR, layout.mode) as fd:
        if os.fstat(fd).st_size == 0:  # it is new, or its creator was killed before the name was durable
            disk.sync_directory(layout.root)
        files.write_all(fd, dumps(note, space=" ").encode() + b"\n" + intent.planned)
        disk.sync(fd)


def clear(layout: Layout) -> None:
    """Shorten `.intent` to one byte. This records that the append is durable and MEMORY.md is outdated.

    No sync is needed: if a crash brings the old intent back, all bytes of its append are already in their file.
    """
    with contextlib.suppress(OSError, StoreError), files.opened(layout.intent, os.O_WRONLY) as fd:
        if os.fstat(fd).st_size:
            os.ftruncate(fd, 1)


def torn_from(data: bytes, base: int, intent: Intent) -> int | None:
    """Return the offset in `data` at which the incomplete end of an append begins; None if there is no such end.

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


class Recent(NamedTuple):
    """The lines and events as they were appended, the oldest first."""

    lines: list[str]
    events: list[str]


def note_recent(layout: Layout, name: str, data: bytes) -> None:
    """Record the lines of `data`, which were appended to the file `name`, in `.recent`."""
    noted = _newest(b"".join(MARKS[name] + line + b"\n" for line in data.split(b"\n") if line), RECENT_BYTES)
    with contextlib.suppress(OSError, StoreError):
        with files.opened(layout.recent, os.O_RDWR | os.O_APPEND, layout.mode) as fd:
            size = os.fstat(fd).st_size
            disk.append(fd, noted)
        if size + len(noted) > RECENT_BYTES:
            rest = _newest(recent(layout), RECENT_BYTES // 2)
            disk.replace(layout.recent, rest, layout.mode)


def read_recent(layout: Layout) -> Recent:
    """Return the contents of `.recent`, each line once; empty if it cannot be read."""
    lines: dict[bytes, dict[str, None]] = {begins: {} for begins in MARKS.values()}
    with contextlib.suppress(OSError, StoreError):
        for raw in recent(layout).split(b"\n"):
            if raw[:2] in lines:
                lines[raw[:2]][raw[2:].decode("utf-8", "replace")] = None
    return Recent(list(lines[MARKS["declarative.md"]]), list(lines[MARKS["journal.jsonl"]]))


def recent(layout: Layout) -> bytes:
    """Return the last complete lines of `.recent`, at most RECENT_READ bytes. Raises OSError."""
    status = files.status(layout.recent)
    start = max((status.st_size if status else 0) - RECENT_READ, 0)
    data = files.read(layout.recent, start, RECENT_READ) or b""
    return data[data.find(b"\n") + 1 :] if start else data


def _newest(data: bytes, size: int) -> bytes:
    return data if len(data) <= size else data[data.find(b"\n", len(data) - size - 1) + 1 :]


def store_comparison(layout: Layout, at: Stamps, lost: Lost) -> None:
    """Record the result of a comparison during which the files had the identities `at`. Errors are ignored."""
    note = {"at": at, **lost._asdict()}
    data = dumps(note).encode() + b"\n"
    with contextlib.suppress(OSError, StoreError), files.opened(layout.lost, os.O_RDWR, layout.mode) as fd:
        files.write_all(fd, data)
        os.ftruncate(fd, len(data))


def delete_comparison(layout: Layout) -> None:
    """Delete the result of the last comparison, so that the next command compares again."""
    with contextlib.suppress(OSError, StoreError), files.opened(layout.lost, os.O_WRONLY) as fd:
        os.ftruncate(fd, 0)


def note_index_current(layout: Layout) -> None:
    """Record without a sync that MEMORY.md is up to date. The caller holds the lock."""
    with contextlib.suppress(OSError, StoreError), files.opened(layout.intent, os.O_WRONLY) as fd:
        if os.fstat(fd).st_size <= LONGEST_MARK:  # otherwise it still contains an append
            data = mark()
            files.write_all(fd, data)
            os.ftruncate(fd, len(data))
