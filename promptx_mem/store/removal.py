"""What is taken out of conversations: slices whose time is over, and the words of what was purged.

A unit lies in up to two files, of which each is replaced whole: after a crash in between, the same is done again.
"""

from collections.abc import Callable, Collection

from promptx_mem.core.slices import Unit
from promptx_mem.store import conversations, files, shelved
from promptx_mem.store.layout import Layout

_LOOSE = ("topic", "related")


def take_out(layout: Layout, unit: Unit, slices: Collection[int], messages: Collection[int]) -> None:
    """Take slices, and messages by their numbers, out of a unit as read under this lock.

    A line `gone` keeps what numbers were given: a memory that is still there refers to none of another slice.
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
    """Note that none of a unit's messages, as read under this lock, waits for a slice any more."""
    fields = {"gone": max((unit.gone[0], *unit.messages)), "slices": unit.gone[1], "session": unit.session}
    data = conversations.encoded({key: value for key, value in fields.items() if value is not None})
    conversations.add_raw(layout, unit.id, data)


def remove(layout: Layout, unit: str) -> None:
    """Remove what is left of a unit of which nothing is left but the numbers, under the lock."""
    for place in (shelved.path(layout, unit), conversations.path(layout, unit)):
        if files.status(place) is not None:
            files.unlink(place)


def redact(layout: Layout, unit: Unit, slices: Collection[int], messages: Collection[int], word: str) -> None:
    """Put `word` in the place of all that was said in slices and messages, under the lock; their keys stay."""
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
    """Put what `rest` leaves of each line in the place of a unit's files, the mark before it."""
    if old := shelved.read(layout, unit):
        shelved.write(layout, unit, mark + b"".join(map(rest, old.split(b"\n"))))
    where = conversations.path(layout, unit)
    if data := files.read(where):
        files.replace(where, mark + b"".join(map(rest, data.split(b"\n"))), layout.mode, durable=True)
