"""The file in the user's state folder that records which server role sent each line of a store (docs/sharing.md)."""

import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import blake2b

from promptx_mem import places
from promptx_mem.core.json_text import load_object
from promptx_mem.errors import StoreError
from promptx_mem.record import NamedTuple
from promptx_mem.store import files, trust
from promptx_mem.store.layout import Layout

_HEAD = re.compile(rb'\{"copy":"[0-9a-f]{32}"\}\n')
MAX_BYTES = 100_000_000
"""Maximum size of the file in bytes, more than the largest store needs. A larger file is not read."""

MISSING = "it is missing"


class Place(NamedTuple):
    """The bytes of the file, or the error (`trouble`) of a failed read."""

    data: bytes = b""
    trouble: str = ""


def read_file(layout: Layout) -> Place | None:
    """Read the file. Return None for a store that was never connected to a server."""
    outside = path(layout)
    place = Place(trouble=MISSING) if outside is None else _load(outside)
    if place.trouble != MISSING:
        return place
    team = str(layout.team)
    has_synced = files.status(layout.team / "state.json") or files.status(layout.team / "sent")
    is_new = has_synced is None and os.path.isdir(team) and not os.path.islink(team)
    return None if files.status(layout.team) is None or is_new else place


def _load(place: str) -> Place:
    try:
        status = files.status(place)
        if status is not None and status.st_size > MAX_BYTES:
            return Place(trouble="it is far too large")
        if status is not None and not places.is_trusted(status):  # stores can be shared
            return Place(trouble="it belongs to another user")
        return Place(files.load(place, 0, MAX_BYTES))
    except FileNotFoundError:
        return Place(trouble=MISSING)
    except StoreError as error:
        return Place(trouble=error.message)
    except OSError as error:
        return Place(trouble=f"it cannot be read ({error.strerror})")


def path(layout: Layout) -> str | None:
    """Return the path of the user's file for a store; None if its folder is missing or HOME is not set."""
    folder = places.members_folder()
    return None if folder is None or not os.path.isdir(folder) else os.path.join(folder, _name(layout))


def _name(layout: Layout) -> str:
    return blake2b(os.fsencode(os.path.realpath(layout.root)), digest_size=16).hexdigest() + ".jsonl"


def _made(layout: Layout) -> str:
    """Create the folder of the user's file, and return the file's path. Raises OSError, StoreError."""
    folder = places.members_folder()
    if folder is None or trust.folder() is None:
        raise StoreError(
            "the authors of memories cannot be recorded in your state folder",
            hint=f"make {folder or 'your home'} writable, or set XDG_STATE_HOME to another folder",
        )
    files.make_directory(folder, 0o700)
    return os.path.join(folder, _name(layout))


LOST = "the notes on who wrote the memories of this store are damaged or missing"

_MANY = 200


Key = tuple[str, str]
Values = tuple[dict[Key, str], dict[Key, str], frozenset[str], frozenset[Key], frozenset[str], bool]
"""The values of `members.Members`, in the order of its fields."""


def read(layout: Layout, idents: Collection[str] | None = None) -> Values | None:
    """Return the records of all memories or of `idents`; None if the store was never connected to a server."""
    place = read_file(layout)
    return None if place is None else _parsed(place, idents)


def _parsed(place: Place, idents: Collection[str] | None = None) -> Values:
    lines: dict[Key, str] = {}
    timeless: dict[Key, str] = {}
    trusted: set[str] = set()
    owned: set[Key] = set()
    unknown = not _looks_complete(place)
    is_about_few = idents is not None and len(idents) <= _MANY
    for raw in _lines_about(place.data, idents or ()) if is_about_few else _lines(place.data):
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


def _is_whole(place: Place) -> bool:
    return not _parsed(place)[-1]


def _looks_complete(place: Place) -> bool:
    """Return whether every line of the file begins and ends as promptx-mem writes it."""
    data = place.data
    begun = data.count(b'\n{"id":"m_') + data.count(b'\n{"trust":')
    return (
        bool(_HEAD.match(data)) and data.endswith(b"\n") and data.count(b"\n") - 1 == begun == data.count(b'"}\n') - 1
    )


def _lines(data: bytes) -> list[bytes]:
    """Return all lines except the first, which is a header."""
    return data.removesuffix(b"\n").split(b"\n")[1:]


def _lines_about(data: bytes, idents: Collection[str]) -> Iterator[bytes]:
    """Yield the records of some memories and of trusted roles."""
    for needle in (b'\n{"trust":', *(f'\n{{"id":"{ident}"'.encode() for ident in idents)):
        place = data.find(needle)
        while place >= 0:
            stop = data.find(b"\n", place + 1)
            yield data[place + 1 : stop if stop >= 0 else len(data)]
            place = data.find(needle, place + 1)


def note(layout: Layout, records: Iterable[Mapping[str, str]]) -> None:
    """Append records durably. The caller holds the lock. Raises OSError, or StoreError if earlier records are lost."""
    added = list(records)
    if not added:
        return
    place = read_file(layout)
    if place is None:
        repair(layout, added)
        return
    if not _is_whole(place):
        raise StoreError(LOST, code="members_unknown", hint="to ask the server: promptx-mem sync")
    with files.opened(_made(layout), os.O_RDWR | os.O_APPEND, layout.mode) as fd:
        files.append(fd, b"".join(b"%s\n" % _line(record) for record in added), durable=True)


def repair(layout: Layout, records: Iterable[Mapping[str, str]] = ()) -> None:
    """Rewrite the file with its valid records and with `records`. If the file was lost, pass the records of all lines.

    The caller holds the lock. Raises OSError, StoreError.
    """
    place = read_file(layout) or Place()
    kept = filter(None, map(_record, _lines(place.data)))
    head = b'{"copy":"%s"}\n' % os.urandom(16).hex().encode()
    data = head + b"".join(b"%s\n" % line for line in dict.fromkeys(map(_line, [*kept, *records])))
    files.replace(_made(layout), data, layout.mode, durable=True)


def _record(raw: bytes) -> dict[str, str]:
    """Parse a record. Return an empty one if it is invalid."""
    fields = load_object(raw.decode("utf-8", "replace")) or {}
    is_note = fields.keys() in ({"id", "line", "as", "role"}, {"id", "own"}, {"trust"})
    return fields if is_note and all(isinstance(value, str) for value in fields.values()) else {}


def _line(record: Mapping[str, str]) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def trouble(layout: Layout) -> tuple[str, str] | None:
    """Return the file's name and its error; None if the file is intact, or if the store never had such a file."""
    place = read_file(layout)
    if place is None or (not place.trouble and _is_whole(place)):
        return None
    return path(layout) or "members.jsonl", place.trouble or "one of its lines is damaged"
