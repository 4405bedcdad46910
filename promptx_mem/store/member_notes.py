"""Whose lines are, as it was noted: lines of two files that are read as one (docs/sharing.md)."""

import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import NamedTuple

from promptx_mem import places
from promptx_mem.core.json_text import load_object
from promptx_mem.errors import StoreError
from promptx_mem.store import files, trust
from promptx_mem.store.layout import Layout

NAME = "members.jsonl"
MAX_BYTES = 100_000_000
"""More than a line about each memory of the largest store takes; a larger file is not read."""

_HEAD = re.compile(rb'\{"copy":"([0-9a-f]{32})"\}\n')


class Place(NamedTuple):
    """One of the two files: its bytes, and what is wrong with it as a whole, empty for nothing."""

    data: bytes = b""
    trouble: str = ""

    @property
    def mark(self) -> bytes:
        """Drawn when a copy joins, the same in both files; empty where the first line does not say it."""
        match = _HEAD.match(self.data)
        return match[1] if match else b""

    def is_sound(self) -> bool:
        """Whether it looks whole: every line begins and ends as ours do."""
        if self.trouble or not self.mark or not self.data.endswith(b"\n"):
            return False
        lines = self.data.count(b"\n") - 1
        begun = self.data.count(b'\n{"id":"m_') + self.data.count(b'\n{"trust":')
        return lines == begun == self.data.count(b'"}\n') - 1


MISSING = "it is missing"


class Pair(NamedTuple):
    """The notes of a copy, in the store and with the user."""

    inside: Place
    outside: Place

    def is_equal(self) -> bool:
        """Whether both say the same: what happened to one of them has not happened to the other."""
        one, two = self
        return bool(one.mark) and one.data == two.data and one.data.endswith(b"\n")

    def is_one_copy(self) -> bool:
        """Whether neither says that it is another copy's."""
        return not self.inside.mark or not self.outside.mark or self.inside.mark == self.outside.mark

    def mark(self) -> bytes:
        """What is drawn anew where the two do not agree."""
        return (self.inside.mark or self.outside.mark) if self.is_one_copy() else b""


def read_files(layout: Layout) -> Pair | None:
    """The two files; None for a store that has never met a server."""
    outside = path(layout)
    second = Place(trouble=MISSING) if outside is None or not os.path.lexists(outside) else _load(outside)
    if files.status(layout.team) is None:
        return None if second.trouble == MISSING else Pair(Place(trouble=MISSING), second)
    first = _load(layout.team / NAME)
    if first.trouble == MISSING and second.trouble == MISSING and _is_new(layout):
        return None
    return Pair(first, second)


def _is_new(layout: Layout) -> bool:
    """Whether the folder holds nothing yet: it is made before the first exchange."""
    status = files.status(layout.team / "state.json") or files.status(layout.team / "sent")
    return status is None and os.path.isdir(str(layout.team)) and not os.path.islink(str(layout.team))


def _load(place: files.Path) -> Place:
    try:
        status = files.status(place)
        if status is not None and status.st_size > MAX_BYTES:
            return Place(trouble="it is far too large")
        if isinstance(place, str) and status is not None and not places.is_trusted(status):  # of a store several write
            return Place(trouble="it is another user's")
        return Place(files.load(place, 0, MAX_BYTES))
    except FileNotFoundError:
        return Place(trouble=MISSING)
    except StoreError as error:
        return Place(trouble=error.message)
    except OSError as error:
        return Place(trouble=f"it cannot be read ({error.strerror})")


def path(layout: Layout) -> str | None:
    """Where the user's file of a store lies; None without a home, or where no store's was ever made."""
    folder = places.members_folder()
    return None if folder is None or not os.path.isdir(folder) else os.path.join(folder, _name(layout))


def _name(layout: Layout) -> str:
    return blake2b(os.fsencode(os.path.realpath(layout.root)), digest_size=16).hexdigest() + ".jsonl"


def append(layout: Layout, data: bytes) -> None:
    """Add whole lines to both, which are equal. Raises OSError, StoreError."""
    for place in _both(layout):
        with files.opened(place, os.O_RDWR | os.O_APPEND, layout.mode) as fd:
            files.write_all(fd, data)
            files.sync(fd)


def write(layout: Layout, lines: Iterable[bytes], mark: bytes = b"") -> None:
    """Put both anew, durably. Raises OSError, StoreError."""
    head = b'{"copy":"%s"}\n' % (mark or os.urandom(16).hex().encode())
    data = head + b"".join(b"%s\n" % line for line in lines)
    for place in _both(layout):
        files.replace(place, data, layout.mode, durable=True)


def _both(layout: Layout) -> list[files.Path]:
    files.make_directory(layout.team, layout.directory_mode)
    folder = places.members_folder()
    if folder is None or trust.folder() is None:
        raise StoreError(
            "it cannot be noted outside of the store whose the memories are",
            hint=f"{folder or 'a home'} must be writable; XDG_STATE_HOME names another place",
        )
    files.make_directory(folder, 0o700)
    return [layout.team / NAME, os.path.join(folder, _name(layout))]


LOST = "whose the memories of this store are is not known any more: both notes of it are damaged or gone"

_MANY = 200
_PLAIN = re.compile(rb'\{"id":"(m_[0-9a-z]{10})","line":"([0-9a-f]+)","as":"([0-9a-f]+)","role":"([^"\\]*)"\}')
"""A note as it is written, but for roles of odd names."""

Key = tuple[str, str]
"""A memory's id, and a hash of a line's values."""


