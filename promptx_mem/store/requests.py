"""Requests of users: the words of each thing to remember, hashed, per session, in the user's state folder.

They are apart from the stores, so that the first request of all finds a place, and no store learns of another's.
"""

import contextlib
import datetime
import json
import os
import stat
import time
from collections.abc import Iterable

from promptx_mem.core.ids import digest
from promptx_mem.core.json_text import load_object
from promptx_mem.places import state_folder

MAX_DAYS = 30
MAX_BYTES = 1_000_000
"""Of one session; a longer file is not added to."""


def note(session: str, words: Iterable[str], now: datetime.datetime) -> None:
    """Record the hashed words of one request; a failure is silent, since a hook never stops its host."""
    path = _path(session)
    if path is None:
        return
    folder = os.path.dirname(path)
    record = {"at": now.isoformat(timespec="seconds"), "w": list(words)}
    with contextlib.suppress(OSError, ValueError):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        _sweep(folder)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        fd = os.open(path, flags, 0o600)
        try:
            status = os.fstat(fd)
            if stat.S_ISREG(status.st_mode) and status.st_size < MAX_BYTES:
                os.write(fd, json.dumps(record, separators=(",", ":")).encode() + b"\n")
        finally:
            os.close(fd)


def words(session: str) -> list[list[object]]:
    """Return the hashed words of each request of a session, in order; none if they cannot be read."""
    path, data = _path(session), b""
    if path is None:
        return []
    with contextlib.suppress(OSError, ValueError):
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            if stat.S_ISREG(os.fstat(fd).st_mode):
                data = os.read(fd, 2 * MAX_BYTES)
        finally:
            os.close(fd)
    records = (load_object(line.decode("utf-8", "replace")) for line in data.split(b"\n") if line)
    return [record["w"] for record in records if record is not None and isinstance(record.get("w"), list)]


def _path(session: str) -> str | None:
    folder = state_folder()
    name = f"s_{digest(session.encode('utf-8', 'surrogatepass'), 5)}.jsonl"
    return folder and os.path.join(folder, "requests", name)


def _sweep(folder: str) -> None:
    """Remove the files of sessions that asked for nothing in the last 30 days."""
    horizon = time.time() - MAX_DAYS * 86_400
    for entry in os.scandir(folder):
        if entry.stat(follow_symlinks=False).st_mtime < horizon:
            os.unlink(entry.path)
