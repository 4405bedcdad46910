"""`.recent`: the last acknowledged bytes of the two files; what an editor's stale buffer took away comes back from it.

A line is one of theirs behind a mark that says which file it belongs to. A note is not synced and fails nothing: it is
there against editors, not against power cuts. All is written under the writers' lock.
"""

import contextlib
import os
from collections.abc import Callable
from typing import NamedTuple

from promptx_mem.errors import StoreError
from promptx_mem.store import files
from promptx_mem.store.layout import Layout

MAX_BYTES = 256 * 1024
"""When it has more than this, only the newer half of that is kept."""

_MARKS = {"declarative.md": b"d ", "journal.jsonl": b"j "}


class Recent(NamedTuple):
    """Whole lines as they were appended, the oldest first; a torn one reads as none of ours and is for nobody."""

    lines: list[str]
    events: list[str]


def note(layout: Layout, name: str, data: bytes) -> None:
    """Append the lines of `data`, which the file `name` holds by now."""
    mark = _MARKS[name]
    noted = _newest(b"".join(mark + line + b"\n" for line in data.split(b"\n") if line), MAX_BYTES)
    with contextlib.suppress(OSError, StoreError):
        with files.opened(layout.recent, os.O_RDWR | os.O_APPEND, layout.mode) as fd:
            size = os.fstat(fd).st_size
            guard = b"" if size == 0 or os.pread(fd, 1, size - 1) == b"\n" else b"\n"
            files.write_all(fd, guard + noted)
        if size + len(noted) > MAX_BYTES:
            rest = _newest(files.read(layout.recent) or b"", MAX_BYTES // 2)
            files.replace(layout.recent, rest, layout.mode)


def read(layout: Layout) -> Recent:
    """What it holds, each line once; nothing where it cannot be read."""
    lines: dict[bytes, dict[str, None]] = {mark: {} for mark in _MARKS.values()}
    with contextlib.suppress(OSError, StoreError):
        for raw in (files.read(layout.recent) or b"").split(b"\n"):
            if raw[:2] in lines:
                lines[raw[:2]][raw[2:].decode("utf-8", "replace")] = None
    return Recent(list(lines[_MARKS["declarative.md"]]), list(lines[_MARKS["journal.jsonl"]]))


def clean(layout: Layout, keep_line: Callable[[str], bool], keep_event: Callable[[str], bool]) -> bool:
    """Take out, durably, what is not to be kept; whether there was any. Raises OSError, StoreError."""
    data = files.read(layout.recent)
    if not data:
        return False
    keep = {_MARKS["declarative.md"]: keep_line, _MARKS["journal.jsonl"]: keep_event}
    rest = b"".join(
        raw + b"\n"
        for raw in data.split(b"\n")
        if raw[:2] in keep and keep[raw[:2]](raw[2:].decode("utf-8", "replace"))
    )
    if rest == data:
        return False
    files.replace(layout.recent, rest, layout.mode, durable=True)
    return True


def _newest(data: bytes, size: int) -> bytes:
    """The whole lines that fit into `size` bytes at the end."""
    return data if len(data) <= size else data[data.find(b"\n", len(data) - size - 1) + 1 :]
