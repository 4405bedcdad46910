"""Durable appends: on return the bytes are on the disk, whole; after a crash they are there whole or not at all.

The order of the steps is in docs/design.md. `.intent` holds the bytes of the append under way, so that a torn tail
can be told from a last line that a person typed without a newline.
"""

import contextlib
import json
import os

from promptx_mem.core.ids import digest
from promptx_mem.errors import BusyError, StoreError
from promptx_mem.store import files
from promptx_mem.store.layout import Layout
from promptx_mem.store.lock import Lock

_REPLACED_TRIES = 3


class LockLostError(Exception):
    """The lock file was removed or replaced before anything was written; the work starts again."""


def append(layout: Layout, lock: Lock, path: str, data: bytes, *, header: bytes = b"") -> None:
    """Append `data`, whole lines, under the lock; `header` goes first into a new file.

    Raises OSError where the disk refuses; then nothing of `data` stays.
    """
    settle(layout)
    for _ in range(_REPLACED_TRIES):
        with files.opened(path, os.O_RDWR | os.O_APPEND, layout.mode) as fd:
            size = os.fstat(fd).st_size
            full = _with_guard(fd, size, header, data)
            _write_intent(layout, path, full)
            if not lock.still_ours():
                raise LockLostError
            _write(fd, size, full)
            if size == 0:
                files.sync_directory(layout.root)
            if _is_still(path, fd):
                break
    else:
        raise BusyError(f"{os.path.basename(path)} is being replaced again and again by another program")
    with contextlib.suppress(OSError):
        os.truncate(layout.intent, 0)


def settle(layout: Layout) -> None:
    """Truncate a torn tail that an interrupted append left: it was never acknowledged."""
    intent = read_intent(layout)
    if intent is None:
        return
    name, planned = intent
    path = os.path.join(layout.root, name)
    data = files.read(path)
    if data is not None and (keep := len(without_torn_tail(data, planned))) < len(data):
        with files.opened(path, os.O_WRONLY) as fd:
            os.ftruncate(fd, keep)
            files.sync(fd)
    with contextlib.suppress(OSError):
        os.truncate(layout.intent, 0)


def read_intent(layout: Layout) -> tuple[str, bytes] | None:
    """The file name and the bytes of the append that was under way; None where there is none, or it is torn itself."""
    with contextlib.suppress(OSError, StoreError):
        head, newline, body = (files.read(layout.intent) or b"").partition(b"\n")
        if not newline:
            return None
        try:
            note = json.loads(head)
            name, size, check = note["file"], note["size"], note["sum"]
        except (ValueError, TypeError, KeyError, RecursionError):
            return None
        if name in ("declarative.md", "journal.jsonl") and check == digest(body[:size], 16):
            return name, body[:size]
    return None


def without_torn_tail(data: bytes, planned: bytes) -> bytes:
    """The file without an unterminated tail (NULs of a power cut stripped) that begins a planned line."""
    body = data.rstrip(b"\0")
    start = body.rfind(b"\n") + 1
    tail = body[start:]
    if tail and not any(line.startswith(tail) for line in planned.split(b"\n") if line):
        return data
    return data[:start] if tail or len(body) < len(data) else data


def read_settled(layout: Layout, path: str, start: int = 0) -> bytes:
    """A store file's bytes from `start` on as every reader sees them: a torn tail is skipped, not cut off."""
    data = files.read(path, start) or b""
    if data and not data.endswith(b"\n"):
        intent = read_intent(layout)
        if intent is not None and intent[0] == os.path.basename(path):
            return without_torn_tail(data, intent[1])
    return data


def _with_guard(fd: int, size: int, header: bytes, data: bytes) -> bytes:
    if size == 0:
        return header + data
    return data if os.pread(fd, 1, size - 1) == b"\n" else b"\n" + data


def _write_intent(layout: Layout, path: str, full: bytes) -> None:
    note = {"file": os.path.basename(path), "size": len(full), "sum": digest(full, 16)}
    new = not os.path.lexists(layout.intent)
    with files.opened(layout.intent, os.O_RDWR, layout.mode) as fd:
        files.write_all(fd, json.dumps(note).encode() + b"\n" + full)
        files.sync(fd)
    if new:
        files.sync_directory(layout.root)


def _write(fd: int, size: int, full: bytes) -> None:
    try:
        files.write_all(fd, full)
        files.sync(fd)
    except BaseException:
        with contextlib.suppress(OSError):
            _take_back(fd, size, full)
        raise


def _take_back(fd: int, size: int, full: bytes) -> None:
    """Truncate what we wrote, unless someone else has appended behind it."""
    written = os.fstat(fd).st_size - size
    if 0 < written <= len(full) and os.pread(fd, written, size) == full[:written]:
        os.ftruncate(fd, size)


def _is_still(path: str, fd: int) -> bool:
    try:
        now = os.stat(path)
    except FileNotFoundError:
        return False
    opened = os.fstat(fd)
    return (now.st_dev, now.st_ino) == (opened.st_dev, opened.st_ino)
