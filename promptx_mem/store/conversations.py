"""conversations/: the messages of conversations, in one append-only file per conversation (docs/file-format.md).

A conversation is called a unit. A line is a message, a slice (a run of messages with a summary), the record of a
memory made from a slice, or a mark of removed lines. A line that a crash cut short does not parse. The command
that wrote such a line never reported success.

Earlier versions moved conversations without an active memory to archive/conversations/, gzipped. Such conversations
are called shelved. This version still reads them, and can remove them.
"""

import contextlib
import json
import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Sequence

from promptx_mem.core.entry import read_text, read_weights
from promptx_mem.core.ids import is_id
from promptx_mem.core.json_text import as_line, load_object
from promptx_mem.core.slices import ROLES, Message, Reference, Slice, Unit, is_unit
from promptx_mem.core.times import epoch, is_time, iso
from promptx_mem.errors import StoreError
from promptx_mem.record import Any, NamedTuple
from promptx_mem.store import archive, disk, files
from promptx_mem.store.files import Identity, StorePath
from promptx_mem.store.layout import EPISODES as _EPISODES
from promptx_mem.store.layout import Layout

SUFFIX = ".jsonl"
_TAIL = 4_096
_END = re.compile(
    rb'\n\{"m":(?P<message>\d+),[^\n]*\n\{"slice":(?P<slice>\d+),"first":\d+,"last":(?P<last>\d+),[^\n]*'
    rb'\n\{"episode":(?P<episode>\d+),[^\n]*\n\Z'
)
"""Pattern of a file's last three lines: a message, a slice, and a slice's memory, each with its number."""

EPISODES = _EPISODES.removesuffix(SUFFIX)
"""The name of the episodes file, without the suffix. No conversation has this name."""


def identities(folder: StorePath) -> dict[str, Identity]:
    """Return the identity of each regular file in a folder, by name; empty if there is no such folder."""
    out = {}
    with contextlib.suppress(FileNotFoundError, NotADirectoryError, StoreError), files.opened_folder(folder) as place:
        for name in os.listdir(place):
            with contextlib.suppress(FileNotFoundError):
                if stat.S_ISREG((now := os.lstat(name, dir_fd=place)).st_mode):
                    out[name] = files.identity_of(now)
    return out


def units(layout: Layout) -> list[str]:
    """Return the sorted names of the units (conversations) in conversations/."""
    return named(disk.names(layout.conversations))


def every_unit(layout: Layout) -> list[str]:
    """Return the sorted names of all units (conversations), including those that earlier versions archived."""
    return sorted({*units(layout), *filter(is_unit, shelved_units(layout))})


def named(names: Iterable[str]) -> list[str]:
    """Return the sorted names of the units (conversations) in a list of file names. Other files are left out."""
    stems = {file.removesuffix(SUFFIX) for file in names if file.endswith(SUFFIX)}
    return sorted(name for name in stems - {EPISODES} if is_unit(name))


def read(layout: Layout, unit: str, previous: Unit | None = None) -> Unit:
    """Return a whole conversation, empty if it has no file. Raises OSError, StoreError.

    Of two messages or episodes with the same number, the first counts. Of two slices with the same number and messages,
    the last counts. If the file was not replaced or shortened since `previous` was read, only the new part is read.
    """
    where = path(layout, unit)
    identity = files.identity(where)
    if previous is not None and previous.place is not None and identity is not None:
        size = previous.place[2]
        if identity[:2] == previous.place[:2] and identity[2] >= size:
            return _parsed(previous, files.read(where, size) or b"", identity[:2], size)
    live = files.read(where) or b""  # read before the shelf, since lines only move from this file to the shelf
    shelf = _parsed(Unit(unit, None, {}, {}), read_shelved(layout, unit), None)
    return _parsed(shelf, live, identity[:2] if identity else None)


