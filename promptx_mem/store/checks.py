"""Checks of a store before a command: for missing lines, and for an outdated MEMORY.md.

`.lost`: the result of the last comparison of `.recent` with declarative.md and journal.jsonl. It contains the ids of
memories with missing lines or events, and the identities (`files.Identity`) of both files. While these are the same,
nothing is compared again. The same is true for git's log of stashes, since a dropped stash can have contained missing
lines. `.lost` contains no texts, and you may delete it.

`.intent`: when MEMORY.md includes the last append, a blank and the machine's boot id replace the file's first byte.
After a restart the id differs. Then MEMORY.md can be out of date, since it is not synced.
"""

import contextlib
import os
from collections.abc import Iterable, Mapping, Sequence

from promptx_mem.core.json_text import dumps, load_object
from promptx_mem.errors import StoreError
from promptx_mem.machine import boot
from promptx_mem.record import NamedTuple
from promptx_mem.store import files
from promptx_mem.store.files import Identity
from promptx_mem.store.layout import Layout

MOST_IDS = 1_000
"""Maximum number of ids in `.lost`. The numbers of missing lines and events can be larger."""

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
    """Return the identities of the files. Raises OSError."""
    return tuple(files.identity(path) if path else None for path in (layout.declarative, layout.journal, stash))


def looked(layout: Layout) -> Lost | None:
    """Return the result of the last comparison; None if there was none, or if the files have changed since then."""
    with contextlib.suppress(OSError, StoreError):
        noted = _looked(layout)
        if noted is not None and noted[0] == stamps(layout, noted[1].stash):
            return noted[1]
    return None


def note_looked(layout: Layout, at: Stamps, lost: Lost) -> None:
    """Record the result of a comparison during which the files had the identities `at`. Errors are ignored."""
    note = {"at": at, **lost._asdict()}
    data = dumps(note).encode() + b"\n"
    with contextlib.suppress(OSError, StoreError), files.opened(layout.lost, os.O_RDWR, layout.mode) as fd:
        files.write_all(fd, data)
        os.ftruncate(fd, len(data))


def forget_looked(layout: Layout) -> None:
    """Delete the result of the last comparison, so that the next command compares again."""
    with contextlib.suppress(OSError, StoreError), files.opened(layout.lost, os.O_WRONLY) as fd:
        os.ftruncate(fd, 0)


def go_on(layout: Layout, changes: Mapping[str, Sequence[Identity]], appended: Iterable[bytes]) -> None:
    """Keep the result of the last comparison valid after promptx-mem's own appends. The caller holds the lock.

    The result becomes invalid if another program changed a file, or if an append contains the id of a missing memory.
    """
    with contextlib.suppress(OSError, StoreError):
        noted = _looked(layout)
        if noted is None or noted[0] == (now := stamps(layout, noted[1].stash)):
            return
        paths = (layout.declarative, layout.journal, noted[1].stash)
        steps = zip(paths, noted[0], now, strict=True)
        if not all(_follows(before, after, changes.get(path, ())) for path, before, after in steps):
            return
        lost, needles = noted[1], [ident.encode() for ident in noted[1].ids]
        is_complete = lost.lines + lost.events == 0 or 0 < len(needles) < MOST_IDS
        if is_complete and not any(needle in data for data in appended for needle in needles):
            note_looked(layout, now, lost)


def _follows(before: Identity | None, after: Identity | None, steps: Sequence[Identity]) -> bool:
    """Return whether only promptx-mem's appends (`steps`) changed a file's identity from `before` to `after`."""
    if before == after:
        return True
    is_first = bool(steps) and (before in steps or (before is None and steps[0][2] == 0))
    return is_first and steps[-1] == after


def _looked(layout: Layout) -> tuple[Stamps, Lost] | None:
    note = load_object((files.read(layout.lost, 0, _LOST_BYTES) or b"").decode("utf-8", "replace")) or {}
    match note:
        case {"at": [*at], "lines": int(lines), "events": int(events), "ids": [*ids], "stash": str(stash)}:
            return tuple(map(_identity, at)), Lost(lines, events, tuple(map(str, ids)), stash)
    return None


def _identity(value: object) -> Identity | None:
    return (value[0], value[1], value[2], value[3]) if isinstance(value, list) and len(value) == 4 else None


_LONGEST_MARK = 64


def is_behind(layout: Layout) -> bool:
    """Return whether MEMORY.md could be out of date, after an append or a restart of the machine."""
    try:
        data = files.read(layout.intent, 0, _LONGEST_MARK)
    except OSError:
        return True
    return data is not None and data != _mark()


def caught_up(layout: Layout) -> None:
    """Record without a sync that MEMORY.md is up to date. The caller holds the lock."""
    with contextlib.suppress(OSError, StoreError), files.opened(layout.intent, os.O_WRONLY) as fd:
        if os.fstat(fd).st_size <= _LONGEST_MARK:  # otherwise it still contains an append
            mark = _mark()
            files.write_all(fd, mark)
            os.ftruncate(fd, len(mark))


def _mark() -> bytes:
    return f" {boot()}".encode()[:_LONGEST_MARK]
