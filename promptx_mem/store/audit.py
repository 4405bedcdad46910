"""audit.jsonl: every attempt to store a memory, with its verdict, and every violation.

A command does not fail if the log cannot be read or written. A record's keys: `at`, `s` (session), `cmd`, `verdict`,
`why`, `id`, `len`, `hash`, `score`, `basis`, `adjust`, `x` (1: a violation), `n` (number of this scoring within the
local day), `allow` (lifts the block of a session), `by` (names under which a violation counts), `ids` (of imported
memories).
"""

import contextlib
import datetime
import os
from collections import Counter
from collections.abc import Iterable, Iterator

from promptx_mem.core import json_text
from promptx_mem.core.ids import is_id
from promptx_mem.core.json_text import load_object, objects
from promptx_mem.core.text import lines_at
from promptx_mem.errors import StoreError
from promptx_mem.places import guard_folder
from promptx_mem.record import Any
from promptx_mem.store import disk, files
from promptx_mem.store.layout import Layout

MAX_BYTES = 1_000_000
MAX_DAYS = 30
MAX_SCORINGS = 1_000

Record = dict[str, Any]


def read(layout: Layout) -> bytes:
    """Return the log's bytes; empty if the log cannot be read, so that no command fails."""
    with contextlib.suppress(OSError, StoreError):
        return files.read(layout.audit) or b""
    return b""


def newest(data: bytes) -> Iterator[Record]:
    """Yield the valid records, the last one first. A line is parsed only when it is needed."""
    stop = len(data)
    while stop > 0:
        start = data.rfind(b"\n", 0, stop) + 1
        if start < stop and (record := load_object(data[start:stop].decode("utf-8", "replace"))) is not None:
            yield record
        stop = start - 1


def tally(records: Iterable[Record]) -> dict[str, int]:
    """Count the records with each verdict, in the order of first occurrence. Records of reviews have no verdict."""
    return dict(Counter(str(record["verdict"]) for record in records if record.get("verdict")))


def stored(records: Iterable[Record]) -> dict[str, str]:
    """Return the ids of memories that the log records as stored, each with the time when it was last stored."""
    return {
        record["id"]: str(record.get("at", ""))
        for record in records
        if record.get("verdict") == "stored" and isinstance(record.get("id"), str) and is_id(record["id"])
    }


def append(layout: Layout, entries: list[Record], now: datetime.datetime) -> None:
    """Append records, and rotate the log if it is too large. The caller holds the lock. Errors are ignored."""
    data = b"".join(json_text.encode(record) for record in entries)
    with contextlib.suppress(OSError, StoreError):
        with files.opened(layout.audit, os.O_RDWR | os.O_APPEND, layout.mode) as fd:
            size = os.fstat(fd).st_size
            disk.append(fd, data)
        acknowledge(layout, data)
        if size + len(data) > MAX_BYTES:
            rotate(layout, now)


def acknowledge(layout: Layout, appended: bytes = b"") -> None:
    """Log appended lines for the guard, if it is in use. Without appended lines, log that lines were removed."""
    if guard_folder(layout.root) is not None:
        from promptx_mem.store import acknowledged

        acknowledged.note_audit(layout.root, appended)


def rotate(layout: Layout, now: datetime.datetime) -> None:
    """Remove lines older than 30 days. If the log is too large, keep only the newest lines, up to 3/4 of the limit.

    Today's lines always stay.
    """
    with contextlib.suppress(OSError, StoreError), files.opened(layout.audit, os.O_RDONLY) as fd:
        data = os.pread(fd, os.fstat(fd).st_size, 0)
        today = now.date().isoformat()
        horizon = (now - datetime.timedelta(days=MAX_DAYS)).isoformat()
        excess = len(data) - MAX_BYTES * 3 // 4 if len(data) > MAX_BYTES else 0
        lines = []
        for line in data.splitlines(keepends=True):
            mark = line.find(b'"at":"')
            stamp = line[mark + 6 : mark + 31].decode("utf-8", "replace") if mark >= 0 else ""
            if stamp.startswith(today) or (excess <= 0 and stamp >= horizon):
                lines.append(line)
            else:
                excess -= len(line)
        rest = b"".join(lines)
        if len(rest) < len(data):
            disk.replace(layout.audit, rest, layout.mode)
            acknowledge(layout)
            _carry_over(layout, os.pread(fd, os.fstat(fd).st_size, len(data)))


def _carry_over(layout: Layout, late: bytes) -> None:
    """Append the lines that the guard wrote to the old file during the rotation. The guard uses no lock."""
    log = read(layout)
    lines = [line for line in late.splitlines(keepends=True) if line.endswith(b"\n") and line not in log]
    if lines:
        with files.opened(layout.audit, os.O_RDWR | os.O_APPEND, layout.mode) as fd:
            files.write_all(fd, b"".join(lines))


def has_stored(data: bytes, session: str) -> bool:
    """Return whether a session has stored or repeated a memory."""
    from promptx_mem.store import violations

    own = objects(b"\n".join(lines_at(b'"s":' + violations.quoted(session), data).values()))
    return any(one.get("s") == session and one.get("id") and one.get("verdict") != "refused" for one in own)


def of_session(names: Iterable[str], *logs: bytes) -> bytes:
    """Return the lines with one of these session names, in file order. Lines of several logs are sorted by time."""
    from promptx_mem.store import violations

    every = list(names)
    lines = [line for log in logs for _, line in violations.lines_of(every, log)]

    def moment(line: bytes) -> float:
        at = time_of(load_object(line.decode("utf-8", "replace")))
        return 0.0 if at is None else at.timestamp()

    return b"\n".join(lines if len(logs) == 1 else (line for _, line in sorted((moment(one), one) for one in lines)))


def scorings(data: bytes, now: datetime.datetime) -> int:
    """Return the number of texts scored on this local day: the counter (`n`) of the newest record that has one."""
    for record in newest(data):
        if isinstance(count := record.get("n"), int):
            return count if str(record.get("at", ""))[:10] == now.date().isoformat() else 0
    return 0


def time_of(record: Record | None) -> datetime.datetime | None:
    """Return the time of a record; None if it cannot be read."""
    try:
        at = datetime.datetime.fromisoformat(str(record["at"])) if record else None
    except (ValueError, KeyError):
        return None
    return at if at is not None and at.tzinfo is not None else None