def has_no_waiting_messages(layout: Layout, unit: str) -> bool:
    """Return whether the end of a conversation's file shows that no message waits for a summary.

    If so, the rest of the file need not be read. This saves time if there are thousands of imported conversations.
    """
    where = path(layout, unit)
    identity = files.identity(where)
    tail = files.read(where, max(identity[2] - _TAIL, 0)) if identity else None
    end = _END.search(tail or b"")
    return end is not None and end["message"] == end["last"] and end["slice"] == end["episode"]


def read_slice(layout: Layout, reference: Reference) -> tuple[Slice, list[Message]] | None:
    """Return a slice (a run of messages with a summary) and its messages; None if there is none."""
    unit = read(layout, reference.unit)
    part = unit.slices.get(reference.number)
    return None if part is None else (part, unit.of(part))


def _parsed(before: Unit, data: bytes, file: tuple[int, int] | None, start: int = 0) -> Unit:
    """Return a conversation to which the lines in `data` were added.

    `data` are the bytes of its file from offset `start`. `file` has the device and inode of this file.
    """
    session, problems = before.session, before.problems
    messages, slices, episodes = dict(before.messages), dict(before.slices), dict(before.episodes)
    gone = before.gone
    for raw in filter(None, data.split(b"\n")):
        kind, number, value, fields = _read_line(raw)
        if kind == "message":
            messages.setdefault(number, value)
        elif kind == "slice":
            former = slices.get(number, value)
            if (former.first, former.last) == (value.first, value.last):
                slices[number] = value
        elif kind == "episode":
            episodes.setdefault(number, value)
        elif kind == "gone":
            gone = max(gone[0], number), max(gone[1], value)
        else:
            problems += 1
        if kind in ("message", "gone"):
            session = session or read_text(fields.get("session"))
    place = (*file, start + data.rfind(b"\n") + 1) if file else None
    return Unit(before.id, session, messages, slices, problems, episodes, place, gone)


def add_messages(layout: Layout, unit: str | Unit, messages: Sequence[Message], session: str | None = None) -> int:
    """Append messages to a conversation, durably. Return the number of the last one. The caller holds the lock.

    `unit` is the conversation's name, or the conversation as it was read under this lock. `session` is stored with
    message 1. Raises OSError or StoreError; then none of the messages is stored.
    """
    conversation = unit if isinstance(unit, Unit) else read(layout, unit)
    first, lines = conversation.next_message(), []
    for number, message in enumerate(messages, first):
        fields: dict[str, Any] = {"m": number, "role": message.role, "at": message.at, "text": message.text}
        fields |= {"in": message.heard, "key": message.key, "session": session if number == 1 else None}
        lines.append({key: value for key, value in fields.items() if value is not None})
    _append(layout, conversation.id, lines)
    return first + len(lines) - 1


def add_slices(layout: Layout, unit: Unit, parts: Sequence[Slice]) -> None:
    """Give numbers to slices, and append them durably to a conversation that was read under this lock.

    Raises ValueError if all messages of a slice are missing, or any is already summarised; also OSError,
    StoreError. After an error, no slice is stored.
    """
    rolled, lines = unit.rolled(), []
    for number, part in enumerate(parts, unit.next_slice()):
        if part.first <= rolled or not unit.numbers(part):
            raise ValueError(f"messages {part.first} to {part.last} of {unit.id} are missing or already summarised")
        rolled = part.last
        lines.append(_fields(part._replace(number=number)))
    _append(layout, unit.id, lines)


def replace_slice(layout: Layout, unit: str, part: Slice) -> None:
    """Durably append a slice with a new summary. The caller holds the lock. Raises OSError, StoreError."""
    _append(layout, unit, [_fields(part)])


def _fields(part: Slice) -> dict[str, Any]:
    fields: dict[str, Any] = {"slice": part.number, "first": part.first, "last": part.last, "at": part.at}
    more = {"topic": part.topic, "related": part.related, "profile": part.profile}
    return {**fields, "summary": part.summary, **{key: value for key, value in more.items() if value}}


