""".team/members.jsonl: which role of a server a line came from, and what a person has said of that (docs/team.md).

This copy decides it, never a line: a memory is a member's as long as the line that says it is, and nobody here has
stored the same text, trusts the role, or has said that the memory is to count as own.
"""

import contextlib
import json
import os
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from promptx_mem.core.entry import Entry
from promptx_mem.core.json_text import load_object
from promptx_mem.core.life import value_hash
from promptx_mem.core.origin import MEMBER, MOST, OWN
from promptx_mem.core.state import State
from promptx_mem.errors import StoreError
from promptx_mem.store import files
from promptx_mem.store.layout import Layout

NAME = "members.jsonl"
MAX_BYTES = 20_000_000
_ODD = re.compile(r"[^A-Za-z0-9_.-]")
_LONGEST = 63
_MANY = 200
_PLAIN = re.compile(rb'\{"id":"(m_[0-9a-z]{10})","line":"([0-9a-f]+)","as":"([0-9a-f]+)","role":"([^"\\]*)"\}')
"""A note as it is written, but for roles of odd names."""


Key = tuple[str, str]
"""A memory's id, and a hash of a line's values."""


class Members(NamedTuple):
    """Roles by the lines that came from them, and by these without their time; who is trusted, what counts as own.

    The fold may give a line by hand another time, and an event of anybody's can ask for that.
    """

    lines: Mapping[Key, str]
    timeless: Mapping[Key, str]
    trusted: frozenset[str]
    owned: frozenset[Key]
    ids: frozenset[str]

    def mark(self, states: Mapping[str, State], entries: Iterable[Entry]) -> dict[str, State]:
        """Say of each state whose it is, `entries` being the lines it was folded from.

        What is a member's is worth no more than a fact of score 7. When it ends is as the fold says, in every copy.
        """
        marked = dict(states)
        ids = self.ids.intersection(states)
        own = {(entry.id, entry.text) for entry in entries if entry.id in ids and _key(entry) not in self.lines}
        for ident in ids:
            state = states[ident]
            key = _timeless(state.entry)
            role = self.timeless.get(key)
            if role is None or role in self.trusted or key in self.owned or (ident, state.entry.text) in own:
                continue
            if state.origin == OWN:
                worth = min(state.importance, MOST)
                marked[ident] = state._replace(origin=f"{MEMBER}{named(role)}", importance=worth)
        return marked


NOBODY = Members({}, {}, frozenset(), frozenset(), frozenset())


def _key(entry: Entry) -> Key:
    return entry.id, value_hash(entry)


def _timeless(entry: Entry) -> Key:
    return _key(entry._replace(at=None))


def named(role: str) -> str:
    """A role's name as it may stand in an origin, wherever that is shown."""
    return _ODD.sub("_", role)[:_LONGEST] or "_"


def read(layout: Layout, idents: Collection[str] | None = None) -> Members:
    """What was noted, of all memories or of some; nothing where there is no such file.

    Of some the file is only searched: who stores a memory must not parse what is noted of thousands.
    """
    data = b""
    with contextlib.suppress(OSError, StoreError):
        data = files.read(layout.team / NAME, 0, MAX_BYTES) or b""
    if not data:
        return NOBODY
    lines: dict[Key, str] = {}
    timeless: dict[Key, str] = {}
    others = data.split(b"\n") if idents is None else _lines_about(data, idents)
    rest: list[bytes] = []
    for raw in others:
        if (match := _PLAIN.fullmatch(raw)) is None:
            rest.append(raw)
            continue
        ident, line, values, role = match.group(1, 2, 3, 4)
        name = ident.decode()
        lines[name, line.decode()] = timeless[name, values.decode()] = role.decode("utf-8", "replace")
    trusted: set[str] = set()
    owned: set[Key] = set()
    for raw in rest:
        match load_object(raw.decode("utf-8", "replace")) if raw else None:
            case {"id": str(ident), "line": str(line), "as": str(values), "role": str(role)}:
                lines[ident, line] = timeless[ident, values] = role
            case {"id": str(ident), "own": str(values)}:
                owned.add((ident, values))
            case {"trust": str(role)}:
                trusted.add(role)
    ids = frozenset(ident for ident, _ in lines)
    return Members(lines, timeless, frozenset(trusted), frozenset(owned), ids)


def _lines_about(data: bytes, idents: Collection[str]) -> list[bytes]:
    """The notes of some memories, and those of roles."""
    if len(idents) > _MANY:
        return data.split(b"\n")
    out = []
    for needle in (b'{"trust":', *(f'{{"id":"{ident}"'.encode() for ident in idents)):
        place = data.find(needle)
        while place >= 0:
            stop = data.find(b"\n", place)
            out.append(data[place : stop if stop >= 0 else len(data)])
            place = data.find(needle, place + 1)
    return out


def note(layout: Layout, records: Iterable[Mapping[str, Any]]) -> None:
    """Append notes, durably. Raises OSError, StoreError."""
    data = "".join(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n" for record in records).encode()
    if not data:
        return
    files.make_directory(layout.team, layout.directory_mode)
    with files.opened(layout.team / NAME, os.O_RDWR | os.O_APPEND, layout.mode) as fd:
        size = os.fstat(fd).st_size
        guard = b"" if size == 0 or os.pread(fd, 1, size - 1) == b"\n" else b"\n"
        files.write_all(fd, guard + data)
        files.sync(fd)
    files.sync_directory(layout.team)


def of_line(entry: Entry, role: str) -> dict[str, Any]:
    """The note that a line came from a role."""
    ident, line = _key(entry)
    return {"id": ident, "line": line, "as": _timeless(entry)[1], "role": role}


def of_own(entry: Entry) -> dict[str, Any]:
    """The note that a memory, as it says now, counts as own."""
    ident, values = _timeless(entry)
    return {"id": ident, "own": values}
