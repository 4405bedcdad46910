"""The notes of a copy about its server in `.team/` (they cannot be rebuilt), and its binding in the settings."""

import json
import os
from collections.abc import Iterable

from promptx_mem.core.json_text import load_object
from promptx_mem.errors import UsageError
from promptx_mem.store import disk, files, settings
from promptx_mem.store.layout import Layout
from promptx_mem.store.settings import Binding
from promptx_mem.team.port import Mark

STATE, SENT, HAND = "state.json", "sent", "hand"
SIZE = 32
"""Number of bytes of a hash."""


_SETS = ("held", "gone", "doubtful", "without")


class State:
    """The progress of a copy's exchange with a space on a server.

    `held`: hashes of records not accepted yet. `gone`: hashes of records on the server that this copy deleted or never
    stored. `doubtful`: purged ids whose bytes could still be on the server. `left`: number of records that did not fit
    into this copy. `without`: excluded roles. `sent`: number of hashes in the file `sent` (records on both sides).
    """

    def __init__(self, space: str = "") -> None:
        self.space, self.at = space, ""
        self.mark: Mark | None = None
        self.left = self.sent = 0
        self.held, self.gone, self.doubtful, self.without = set[str](), set[str](), set[str](), set[str]()


def read(layout: Layout) -> State:
    """Return the recorded progress; the initial state if the file is missing or invalid. Raises OSError."""
    data = files.read(layout.team / STATE) or b""
    fields = load_object(data.decode("utf-8", "replace").strip()) or {}
    match fields:
        case {"space": str(space), "server": str(server), "xid": int(xid), "seq": int(seq), "at": str(at)}:
            state = State(space)
            state.at, state.mark = at, Mark(server, xid, seq) if server else None
            state.held, state.gone, state.doubtful, state.without = (_texts(fields.get(key)) for key in _SETS)
            state.left, state.sent = (
                count if isinstance(count := fields.get(key), int) else 0 for key in ("left", "sent")
            )
            return state
    return State()


def _texts(value: object) -> set[str]:
    return {item for item in value if isinstance(item, str)} if isinstance(value, list) else set()


def write(layout: Layout, state: State) -> None:
    """Record the progress durably. Raises OSError, StoreError."""
    mark = state.mark or Mark("", 0, 0)
    fields = {
        "space": state.space, "server": mark.server, "xid": mark.xid, "seq": mark.seq,
        "left": state.left, "at": state.at, "sent": state.sent,
        **{key: sorted(getattr(state, key)) for key in _SETS},
    }  # fmt: skip
    disk.make_directory(layout.team, layout.directory_mode)
    disk.replace(layout.team / STATE, f"{json.dumps(fields)}\n".encode(), layout.mode, durable=True)


def hashes(layout: Layout, name: str) -> list[bytes]:
    """Return the hashes in a file, in order. Raises OSError.

    `SENT`: records that are both here and on the server. `HAND`: the hand-written lines at the last exchange.
    """
    data = files.read(layout.team / name) or b""
    return [data[at : at + SIZE] for at in range(0, len(data) - SIZE + 1, SIZE)]


def add_sent(layout: Layout, new: Iterable[bytes]) -> None:
    """Append hashes to the file `sent`. An incomplete hash at the file's end is removed first. Raises OSError."""
    if data := b"".join(new):
        disk.make_directory(layout.team, layout.directory_mode)
        with files.opened(layout.team / SENT, os.O_RDWR | os.O_APPEND, layout.mode) as fd:
            size = os.fstat(fd).st_size
            if size % SIZE:
                os.ftruncate(fd, size - size % SIZE)
            files.write_all(fd, data)


def write_hashes(layout: Layout, name: str, listed: list[bytes]) -> None:
    """Replace the hashes in a file durably, if they differ. Raises OSError, StoreError."""
    if listed != hashes(layout, name):
        disk.make_directory(layout.team, layout.directory_mode)
        disk.replace(layout.team / name, b"".join(listed), layout.mode, durable=True)


PERSONAL = "user:"
"""Prefix of the name of a space that belongs to one person."""


def of(where: Layout) -> Binding | None:
    """Return the binding of a store to a space, or None. Raises ConfigError, StoreError for unreadable settings."""
    return settings.of().sync.get(os.path.realpath(where.root))


def demand_fitting(where: Layout, space: str) -> None:
    """Raise UsageError for a user store with a team's space, and for a project's store with a person's own space."""
    if where.is_user and not space.startswith(PERSONAL):
        raise UsageError(
            "the user store cannot be sent to a team's space: it is about you, and is used in all projects",
            code="user_store",
            hint="use a private space, which the server grants to nobody else: --space user:<role>",
        )
    if not where.is_user and space.startswith(PERSONAL):
        raise UsageError(
            f"{space} is only for a user store",
            code="user_store",
            hint="for a project's store, choose another name: --space <name>",
        )


def note(where: Layout, bound: Binding) -> str:
    """Record a store's binding to a space. Return the settings' path. Raises ConfigError, StoreError, OSError."""
    bindings = {**settings.of().sync, os.path.realpath(where.root): bound}
    stores = {store: one._asdict() for store, one in bindings.items()}
    return settings.change(settings.SYNC, stores, write=True)[0]