def add_episodes(layout: Layout, notes: Iterable[tuple[Reference, str]]) -> None:
    """Record the ids of the memories made from slices. The caller holds the lock. Raises OSError, StoreError."""
    lines: dict[str, list[dict[str, Any]]] = {}
    for reference, ident in notes:
        lines.setdefault(reference.unit, []).append({"episode": reference.number, "id": ident})
    for unit, fields in lines.items():
        _append(layout, unit, fields)


def path(layout: Layout, unit: str) -> StorePath:
    """Return the path of a conversation's file. Raises StoreError if `unit` is not a name, but a path."""
    return layout.conversations / (unit + SUFFIX)


def _append(layout: Layout, unit: str, lines: Sequence[dict[str, Any]]) -> None:
    add_raw(layout, unit, b"".join(as_line(fields) for fields in lines))


def add_raw(layout: Layout, unit: str, data: bytes) -> None:
    """Append complete lines durably. After an OSError or StoreError, none is appended. The caller holds the lock."""
    place = path(layout, unit)
    if not data:
        return
    disk.make_directory(layout.conversations, layout.directory_mode)
    with files.opened(place, os.O_RDWR | os.O_APPEND, layout.mode) as fd:
        if os.fstat(fd).st_size == 0:  # a killed writer could have left the names of the file and the folder unsynced
            disk.sync_directory(layout.conversations)
            disk.sync_directory(layout.root)
        disk.append(fd, data, durable=True)


def _read_line(raw: bytes) -> tuple[str, int, Any, dict[str, Any]]:
    """Return a line's kind, number, value and object. The kind is empty if the line is invalid.

    The value is a Message, a Slice, the id of an episode, or for "gone" the number of the last removed slice.
    """
    fields = load_object(raw) or {}
    match fields:
        case {"m": number, "role": role, "text": str(text)} if _is_number(number) and role in ROLES:
            times = (fields.get("at"), fields.get("in"))
            at, heard = (moment if isinstance(moment, str) and is_time(moment) else None for moment in times)
            return "message", number, Message(role, text, at, heard, read_text(fields.get("key"))), fields
        case {"slice": number, "first": first, "last": last, "at": str(at), "summary": str(summary)} if all(
            map(_is_number, (number, first, last))
        ) and is_time(at):
            topic, profile = read_text(fields.get("topic")), read_weights(fields.get("profile"))
            related = fields.get("related")
            paths = tuple(filter(None, map(read_text, related))) if isinstance(related, list) else ()
            return "slice", number, Slice(number, first, last, at, summary, topic, paths, profile), fields
        case {"episode": number, "id": str(ident)} if _is_number(number) and is_id(ident):
            return "episode", number, ident, fields
        case {"gone": number, "slices": part} if _is_count(number) and _is_count(part):
            return "gone", number, part, fields
    return "", 0, None, fields


def _is_number(value: Any) -> bool:
    return _is_count(value) and value > 0


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 31


KEPT = "kept.json"
"""Name of the file that contains the times of `Kept`."""


class Kept(NamedTuple):
    """Two times in epoch seconds: slices up to `until` are removed; `looked` is the time of the last check."""

    until: float = 0.0
    looked: float = 0.0


def read_kept(layout: Layout) -> Kept:
    """Return the times in the file `KEPT`; 0 if a time is missing or invalid. Raises OSError."""
    data = files.read(layout.conversations / KEPT) or b""
    fields = load_object(data) or {}
    times = (fields.get(key) for key in Kept._fields)
    return Kept(*(epoch(at) if isinstance(at, str) and is_time(at) else 0.0 for at in times))


def write_kept(layout: Layout, kept: Kept, *, durable: bool) -> None:
    """Write the file `KEPT`. The caller holds the lock. Raises OSError, StoreError."""
    fields = {key: iso(moment) for key, moment in kept._asdict().items() if moment}
    disk.replace(layout.conversations / KEPT, f"{json.dumps(fields)}\n".encode(), layout.mode, durable=durable)


def size(layout: Layout) -> int:
    """Return the size in bytes of all files in conversations/ and archive/conversations/."""
    return files.total_size(folder / name for folder in layout.talks for name in disk.names(folder))


_TOPIC_FIELDS = ("topic", "related")


