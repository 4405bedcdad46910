"""Memories that members of a team sent: the server role that sent each line, and trusted roles (docs/sharing.md).

Only records name the sender of a line; the line itself does not. A memory belongs to a member if a record names the
member's role as the sender of its line. It still counts as the user's own in three cases: the user stored the same text
here, trusts the role, or has accepted the memory.
"""

import os
from collections.abc import Collection, Iterable, Mapping

from promptx_mem import places
from promptx_mem.core.entry import Entry
from promptx_mem.core.line import value_hash
from promptx_mem.core.state import FACT, MEMBER, MOST_FOREIGN, OWN, UNFADING, State
from promptx_mem.core.text import pattern
from promptx_mem.record import NamedTuple
from promptx_mem.store.layout import Layout

UNKNOWN = "_"
"""Name that is used instead of a role's name if the sender of a line is unknown."""

_ODD = r"[^A-Za-z0-9_.-]"
_LONGEST = 63

Key = tuple[str, str]
"""A memory's id, and a hash of the values in its line."""


class Members(NamedTuple):
    """The role that sent each line, and the roles (`trusted`) and memories (`owned`) that count as the user's own.

    The keys of `lines` hash the whole line. The keys of `timeless` hash it without its time, because an event can set
    the time of a hand-written line. `ids` are the ids of the memories in `lines`. If `unknown`, records are lost.
    Then a memory without a record counts as a member's.
    """

    lines: Mapping[Key, str]
    timeless: Mapping[Key, str]
    trusted: frozenset[str]
    owned: frozenset[Key]
    ids: frozenset[str]
    unknown: bool = False

    def mark(self, states: Mapping[str, State], entries: Iterable[Entry]) -> dict[str, State]:
        """Return the states, with members' memories marked. The states were computed from the lines `entries`.

        The mark does not change the time at which a memory ends. Every copy of the store computes the same time.
        """
        marked = dict(states)
        ids = states.keys() if self.unknown else self.ids.intersection(states)
        if not ids:
            return marked
        lines = [entry for entry in entries if entry.id in ids]
        own = {(entry.id, entry.text) for entry in lines if not self.unknown and _key(entry) not in self.lines}
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
            role = role_label(min(roles - self.trusted))
            if state.origin == OWN:  # now neither core nor verified, and at most as important as score 7
                marked[ident] = state._replace(
                    origin=f"{MEMBER}{role}", importance=min(state.importance, MOST_FOREIGN), verified=False,
                    category=FACT if state.category in UNFADING else state.category,
                )  # fmt: skip
        return marked

    def is_foreign(self, line: Entry, role: str) -> bool:
        """Return whether another known role than `role` sent a line, and neither the role nor the line is trusted."""
        sender = self.lines.get(_key(line), UNKNOWN)
        return sender not in (UNKNOWN, role, *self.trusted) and _timeless(line) not in self.owned


NO_MEMBERS = Members({}, {}, frozenset(), frozenset(), frozenset())


def _key(entry: Entry) -> Key:
    return entry.id, value_hash(entry)


def _timeless(entry: Entry) -> Key:
    return _key(entry._replace(at=None))


def _as_stored(entry: Entry) -> Entry:
    """Return an entry without the fields that any member's event can change."""
    return entry._replace(at=None, topic=None, topics=(), related=(), aka=())


def role_label(role: str) -> str:
    """Return a role's name for the origin of a memory: without unusual characters, and shortened."""
    return pattern(_ODD).sub("_", role)[:_LONGEST] or "_"


def read(layout: Layout, idents: Collection[str] | None = None) -> Members:
    """Return the records of all memories or of `idents`; NO_MEMBERS for a store that was never synced with a server.

    With `idents`, the file is searched for these ids. So storing one memory does not parse thousands of records.
    """
    folder = places.members_folder()
    if not os.path.lexists(str(layout.team)) and (folder is None or not os.path.isdir(folder)):
        return NO_MEMBERS
    from promptx_mem.store import member_notes

    values = member_notes.read(layout, idents)
    return NO_MEMBERS if values is None else Members(*values)


def of_senders(sent: Iterable[tuple[Entry, str]], trusted: frozenset[str], own: Collection[tuple[str, str]]) -> Members:
    """Return the `Members` of pairs of a line and the role that sent it. The ids and texts `own` are the user's."""
    every = [(entry, role) for entry, role in sent if (entry.id, entry.text) not in own]
    lines, timeless = ({key(entry): role for entry, role in every} for key in (_key, _timeless))
    return Members(lines, timeless, trusted, frozenset(), frozenset(ident for ident, _ in lines))
