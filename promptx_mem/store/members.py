"""The notes on members: the server role that sent each line, and a person's decisions about it (docs/sharing.md).

The record in this copy decides, not the line: a memory is a member's as long as its line is recorded as theirs, and
nobody here has stored the same text, trusts the role, or has marked the memory as own.
"""

import os
from collections.abc import Collection, Iterable, Mapping

from promptx_mem import places
from promptx_mem.core.entry import Entry
from promptx_mem.core.fold import value_hash
from promptx_mem.core.state import MEMBER, MOST_FOREIGN, OWN, State
from promptx_mem.core.text import pattern
from promptx_mem.record import NamedTuple
from promptx_mem.store.layout import Layout

UNKNOWN = "_"
"""Stands for the role if the sender of a line is unknown."""

_ODD = r"[^A-Za-z0-9_.-]"
_LONGEST = 63

Key = tuple[str, str]
"""A memory's id, and a hash of a line's values."""


class Members(NamedTuple):
    """The role that sent each line, by the line and by the line without its time; trusted roles and own memories.

    An event may change the time of a hand-written line, so lines are also found without it. `unknown`: the notes are
    lost. Then every memory that is not certainly own belongs to a member.
    """

    lines: Mapping[Key, str]
    timeless: Mapping[Key, str]
    trusted: frozenset[str]
    owned: frozenset[Key]
    ids: frozenset[str]
    unknown: bool = False

    def mark(self, states: Mapping[str, State], entries: Iterable[Entry]) -> dict[str, State]:
        """Set the origin of each state; `entries` are the lines it was folded from.

        The importance of a member's memory is at most that of a fact with score 7. Its end is the same in every copy.
        """
        marked = dict(states)
        ids = states.keys() if self.unknown else self.ids.intersection(states)
        lines = [entry for entry in entries if entry.id in ids]
        own = {(entry.id, entry.text) for entry in lines if self._is_own(entry)}
        keys: dict[Entry, set[Key]] = {}
        for line in lines:
            keys.setdefault(_as_stored(line), set()).add(_timeless(line))
        for ident in ids:
            state = states[ident]
            own_keys = {_timeless(state.entry), *keys.get(_as_stored(state.entry), ())}
            roles = {self.timeless[key] for key in own_keys if key in self.timeless}
            roles = roles or ({UNKNOWN} if self.unknown else set())
            if roles <= self.trusted or not own_keys.isdisjoint(self.owned) or (ident, state.entry.text) in own:
                continue
            role = min(roles - self.trusted)
            if state.origin == OWN:
                marked[ident] = sent_by(role, state)
        return marked

    def _is_own(self, entry: Entry) -> bool:
        return not self.unknown and _key(entry) not in self.lines


NOBODY = Members({}, {}, frozenset(), frozenset(), frozenset())


def _key(entry: Entry) -> Key:
    return entry.id, value_hash(entry)


def _timeless(entry: Entry) -> Key:
    return _key(entry._replace(at=None))


def _as_stored(entry: Entry) -> Entry:
    """Return a line without the fields that anybody's event may change."""
    return entry._replace(at=None, topic=None, topics=(), related=(), aka=())


def named(role: str) -> str:
    """Return a role's name in an origin, as it is shown everywhere."""
    return pattern(_ODD).sub("_", role)[:_LONGEST] or "_"


def sent_by(role: str, state: State) -> State:
    """Mark a state as a member's. Its importance is at most that of a fact with score 7."""
    return state._replace(origin=f"{MEMBER}{named(role)}", importance=min(state.importance, MOST_FOREIGN))


def read(layout: Layout, idents: Collection[str] | None = None) -> Members:
    """Return the notes on all memories or on some; empty for a store that was never connected to a server.

    For some memories the files are only searched, so that storing one memory does not parse thousands of notes.
    """
    if is_new(layout):
        return NOBODY
    from promptx_mem.store import member_notes

    told = member_notes.read(layout, idents)
    if told is None:
        return NOBODY
    ids = frozenset(ident for ident, _ in told.lines)
    return Members(told.lines, told.timeless, frozenset(told.trusted), frozenset(told.owned), ids, not told.is_whole)


def is_new(layout: Layout) -> bool:
    """Return whether the store was never connected to a server, so that it has no folder for one."""
    folder = places.members_folder()
    return not os.path.lexists(str(layout.team)) and (folder is None or not os.path.isdir(folder))


def of_line(entry: Entry, role: str) -> dict[str, str]:
    """Return the note that a line came from a role."""
    ident, line = _key(entry)
    return {"id": ident, "line": line, "as": _timeless(entry)[1], "role": role}


def of_own(entry: Entry) -> dict[str, str]:
    """Return the note that a memory, with its present text, counts as own."""
    ident, values = _timeless(entry)
    return {"id": ident, "own": values}
