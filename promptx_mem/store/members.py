"""The notes of members: which role of a server a line came from, and what a person has said of that (docs/sharing.md).

This copy decides it, never a line: a memory is a member's as long as the line that says it is, and nobody here has
stored the same text, trusts the role, or has said that the memory is to count as own.
"""

import os
import re
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from promptx_mem import places
from promptx_mem.core.entry import Entry
from promptx_mem.core.fold import value_hash
from promptx_mem.core.state import MEMBER, MOST_FOREIGN, OWN, State
from promptx_mem.store.layout import Layout

UNKNOWN = "_"
"""Stands for the role where nobody knows who sent a line."""

_ODD = re.compile(r"[^A-Za-z0-9_.-]")
_LONGEST = 63

Key = tuple[str, str]
"""A memory's id, and a hash of a line's values."""


class Members(NamedTuple):
    """Roles by the lines that came from them, and by these without their time; who is trusted, what counts as own.

    The fold may give a line by hand another time, and an event of anybody's can ask for that. `unknown`: the notes are
    lost, so that whatever is not known to be own is a member's.
    """

    lines: Mapping[Key, str]
    timeless: Mapping[Key, str]
    trusted: frozenset[str]
    owned: frozenset[Key]
    ids: frozenset[str]
    unknown: bool = False

    def mark(self, states: Mapping[str, State], entries: Iterable[Entry]) -> dict[str, State]:
        """Say of each state whose it is, `entries` being the lines it was folded from.

        What is a member's is worth no more than a fact of score 7. When it ends is as the fold says, in every copy.
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
    """Return a line without what an event of anybody's may change."""
    return entry._replace(at=None, topic=None, topics=(), related=(), aka=())


def named(role: str) -> str:
    """A role's name as it may stand in an origin, wherever that is shown."""
    return _ODD.sub("_", role)[:_LONGEST] or "_"


def sent_by(role: str, state: State) -> State:
    """A memory as a member's: worth no more than a fact of score 7."""
    return state._replace(origin=f"{MEMBER}{named(role)}", importance=min(state.importance, MOST_FOREIGN))


def read(layout: Layout, idents: Collection[str] | None = None) -> Members:
    """What was noted, of all memories or of some; nothing for a store that has never met a server.

    Of some the files are only searched: who stores a memory must not parse what is noted of thousands.
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
    """Whether no server was ever met: the store has no folder for it, nor the user for any store."""
    beside = places.members_folder()
    return not os.path.lexists(str(layout.team)) and (beside is None or not os.path.isdir(beside))


def of_line(entry: Entry, role: str) -> dict[str, str]:
    """The note that a line came from a role."""
    ident, line = _key(entry)
    return {"id": ident, "line": line, "as": _timeless(entry)[1], "role": role}


def of_own(entry: Entry) -> dict[str, str]:
    """The note that a memory, as it says now, counts as own."""
    ident, values = _timeless(entry)
    return {"id": ident, "own": values}
