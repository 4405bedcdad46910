"""Take parts out of an append-only file: what a compaction, or a purge, does to it.

The old file stays linked until the new one is in place, so that bytes a stranger appended meanwhile are carried over.
"""

import contextlib
import os
import re
from collections.abc import Sequence

from promptx_mem.store import files
from promptx_mem.store.layout import Layout

_OLD = re.compile(r"\.(declarative\.md|journal\.jsonl)\.(\d+)\.old")


def without(layout: Layout, path: str, data: bytes, ranges: Sequence[tuple[int, int]]) -> int:
    """Replace a file, whose bytes were `data`, by itself without some byte ranges; returns the bytes gained.

    To be called under the lock. A crash leaves the old file or the new one, whole.
    """
    kept = []
    at = 0
    for start, stop in sorted(ranges):
        kept.append(data[at:start])
        at = max(at, stop)
    kept.append(data[at:])
    new = b"".join(kept)
    old = _link(layout, path, len(data))
    files.replace(path, new, layout.mode, durable=True)
    _carry_over(path, old, len(data), layout.mode)
    return len(data) - len(new)


def recover(layout: Layout) -> None:
    """Finish what a crash interrupted: carry over what was appended to a file that has been replaced."""
    with contextlib.suppress(FileNotFoundError):
        for name in os.listdir(layout.root):
            if match := _OLD.fullmatch(name):
                _carry_over(
                    os.path.join(layout.root, match[1]), os.path.join(layout.root, name), int(match[2]), layout.mode
                )


def _link(layout: Layout, path: str, size: int) -> str:
    old = os.path.join(layout.root, f".{os.path.basename(path)}.{size}.old")
    with contextlib.suppress(FileNotFoundError):
        os.unlink(old)
    os.link(path, old)
    return old


def _carry_over(path: str, old: str, size: int, mode: int) -> None:
    same = files.identity(path)
    if same is None or same[:2] != (files.identity(old) or same)[:2]:
        tail = files.read(old, size) or b""
        if tail:
            with files.opened(path, os.O_RDWR | os.O_APPEND, mode) as fd:
                files.write_all(fd, tail if tail.endswith(b"\n") else tail + b"\n")
                files.sync(fd)
    os.unlink(old)
