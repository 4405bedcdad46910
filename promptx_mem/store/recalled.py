""".recalled: which memories were shown on which day on this host. `decay` turns it into journal events.

A line is a local day and ids: `2026-11-21 m_7k2q9x4htb m_0000000000`. Appended without a lock and never an error:
losing a line costs a memory one day of not having been used.
"""

import contextlib
import os
import re
from collections.abc import Sequence

from promptx_mem.core.ids import ID
from promptx_mem.errors import StoreError
from promptx_mem.private import is_private
from promptx_mem.store import files
from promptx_mem.store.layout import Layout

MAX_BYTES = 1_000_000
"""At this size nothing more is noted until `decay` has taken it."""

LOOK_BACK = 32_768
"""Bytes at the end that are searched for what was noted today: about 2,300 ids; a double is harmless."""

_TRIES = 50
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_OLD = r"\.recalled\.([0-9]{1,12})\.old"


def note(layout: Layout, day: str, ids: Sequence[str]) -> None:
    """Append those of `ids` that were not noted on `day` yet. Errors are swallowed, a missing store stays missing."""
    if is_private():
        return
    with contextlib.suppress(OSError, StoreError):
        for _ in range(_TRIES):
            if _note(layout, day, ids):
                return


def read(layout: Layout) -> tuple[list[tuple[str, tuple[str, ...]]], int]:
    """The days with their ids, each once, in order; and how many bytes they were read from, for `drop`.

    Lines that are not understood are passed over. Raises OSError, StoreError.
    """
    data = files.read(layout.recalled) or b""
    end = data.rfind(b"\n") + 1
    days: dict[str, dict[str, None]] = {}
    for line in data[:end].decode("utf-8", "replace").split("\n"):
        day, *ids = line.split(" ")
        if _DAY.fullmatch(day):
            days.setdefault(day, {}).update((ident, None) for ident in ids if ID.fullmatch(ident))
    return [(day, tuple(ids)) for day, ids in sorted(days.items()) if ids], end


def drop(layout: Layout, size: int) -> None:
    """Take the first `size` bytes away, under the writers' lock; what others appended meanwhile stays.

    The file is moved aside and its rest appended to the new one. Who still writes to the moved file sees that it has
    moved and writes again. After a crash in between, the next call finishes the work.
    """
    recover(layout)
    if size <= 0:
        return
    old = f"{layout.recalled}.{size}.old"
    with contextlib.suppress(FileNotFoundError):
        os.rename(layout.recalled, old)
        _carry_over(layout, old, size)


def recover(layout: Layout) -> None:
    """Finish what a crash interrupted in `drop`, under the lock."""
    with contextlib.suppress(FileNotFoundError):
        for name in os.listdir(layout.root):
            if match := re.fullmatch(_OLD, name):
                _carry_over(layout, os.path.join(layout.root, name), int(match[1]))


def _note(layout: Layout, day: str, ids: Sequence[str]) -> bool:
    """Note ids; False where another process moved or made the file meanwhile: then it is to be done again."""
    if not layout.exists():
        return True
    try:
        with files.opened(layout.recalled, os.O_RDWR | os.O_APPEND, layout.mode) as fd:
            status = os.fstat(fd)
            if status.st_size >= MAX_BYTES:
                return True
            tail = os.pread(fd, LOOK_BACK, max(status.st_size - LOOK_BACK, 0))
            known = _noted(tail, day)
            fresh = [ident for ident in dict.fromkeys(ids) if ident not in known and ID.fullmatch(ident)]
            if not fresh:
                return True
            guard = b"" if not tail or tail.endswith(b"\n") else b"\n"
            files.write_all(fd, guard + " ".join((day, *fresh)).encode() + b"\n")
            found = files.identity(layout.recalled)
            return found is not None and found[:2] == (status.st_dev, status.st_ino)
    except FileExistsError:
        return False


def _noted(tail: bytes, day: str) -> set[str]:
    lines = tail.decode("utf-8", "replace").split("\n")
    return {ident for line in lines if line.startswith(day) for ident in line.split(" ")[1:]}


def _carry_over(layout: Layout, old: str, size: int) -> None:
    if rest := files.read(old, size):
        with files.opened(layout.recalled, os.O_RDWR | os.O_APPEND, layout.mode) as fd:
            files.write_all(fd, rest if rest.endswith(b"\n") else rest + b"\n")
    os.unlink(old)
