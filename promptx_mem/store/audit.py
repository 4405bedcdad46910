"""audit.jsonl: every attempt to store a memory, with its verdict, and every violation (docs/file-format.md).

If the log cannot be read, the commands that show the log fail. If a record cannot be written, the command warns.
"""

import contextlib
import datetime
import os
from collections import Counter
from collections.abc import Iterable, Iterator

from promptx_mem.core import json_text
from promptx_mem.core.json_text import load_object
from promptx_mem.places import guard_folder
from promptx_mem.record import Any
from promptx_mem.store import disk, files
from promptx_mem.store.layout import Layout

MAX_BYTES = 1_000_000
MAX_SCORINGS = 1_000

Record = dict[str, Any]


def read(layout: Layout) -> bytes:
    """Return the log's bytes; empty if the log cannot be read. Commands that show the log use `load`."""
    with contextlib.suppress(OSError):
        return load(layout)
    return b""


def load(layout: Layout) -> bytes:
    """Return the log's bytes; empty if it is missing or not a regular file. Raises OSError if it cannot be read."""
    return files.read(layout.audit) or b""


def newest(data: bytes) -> Iterator[Record]:
    """Yield the valid records, the last one first. A line is parsed only when it is needed."""
    stop = len(data)
    while stop > 0:
        start = data.rfind(b"\n", 0, stop) + 1
        if start < stop and (record := load_object(data[start:stop])) is not None:
            yield record
        stop = start - 1


def tally(records: Iterable[Record]) -> dict[str, int]:
    """Count the records with each verdict, in the order of first occurrence. A record can have no verdict."""
    return dict(Counter(str(record["verdict"]) for record in records if record.get("verdict")))


def append(layout: Layout, entries: list[Record]) -> bool:
    """Append records. Return whether the log exceeds MAX_BYTES. Needs the lock. Raises OSError, StoreError."""
    data = b"".join(json_text.as_line(record) for record in entries)
    with files.opened(layout.audit, os.O_RDWR | os.O_APPEND, layout.mode) as fd:
        size = os.fstat(fd).st_size
        disk.append(fd, data)
    acknowledge(layout, data)
    return size + len(data) > MAX_BYTES


def acknowledge(layout: Layout, appended: bytes = b"") -> None:
    """Log appended lines for the guard, if the guard is in use. Without `appended`, log that lines were removed."""
    if guard_folder(layout.root) is not None:
        from promptx_mem.store import acknowledged

        acknowledged.note_audit(layout.root, appended)


def scorings(data: bytes, now: datetime.datetime) -> int:
    """Return the number of texts scored on this local day: `n` of the newest record with it; 0 if of another day."""
    for record in newest(data):
        if isinstance(count := record.get("n"), int):
            return count if str(record.get("at", ""))[:10] == now.date().isoformat() else 0
    return 0
