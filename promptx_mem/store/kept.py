"""conversations/kept.json: up to which moment what was said has gone, and when that is to be looked at again.

It is written before anything is taken out: what a crash has left of what came before that moment goes the next time.
"""

import json
from typing import NamedTuple

from promptx_mem.core.json_text import load_object
from promptx_mem.core.times import DAY, epoch, is_time, iso
from promptx_mem.store import files, settings, shelved
from promptx_mem.store.layout import Layout

NAME = "kept.json"


class Kept(NamedTuple):
    """Epoch seconds: slices up to `until` are gone; at `looked` the last look found none left from before `oldest`."""

    until: float = 0.0
    looked: float = 0.0
    oldest: float = 0.0


def read(layout: Layout) -> Kept:
    """What was noted; nothing where there is no such file, or none of ours. Raises OSError."""
    data = files.read(layout.conversations / NAME) or b""
    fields = load_object(data.decode("utf-8", "replace").strip()) or {}
    times = (fields.get(key) for key in Kept._fields)
    return Kept(*(epoch(at) if isinstance(at, str) and is_time(at) else 0.0 for at in times))


def write(layout: Layout, kept: Kept, *, durable: bool) -> None:
    """Note it, under the lock. Raises OSError, StoreError."""
    fields = {key: iso(moment) for key, moment in kept._asdict().items() if moment}
    files.replace(layout.conversations / NAME, f"{json.dumps(fields)}\n".encode(), layout.mode, durable=durable)


def horizon(layout: Layout, now: float) -> float:
    """Up to when what was said is not taken from a transcript any more: it has gone, or would go; epoch seconds."""
    return max(read(layout).until, now - settings.limits()[0] * DAY)


def size(layout: Layout) -> int:
    """The bytes of what was said, live and shelved."""
    total = 0
    for folder in (layout.conversations, shelved.folder(layout)):
        for name in files.names(folder):
            status = files.status(folder / name)
            total += status.st_size if status is not None else 0
    return total
