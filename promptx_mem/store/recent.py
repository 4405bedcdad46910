"""`.recent`: the lines last appended to declarative.md and journal.jsonl, in case an editor overwrites them.

Each line begins with a mark that names the file. `.recent` is written under the lock, but not synced, and errors are
ignored. The file protects against editors that save an old version of a file, not against power cuts.

`.lost`: the result of the last comparison of `.recent` with the two files. It contains the ids of memories with missing
lines or events, and the identities (`files.Identity`) of both files. While these are the same, nothing is compared
again. `.lost` contains no texts, and you may delete it.
"""

import contextlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from promptx_mem.core.json_text import dumps, load_object
from promptx_mem.errors import StoreError
from promptx_mem.record import NamedTuple
from promptx_mem.store import files
from promptx_mem.store.files import Identity
from promptx_mem.store.layout import Layout

MAX_BYTES = 256 * 1024
"""Maximum size of `.recent` in bytes. If it is larger, only its newer half is kept."""

READ_BYTES = 2 * MAX_BYTES
"""Maximum number of bytes that are read, from the end. promptx-mem never writes a larger file."""

MOST_IDS = 1_000
"""Maximum number of ids in `.lost`. The numbers of missing lines and events can be larger."""

_MARKS = {"declarative.md": b"d ", "journal.jsonl": b"j "}
_LOST_BYTES = 64 * 1024


class Recent(NamedTuple):
    """The lines and events as they were appended, the oldest first."""

    lines: list[str]
    events: list[str]


def note(layout: Layout, name: str, data: bytes) -> None:
    """Record the lines of `data`, which were appended to the file `name`, in `.recent`."""
    mark = _MARKS[name]
    noted = _newest(b"".join(mark + line + b"\n" for line in data.split(b"\n") if line), MAX_BYTES)
    with contextlib.suppress(OSError, StoreError):
        with files.opened(layout.recent, os.O_RDWR | os.O_APPEND, layout.mode) as fd:
            size = os.fstat(fd).st_size
            files.write_all(fd, files.guard(fd, size) + noted)
        if size + len(noted) > MAX_BYTES:
            rest = _newest(_read(layout), MAX_BYTES // 2)
            files.replace(layout.recent, rest, layout.mode)


def read(layout: Layout) -> Recent:
    """Return the contents of `.recent`, each line once; empty if it cannot be read."""
    lines: dict[bytes, dict[str, None]] = {mark: {} for mark in _MARKS.values()}
    with contextlib.suppress(OSError, StoreError):
        for raw in _read(layout).split(b"\n"):
            if raw[:2] in lines:
                lines[raw[:2]][raw[2:].decode("utf-8", "replace")] = None
    return Recent(list(lines[_MARKS["declarative.md"]]), list(lines[_MARKS["journal.jsonl"]]))


def clean(layout: Layout, keep_line: Callable[[str], bool], keep_event: Callable[[str], bool]) -> bool:
    """Durably remove lines and events that the two functions reject. Return whether there were any. Raises OSError."""
    data = _read(layout)
    if not data:
        return False
    keep = {_MARKS["declarative.md"]: keep_line, _MARKS["journal.jsonl"]: keep_event}
    raws = (raw for raw in data.split(b"\n") if raw[:2] in keep)
    rest = b"".join(raw + b"\n" for raw in raws if keep[raw[:2]](raw[2:].decode("utf-8", "replace")))
    status = files.status(layout.recent)
    if rest == data and (status is None or status.st_size <= READ_BYTES):
        return False
    files.replace(layout.recent, rest, layout.mode, durable=True)
    return True


def _read(layout: Layout) -> bytes:
    """Return the last complete lines of `.recent`, at most READ_BYTES. Raises OSError."""
    status = files.status(layout.recent)
    start = max((status.st_size if status else 0) - READ_BYTES, 0)
    data = files.read(layout.recent, start, READ_BYTES) or b""
    return data[data.find(b"\n") + 1 :] if start else data


def _newest(data: bytes, size: int) -> bytes:
    return data if len(data) <= size else data[data.find(b"\n", len(data) - size - 1) + 1 :]


class Lost(NamedTuple):
    """Numbers of missing lines and of missing events, and at most `MOST_IDS` ids of their memories."""

    lines: int = 0
    events: int = 0
    ids: tuple[str, ...] = ()


Stamps = tuple[Identity | None, Identity | None]
"""The identities of declarative.md and journal.jsonl."""


def stamps(layout: Layout) -> Stamps:
    """Return the identities of the two files. Raises OSError."""
    return files.identity(layout.declarative), files.identity(layout.journal)


def looked(layout: Layout) -> Lost | None:
    """Return the result of the last comparison; None if there was none, or if the files have changed since then."""
    with contextlib.suppress(OSError, StoreError):
        noted = _looked(layout)
        if noted is not None and noted[0] == stamps(layout):
            return noted[1]
    return None


def note_looked(layout: Layout, at: Stamps, lost: Lost) -> None:
    """Record the result of a comparison during which the files had the identities `at`. Errors are ignored."""
    note = {"declarative": at[0], "journal": at[1], "lines": lost.lines, "events": lost.events, "ids": lost.ids}
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
        noted, now = _looked(layout), stamps(layout)
        if noted is None or noted[0] == now:
            return
        paths = (layout.declarative, layout.journal)
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
        case {"lines": int(lines), "events": int(events), "ids": [*ids]}:
            stamps = _identity(note.get("declarative")), _identity(note.get("journal"))
            return stamps, Lost(lines, events, tuple(map(str, ids)))
    return None


def _identity(value: object) -> Identity | None:
    return (value[0], value[1], value[2], value[3]) if isinstance(value, list) and len(value) == 4 else None