def remove_parts(layout: Layout, unit: Unit, slices: Collection[int], messages: Collection[int]) -> None:
    """Remove slices and messages, by their numbers, from a conversation that was read under this lock.

    A line `gone` records the highest numbers of these slices and their messages, so that these numbers are not used
    again. Otherwise a memory of a removed slice would refer to a new slice.
    """
    mark = _gone_line(unit, (unit.slices[number].last for number in slices), slices)
    doomed = {"message": set(messages), "slice": set(slices), "episode": set(slices)}

    def rest(raw: bytes) -> bytes:
        kind, number, *_ = _read_line(raw)
        return raw + b"\n" if raw and b'"gone":' not in raw[:10] and number not in doomed.get(kind, ()) else b""

    _rewrite(layout, unit.id, rest, mark)


def close(layout: Layout, unit: Unit) -> None:
    """Record that no message of a conversation needs a summary any more.

    The caller holds the lock, and has read `unit` under this lock.
    """
    add_raw(layout, unit.id, _gone_line(unit, unit.messages, ()))


def _gone_line(unit: Unit, messages: Iterable[int], slices: Iterable[int]) -> bytes:
    fields = {"gone": max((unit.gone[0], *messages)), "slices": max((unit.gone[1], *slices)), "session": unit.session}
    return as_line({key: value for key, value in fields.items() if value is not None})


def remove(layout: Layout, unit: str) -> None:
    """Remove the files of a conversation that has no messages any more. The caller holds the lock."""
    for place in (shelved_path(layout, unit), path(layout, unit)):
        disk.remove(place)


def redact(layout: Layout, unit: Unit, slices: Collection[int], messages: Collection[int], word: str) -> None:
    """Replace the summaries of `slices`, and the texts of their messages and of `messages`, with `word`.

    Remove the slices' topics.
    """
    spoken = {number for part in slices for number in unit.numbers(unit.slices[part])} | set(messages)

    def rest(raw: bytes) -> bytes:
        kind, number, _, fields = _read_line(raw)
        if kind == "message" and number in spoken:
            return as_line({**fields, "text": word})
        if kind == "slice" and number in slices:
            return as_line({**{key: fields[key] for key in fields if key not in _TOPIC_FIELDS}, "summary": word})
        return raw + b"\n" if raw else b""

    _rewrite(layout, unit.id, rest, b"")


def _rewrite(layout: Layout, unit: str, rest: Callable[[bytes], bytes], mark: bytes) -> None:
    """Rewrite a conversation's files: write `mark`, then `rest(line)` for each line of the old file."""
    if old := read_shelved(layout, unit):
        write_shelved(layout, unit, mark + b"".join(map(rest, old.split(b"\n"))))
    where = path(layout, unit)
    if data := files.read(where):
        disk.replace(where, mark + b"".join(map(rest, data.split(b"\n"))), layout.mode, durable=True)


SHELF_SUFFIX = archive.EVENTS


def shelved_path(layout: Layout, unit: str) -> StorePath:
    return layout.talks[1] / (unit + SHELF_SUFFIX)


def shelved_units(layout: Layout) -> list[str]:
    """Return the names of shelved (archived) conversations. An OSError is not ignored: a purge must find them all."""
    return sorted(
        name.removesuffix(SHELF_SUFFIX) for name in disk.names(layout.talks[1]) if name.endswith(SHELF_SUFFIX)
    )


def read_shelved(layout: Layout, unit: str) -> bytes:
    """Return a conversation's shelved (archived) lines (see `archive.inflate`).

    An OSError is not ignored. If these lines were missing, new messages would be numbered from 1 on, and be ignored.
    """
    packed = files.read(shelved_path(layout, unit))
    return archive.inflate(packed or b"")


def write_shelved(layout: Layout, unit: str, data: bytes) -> None:
    """Replace a conversation's shelved (archived) lines, durably. The caller holds the lock."""
    import gzip

    disk.replace(shelved_path(layout, unit), gzip.compress(data, mtime=0), layout.mode, durable=True)
