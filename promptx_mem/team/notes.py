"""What a copy notes of the server, in `.team/`: outside the cache, since it cannot be made again, never tracked."""

import json
import os
from collections.abc import Iterable
from hashlib import sha256
from typing import NamedTuple

from promptx_mem.core.json_text import load_object
from promptx_mem.store import files
from promptx_mem.store.layout import Layout
from promptx_mem.team.port import Mark

STATE, SENT, HAND = "state.json", "sent", "hand"
SIZE = 32
"""Bytes of a hash."""


_SETS = ("held", "gone", "doubtful", "without")


class Prefix(NamedTuple):
    """The beginning of a file: its bytes, and a hash of them."""

    size: int
    digest: str


class Seen(NamedTuple):
    """What of the files was looked at and is sent: how much of two, how the others were, a hash of `sent`.

    `bytes`: what all records take that are here.
    """

    declarative: Prefix
    journal: Prefix
    archive: str
    episodes: str
    sent: str
    bytes: int


class State(NamedTuple):
    """How far a copy is with a space of a server.

    `held`: hashes of what waits. `gone`: of what was sent or taken and is rightly here no more. `doubtful`: ids that
    were purged, and of which the server may still have bytes. `left`: how many records this copy could not hold.
    `without`: roles of which nothing is taken. `seen`: what of the files need not be looked at again.
    `sent`: how many hashes were known to be here and there.
    """

    space: str = ""
    mark: Mark | None = None
    held: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()
    doubtful: frozenset[str] = frozenset()
    left: int = 0
    at: str = ""
    without: frozenset[str] = frozenset()
    seen: Seen | None = None
    sent: int = 0


def read(layout: Layout) -> State:
    """What was noted; the beginning where there is nothing, or nothing that is understood. Raises OSError."""
    data = files.read(layout.team / STATE) or b""
    fields = load_object(data.decode("utf-8", "replace").strip()) or {}
    match fields:
        case {"space": str(space), "server": str(server), "xid": int(xid), "seq": int(seq), "at": str(at)}:
            mark = Mark(server, xid, seq) if server else None
            held, gone, doubtful, without = (_texts(fields.get(key)) for key in _SETS)
            left = fields.get("left")
            left = left if isinstance(left, int) else 0
            sent = count if isinstance(count := fields.get("sent"), int) else 0
            return State(space, mark, held, gone, doubtful, left, at, without, _seen(fields.get("seen")), sent)
    return State()


def _seen(value: object) -> Seen | None:
    match value:
        case [[int(size), str(one)], [int(length), str(other)], str(archive), str(episodes), str(sent), int(count)]:
            return Seen(Prefix(size, one), Prefix(length, other), archive, episodes, sent, count)
    return None


def _texts(value: object) -> frozenset[str]:
    return frozenset(item for item in value if isinstance(item, str)) if isinstance(value, list) else frozenset()


def write(layout: Layout, state: State) -> None:
    """Note it, durably. Raises OSError, StoreError."""
    mark = state.mark or Mark("", 0, 0)
    fields = {
        "space": state.space, "server": mark.server, "xid": mark.xid, "seq": mark.seq,
        "left": state.left, "at": state.at, "seen": state.seen, "sent": state.sent,
        **{key: sorted(getattr(state, key)) for key in _SETS},
    }  # fmt: skip
    files.make_directory(layout.team, layout.directory_mode)
    files.replace(layout.team / STATE, f"{json.dumps(fields)}\n".encode(), layout.mode, durable=True)


def digest(raw: bytes) -> bytes:
    """The hash by which a record is known."""
    return sha256(raw).digest()


def sent_bytes(layout: Layout) -> bytes:
    """All of `sent`. Raises OSError."""
    return files.read(layout.team / SENT) or b""


def sent(layout: Layout) -> set[bytes]:
    """The hashes of all that is known to be both here and there. Raises OSError."""
    return set(_hashes(layout, SENT))


def hand(layout: Layout) -> list[bytes]:
    """The hashes of the lines by hand that were here at the last exchange, in their order. Raises OSError."""
    return _hashes(layout, HAND)


def write_hand(layout: Layout, hashes: list[bytes]) -> None:
    """Note them. Raises OSError, StoreError."""
    if hashes != hand(layout):
        files.replace(layout.team / HAND, b"".join(hashes), layout.mode)


def _hashes(layout: Layout, name: str) -> list[bytes]:
    data = files.read(layout.team / name) or b""
    return [data[at : at + SIZE] for at in range(0, len(data) - SIZE + 1, SIZE)]


def add_sent(layout: Layout, hashes: Iterable[bytes]) -> None:
    """Note more of them; a torn end is cut off first. What is lost of it is asked about again. Raises OSError."""
    data = b"".join(hashes)
    if data:
        files.make_directory(layout.team, layout.directory_mode)
        with files.opened(layout.team / SENT, os.O_RDWR | os.O_APPEND, layout.mode) as fd:
            size = os.fstat(fd).st_size
            if size % SIZE:
                os.ftruncate(fd, size - size % SIZE)
            files.write_all(fd, data)


def reset_sent(layout: Layout, hashes: Iterable[bytes] = ()) -> None:
    """Put others in the place of all that was noted. Raises OSError, StoreError."""
    files.make_directory(layout.team, layout.directory_mode)
    files.replace(layout.team / SENT, b"".join(hashes), layout.mode, durable=True)
