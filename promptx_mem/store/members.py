"""Memories that members of a team sent: the server role that sent each line, and trusted roles (docs/sharing.md).

Only records name the sender of a line; the line itself does not. A memory belongs to a member if a record names the
member's role as the sender of its line. It still counts as the user's own in three cases: the user stored the same text
here, trusts the role, or has accepted the memory. The records are in a file in the user's state folder.

Few stores have records. For the others, `search.history.senders` does not load this module.
"""

import json
import os
import re
from collections.abc import Collection, Iterable, Mapping
from hashlib import blake2b

from promptx_mem import places
from promptx_mem.core.entry import Entry
from promptx_mem.core.json_text import load_object
from promptx_mem.core.line import value_hash
from promptx_mem.core.state import FACT, MEMBER, MOST_FOREIGN, OWN, UNFADING, State
from promptx_mem.core.text import lines_at, pattern
from promptx_mem.errors import StoreError
from promptx_mem.record import NamedTuple
from promptx_mem.store import disk, files, outside
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
    data = read_file(layout)
    return NO_MEMBERS if data is None else _parsed(data, idents)


def of_senders(sent: Iterable[tuple[Entry, str]], trusted: frozenset[str], own: Collection[tuple[str, str]]) -> Members:
    """Return the `Members` of pairs of a line and the role that sent it. The ids and texts `own` are the user's."""
    every = [(entry, role) for entry, role in sent if (entry.id, entry.text) not in own]
    lines, timeless = ({key(entry): role for entry, role in every} for key in (_key, _timeless))
    return Members(lines, timeless, trusted, frozenset(), frozenset(ident for ident, _ in lines))


# The file in the user's state folder that records which server role sent each line of a store.

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


def _parsed(data: bytes, idents: Collection[str] | None = None) -> Members:
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
    return Members(lines, timeless, frozenset(trusted), frozenset(owned), ids, unknown)


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
    if _parsed(data).unknown:
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
    return None if data is None or not _parsed(data).unknown else path(layout) or "members.jsonl"


def sender_record(entry: Entry, role: str) -> dict[str, str]:
    """Return a record of the role that sent a line."""
    return {"id": entry.id, "line": value_hash(entry), "as": value_hash(entry._replace(at=None)), "role": role}


def own_record(entry: Entry) -> dict[str, str]:
    """Return a record that declares a memory, with its present values, to be the user's own."""
    return {"id": entry.id, "own": value_hash(entry._replace(at=None))}