class Told(NamedTuple):
    """What notes say: roles by lines, and by lines without their time; whom and what a person counts as own.

    Not whole: what came from a member may stand in none of them.
    """

    lines: dict[Key, str]
    timeless: dict[Key, str]
    trusted: set[str]
    owned: set[Key]
    is_whole: bool = True


def read(layout: Layout, idents: Collection[str] | None = None) -> Told | None:
    """What was noted, of all memories or of some; None for a store that has never met a server."""
    pair = read_files(layout)
    return None if pair is None else _told(pair, idents)


def _told(pair: Pair, idents: Collection[str] | None) -> Told:
    inside = _parse(pair.inside.data, idents)
    if pair.is_equal():
        return inside
    outside = _parse(pair.outside.data, idents)
    whole = [place.is_sound() and told.is_whole for place, told in zip(pair, (inside, outside), strict=True)]
    lines, timeless = {**outside.lines, **inside.lines}, {**outside.timeless, **inside.timeless}
    if not pair.is_one_copy():
        return Told(lines, timeless, set(), set(), is_whole=False)
    return Told(lines, timeless, outside.trusted, outside.owned, any(whole))


def _parse(data: bytes, idents: Collection[str] | None = None) -> Told:
    told = Told({}, {}, set(), set())
    rest: list[bytes] = []
    for raw in _lines(data) if idents is None or len(idents) > _MANY else _lines_about(data, idents):
        if (match := _PLAIN.fullmatch(raw)) is None:
            rest.append(raw)
            continue
        ident, line, values, role = match.group(1, 2, 3, 4)
        name = ident.decode()
        told.lines[name, line.decode()] = told.timeless[name, values.decode()] = role.decode("utf-8", "replace")
    wrong = 0
    for raw in rest:
        match load_object(raw.decode("utf-8", "replace")):
            case {"id": str(ident), "line": str(line), "as": str(values), "role": str(role)}:
                told.lines[ident, line] = told.timeless[ident, values] = role
            case {"id": str(ident), "own": str(values)}:
                told.owned.add((ident, values))
            case {"trust": str(role)}:
                told.trusted.add(role)
            case _:
                wrong += 1
    return told._replace(is_whole=not wrong)


def _lines(data: bytes) -> list[bytes]:
    """All but the first."""
    return data.removesuffix(b"\n").split(b"\n")[1:]


def _lines_about(data: bytes, idents: Collection[str]) -> Iterator[bytes]:
    """The notes of some memories, and those of roles."""
    for needle in (b'\n{"trust":', *(f'\n{{"id":"{ident}"'.encode() for ident in idents)):
        place = data.find(needle)
        while place >= 0:
            stop = data.find(b"\n", place + 1)
            yield data[place + 1 : stop if stop >= 0 else len(data)]
            place = data.find(needle, place + 1)


def note(layout: Layout, records: Iterable[Mapping[str, str]]) -> None:
    """Add notes, durably, under the lock of the store. Raises OSError; StoreError also where the notes are lost."""
    added = [_line(record) for record in records]
    if not added:
        return
    pair = read_files(layout)
    if pair is not None and pair.is_equal():
        append(layout, b"".join(b"%s\n" % line for line in added))
        return
    if pair is not None and not _told(pair, None).is_whole:
        raise StoreError(LOST, code="members_unknown", hint="promptx-mem sync asks the server")
    _write(layout, pair, added)


def mend(layout: Layout, records: Iterable[Mapping[str, str]] = ()) -> None:
    """Make both files whole; `records`, where they were lost, are of all lines that are here.

    Under the lock of the store. Raises OSError, StoreError.
    """
    _write(layout, read_files(layout), [_line(record) for record in records])


def _write(layout: Layout, pair: Pair | None, added: Iterable[bytes]) -> None:
    """Put what both files say of lines, what a person said outside, and what is added, into both."""
    lines: dict[bytes, None] = {}
    if pair is not None:
        every = _lines(pair.inside.data) + _lines(pair.outside.data)
        lines |= dict.fromkeys(_line(note) for raw in every if "role" in (note := _understood(raw)))
        if pair.is_one_copy():
            said = (note for raw in _lines(pair.outside.data) if (note := _understood(raw)) and "role" not in note)
            lines |= dict.fromkeys(map(_line, said))
    mark = pair.mark() if pair is not None else b""
    write(layout, [*lines, *added], mark)


def _understood(raw: bytes) -> dict[str, str]:
    """A note as a value, empty for what is none."""
    fields = load_object(raw.decode("utf-8", "replace")) or {}
    is_note = fields.keys() in ({"id", "line", "as", "role"}, {"id", "own"}, {"trust"})
    return fields if is_note and all(isinstance(value, str) for value in fields.values()) else {}


def _line(record: Mapping[str, str]) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def is_settled(layout: Layout) -> bool:
    """Whether there are notes, and nothing is to be mended."""
    pair = read_files(layout)
    return pair is not None and pair.is_equal() and pair.inside.is_sound()


def trouble(layout: Layout) -> list[tuple[str, str]]:
    """What is wrong with the two files, each by its name; nothing where both are whole, or not there at all."""
    pair = read_files(layout)
    if pair is None or (pair.is_equal() and _parse(pair.inside.data).is_whole):
        return []
    names = (f".team/{NAME}", path(layout) or NAME)
    out = []
    for name, place in zip(names, pair, strict=True):
        if place.trouble:
            out.append((name, place.trouble))
        elif not place.is_sound() or not _parse(place.data).is_whole:
            out.append((name, "a line of it is damaged"))
    return out or [(names[0], f"it does not say what {names[1]} says")]
