"""Removal of conversations: how long they are kept, and how they are destroyed."""

import json
from collections.abc import Callable, Collection

from promptx_mem.core.json_text import load_object
from promptx_mem.core.slices import Unit
from promptx_mem.core.times import DAY, epoch, is_time, iso
from promptx_mem.record import NamedTuple
from promptx_mem.store import conversations, files, settings, shelved
from promptx_mem.store.layout import Layout

NAME = "kept.json"


class Kept(NamedTuple):
    """Epoch seconds: slices up to `until` are removed; `looked` is the time of the last check."""

    until: float = 0.0
    looked: float = 0.0


def read(layout: Layout) -> Kept:
    """Return the notes; empty if the file is missing or another program wrote it. Raises OSError."""
    data = files.read(layout.conversations / NAME) or b""
    fields = load_object(data.decode("utf-8", "replace").strip()) or {}
    times = (fields.get(key) for key in Kept._fields)
    return Kept(*(epoch(at) if isinstance(at, str) and is_time(at) else 0.0 for at in times))


def write(layout: Layout, kept: Kept, *, durable: bool) -> None:
    """Write the record, under the lock. Raises OSError, StoreError."""
    fields = {key: iso(moment) for key, moment in kept._asdict().items() if moment}
    files.replace(layout.conversations / NAME, f"{json.dumps(fields)}\n".encode(), layout.mode, durable=durable)


def horizon(layout: Layout, now: float) -> float:
    """Return the cutoff in epoch seconds: older messages of a transcript are not read, since they would be deleted."""
    return max(read(layout).until, now - settings.limits()[0] * DAY)


def size(layout: Layout) -> int:
    """Return the bytes of all messages, live and shelved."""
    total = 0
    for folder in (layout.conversations, shelved.folder(layout)):
        for name in files.names(folder):
            status = files.status(folder / name)
            total += status.st_size if status is not None else 0
    return total


_LOOSE = ("topic", "related")


def take_out(layout: Layout, unit: Unit, slices: Collection[int], messages: Collection[int]) -> None:
    """Remove slices, and messages by their numbers, from a unit as read under this lock.

    A line `gone` keeps the highest numbers, so that no remaining memory refers to another slice.
    """
    last = max((unit.gone[0], *(unit.slices[number].last for number in slices)))
    fields = {"gone": last, "slices": max((unit.gone[1], *slices)), "session": unit.session}
    mark = conversations.encoded({key: value for key, value in fields.items() if value is not None})
    doomed = {"message": set(messages), "slice": set(slices), "episode": set(slices)}

    def rest(raw: bytes) -> bytes:
        line = conversations.fields_of(raw)
        keeps = b'"gone":' not in raw[:10] and (line is None or line[1] not in doomed[line[0]])
        return raw + b"\n" if raw and keeps else b""

    _rewrite(layout, unit.id, rest, mark)


def close(layout: Layout, unit: Unit) -> None:
    """Record that the unit's messages, as read under this lock, no longer wait for a slice."""
    fields = {"gone": max((unit.gone[0], *unit.messages)), "slices": unit.gone[1], "session": unit.session}
    data = conversations.encoded({key: value for key, value in fields.items() if value is not None})
    conversations.add_raw(layout, unit.id, data)


def remove(layout: Layout, unit: str) -> None:
    """Remove a unit's files if only the numbers remain, under the lock."""
    for place in (shelved.path(layout, unit), conversations.path(layout, unit)):
        if files.status(place) is not None:
            files.unlink(place)


def redact(layout: Layout, unit: Unit, slices: Collection[int], messages: Collection[int], word: str) -> None:
    """Replace all messages in slices and messages by `word`, under the lock; their keys remain."""
    spoken = {number for part in slices for number in unit.numbers(unit.slices[part])} | set(messages)

    def rest(raw: bytes) -> bytes:
        line = conversations.fields_of(raw)
        if line is not None and line[0] == "message" and line[1] in spoken:
            return conversations.encoded({**line[2], "text": word})
        if line is not None and line[0] == "slice" and line[1] in slices:
            fields = {key: value for key, value in line[2].items() if key not in _LOOSE}
            return conversations.encoded({**fields, "summary": word})
        return raw + b"\n" if raw else b""

    _rewrite(layout, unit.id, rest, b"")


def _rewrite(layout: Layout, unit: str, rest: Callable[[bytes], bytes], mark: bytes) -> None:
    """Replace a unit's files by the result of `rest` for each line, the mark before it."""
    if old := shelved.read(layout, unit):
        shelved.write(layout, unit, mark + b"".join(map(rest, old.split(b"\n"))))
    where = conversations.path(layout, unit)
    if data := files.read(where):
        files.replace(where, mark + b"".join(map(rest, data.split(b"\n"))), layout.mode, durable=True)
