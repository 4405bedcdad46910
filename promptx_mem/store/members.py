""".team/members.jsonl: which role of a server a line came from, and what a person has said of that (docs/team.md).

This copy decides it, never a line: a memory is a member's as long as the line that says it is, and nobody here has
stored the same text, trusts the role, or has said that the memory is to count as own.
"""

import contextlib
import json
import os
import re
from collections.abc import Iterable, Mapping
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

    def mark(self, states: Mapping[str, State], entries: Iterable[Entry]) -> dict[str, State]:
        """Say of each state whose it is, `entries` being the lines it was folded from.

        What is a member's is worth no more than a fact of score 7. When it ends is as the fold says, in every copy.
        """
        marked = dict(states)
        ids = {ident for ident, _ in self.lines} & states.keys() if self.lines else set()
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


NOBODY = Members({}, {}, frozenset(), frozenset())


def _key(entry: Entry) -> Key:
    return entry.id, value_hash(entry)


def _timeless(entry: Entry) -> Key:
    return _key(entry._replace(at=None))


def named(role: str) -> str:
    """A role's name as it may stand in an origin, wherever that is shown."""
    return _ODD.sub("_", role)[:_LONGEST] or "_"


def read(layout: Layout) -> Members:
    """What was noted; nothing where there is no such file. What is not understood is passed over."""
    data = b""
    with contextlib.suppress(OSError, StoreError):
        data = files.read(layout.team / NAME, 0, MAX_BYTES) or b""
    lines: dict[Key, str] = {}
    timeless: dict[Key, str] = {}
    trusted: set[str] = set()
    owned: set[Key] = set()
    for raw in data.split(b"\n"):
        match load_object(raw.decode("utf-8", "replace")) if raw else None:
            case {"id": str(ident), "line": str(line), "as": str(values), "role": str(role)}:
                lines[ident, line] = timeless[ident, values] = role
            case {"id": str(ident), "own": str(values)}:
                owned.add((ident, values))
            case {"trust": str(role)}:
                trusted.add(role)
    return Members(lines, timeless, frozenset(trusted), frozenset(owned))


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
