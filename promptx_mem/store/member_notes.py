"""The file in the user's state folder that records which server role sent each line of a store (docs/sharing.md)."""

import json
import os
import re
from collections.abc import Collection, Iterable, Mapping
from hashlib import blake2b

from promptx_mem import places
from promptx_mem.core.entry import Entry
from promptx_mem.core.json_text import load_object
from promptx_mem.core.line import value_hash
from promptx_mem.core.text import lines_at
from promptx_mem.errors import StoreError
from promptx_mem.store import disk, files, outside
from promptx_mem.store.layout import Layout

_HEAD = re.compile(rb'\{"copy":"[0-9a-f]{32}"\}\n')
MAX_BYTES = 100_000_000
"""Maximum size of the file in bytes, more than the largest store needs. A larger file is not read."""


def read_file(layout: Layout) -> bytes | None:
    """Return the bytes of the file; empty if it is missing, too large, not ours or unreadable.

    Return None if it is missing and the store was never synced with a server.
    """
    place = path(layout)
    data = None if place is None else _load(place)
    if data is not None:
        return data
    team = str(layout.team)
    has_synced = files.status(layout.team / "state.json") or files.status(layout.team / "sent")
    is_new = has_synced is None and os.path.isdir(team) and not os.path.islink(team)
    return None if files.status(layout.team) is None or is_new else b""


def _load(place: str) -> bytes | None:
    """Return the bytes of a file: None if it is missing, empty if it cannot be used."""
    try:
        status = files.status(place)
        is_ours = status is not None and places.is_trusted(status)
        return files.load(place) if status is None or (is_ours and status.st_size <= MAX_BYTES) else b""
    except FileNotFoundError:
        return None
    except (OSError, StoreError):
        return b""


def path(layout: Layout) -> str | None:
    """Return the path of the user's file for a store; None if HOME is not set."""
    folder = places.members_folder()
    name = blake2b(os.fsencode(os.path.realpath(layout.root)), digest_size=16).hexdigest()
    return folder and os.path.join(folder, f"{name}.jsonl")


def _made(layout: Layout) -> str:
    """Create the folder of the user's file, and return the file's path. Raises OSError, StoreError."""
    place = path(layout)
    if place is None or outside.folder() is None:
        raise StoreError(
            "the authors of memories cannot be recorded in your state folder",
            hint=f"make {places.members_folder() or 'your home'} writable, or set XDG_STATE_HOME to another folder",
        )
    disk.make_directory(os.path.dirname(place), 0o700)
    return place


LOST = "the file that records who wrote this store's memories is damaged or missing"

_MANY = 200


Key = tuple[str, str]
Values = tuple[dict[Key, str], dict[Key, str], frozenset[str], frozenset[Key], frozenset[str], bool]
"""The values of `members.Members`, in the order of its fields."""


def read(layout: Layout, idents: Collection[str] | None = None) -> Values | None:
    """Return the records of all memories or of `idents`; None if `read_file` returns None."""
    data = read_file(layout)
    return None if data is None else _parsed(data, idents)


def _parsed(data: bytes, idents: Collection[str] | None = None) -> Values:
    lines: dict[Key, str] = {}
    timeless: dict[Key, str] = {}
    trusted: set[str] = set()
    owned: set[Key] = set()
    unknown = not _looks_complete(data)
    if idents is None or len(idents) > _MANY:
        raws = _lines(data)
    else:  # a search for a few records is faster
        keys = (b'{"trust":', *(f'{{"id":"{ident}"'.encode() for ident in idents))
        raws = [line for key in keys for line in lines_at(key, data).values()]
    for raw in raws:
        match _record(raw):
            case {"id": ident, "line": line, "as": values, "role": role}:
                lines[ident, line] = timeless[ident, values] = role
            case {"id": ident, "own": values}:
                owned.add((ident, values))
            case {"trust": role}:
                trusted.add(role)
            case _:
                unknown = True
    ids = frozenset(ident for ident, _ in lines)
    return lines, timeless, frozenset(trusted), frozenset(owned), ids, unknown


def _looks_complete(data: bytes) -> bool:
    """Return whether every line of the file begins and ends as promptx-mem writes it."""
    begun = data.count(b'\n{"id":"m_') + data.count(b'\n{"trust":')
    return (
        bool(_HEAD.match(data)) and data.endswith(b"\n") and data.count(b"\n") - 1 == begun == data.count(b'"}\n') - 1
    )


def _lines(data: bytes) -> list[bytes]:
    """Return all lines except the first, which is a header."""
    return data.removesuffix(b"\n").split(b"\n")[1:]


def note(layout: Layout, records: Iterable[Mapping[str, str]]) -> None:
    """Append records durably. The caller holds the lock. Raises OSError, or StoreError if earlier records are lost."""
    added = list(records)
    if not added:
        return
    data = read_file(layout)
    if data is None:
        repair(layout, added)
        return
    if _parsed(data)[-1]:
        raise StoreError(LOST, code="members_unknown", hint="to restore it from the server: promptx-mem sync")
    with files.opened(_made(layout), os.O_RDWR | os.O_APPEND, layout.mode) as fd:
        disk.append(fd, b"".join(b"%s\n" % _line(record) for record in added), durable=True)


def repair(layout: Layout, records: Iterable[Mapping[str, str]] = ()) -> None:
    """Rewrite the file with its valid records and with `records`. If the file was lost, pass the records of all lines.

    The caller holds the lock. Raises OSError, StoreError.
    """
    kept = filter(None, map(_record, _lines(read_file(layout) or b"")))
    head = b'{"copy":"%s"}\n' % os.urandom(16).hex().encode()
    data = head + b"".join(b"%s\n" % line for line in dict.fromkeys(map(_line, [*kept, *records])))
    disk.replace(_made(layout), data, layout.mode, durable=True)


def _record(raw: bytes) -> dict[str, str]:
    """Parse a record. Return an empty one if it is invalid."""
    fields = load_object(raw) or {}
    is_note = fields.keys() in ({"id", "line", "as", "role"}, {"id", "own"}, {"trust"})
    return fields if is_note and all(isinstance(value, str) for value in fields.values()) else {}


def _line(record: Mapping[str, str]) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def damaged(layout: Layout) -> str | None:
    """Return the path of the file if it is missing or damaged; None if it is intact or not needed."""
    data = read_file(layout)
    return None if data is None or not _parsed(data)[-1] else path(layout) or "members.jsonl"


def sender_record(entry: Entry, role: str) -> dict[str, str]:
    """Return a record of the role that sent a line."""
    return {"id": entry.id, "line": value_hash(entry), "as": value_hash(entry._replace(at=None)), "role": role}


def own_record(entry: Entry) -> dict[str, str]:
    """Return a record that declares a memory, with its present values, to be the user's own."""
    return {"id": entry.id, "own": value_hash(entry._replace(at=None))}
