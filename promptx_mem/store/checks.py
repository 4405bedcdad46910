"""Checks of a store before a command: for missing lines, and for an outdated MEMORY.md.

`.lost`: the result of the last comparison of `.recent` with declarative.md and journal.jsonl. It contains the ids of
memories with missing lines or events, and the identities (`files.Identity`) of both files. Nothing is compared again
until an identity changes. The identity of git's log of stashes is also stored, since a dropped stash can have contained
missing lines. `.lost` contains no texts, and you may delete it.

`.intent`: when MEMORY.md includes the last append, a blank and the machine's boot id replace the first byte of
`.intent`. After a restart the id differs. Then MEMORY.md can be out of date, since MEMORY.md is not synced.
"""

import contextlib

from promptx_mem.core.json_text import load_object
from promptx_mem.errors import StoreError
from promptx_mem.machine import boot
from promptx_mem.record import NamedTuple
from promptx_mem.store import files
from promptx_mem.store.files import Identity
from promptx_mem.store.layout import Layout

MOST_IDS = 1_000
"""Maximum number of ids in `.lost`. The numbers in `Lost` can be larger."""

_LOST_BYTES = 64 * 1024


class Lost(NamedTuple):
    """Numbers of missing lines and of missing events, and at most `MOST_IDS` ids of their memories.

    `stash` is the path of git's log of stashes, if git may have removed lines.
    """

    lines: int = 0
    events: int = 0
    ids: tuple[str, ...] = ()
    stash: str = ""


Stamps = tuple[Identity | None, ...]
"""The identities of declarative.md, journal.jsonl and git's log of stashes."""


def stamps(layout: Layout, stash: str = "") -> Stamps:
    """Return the `Stamps` of a store. `stash` is the path of git's log of stashes. Raises OSError."""
    return tuple(files.identity(path) if path else None for path in (layout.declarative, layout.journal, stash))


def last_comparison(layout: Layout) -> Lost | None:
    """Return the result of the last comparison; None if there was none, or if the files have changed since then."""
    with contextlib.suppress(OSError, StoreError):
        known = stored_comparison(layout)
        if known is not None and known[0] == stamps(layout, known[1].stash):
            return known[1]
    return None


def stored_comparison(layout: Layout) -> tuple[Stamps, Lost] | None:
    """Return the files' identities at the last comparison, and its result; None if there was none."""
    note = load_object(files.read(layout.lost, 0, _LOST_BYTES) or b"") or {}
    match note:
        case {"at": [*at], "lines": int(lines), "events": int(events), "ids": [*ids], "stash": str(stash)}:
            identities = ((a[0], a[1], a[2], a[3]) if isinstance(a, list) and len(a) == 4 else None for a in at)
            return tuple(identities), Lost(lines, events, tuple(map(str, ids)), stash)
    return None


LONGEST_MARK = 64


def is_index_outdated(layout: Layout) -> bool:
    """Return whether MEMORY.md could be out of date, after an append or a restart; False without `.intent`."""
    try:
        data = files.read(layout.intent, 0, LONGEST_MARK)
    except OSError:
        return True
    return data is not None and data != mark()


def mark() -> bytes:
    """Return the content of `.intent` while MEMORY.md is up to date."""
    return f" {boot()}".encode()[:LONGEST_MARK]
