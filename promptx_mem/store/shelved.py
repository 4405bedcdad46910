"""archive/conversations/: the raw messages of conversations without an active memory, gzipped, one file per unit.

They are as private as conversations/ is: `.gitignore` excludes this folder also in a shared store.
"""

import contextlib
import zlib

from promptx_mem.store import files
from promptx_mem.store.files import Inside
from promptx_mem.store.layout import Layout

SUFFIX = ".jsonl.gz"


def folder(layout: Layout) -> Inside:
    return layout.archive / "conversations"


def path(layout: Layout, unit: str) -> Inside:
    return folder(layout) / (unit + SUFFIX)


def units(layout: Layout) -> list[str]:
    """Return the file names of shelved units, without their ending. Raises OSError: a purge must find them all."""
    return sorted(name.removesuffix(SUFFIX) for name in files.names(folder(layout)) if name.endswith(SUFFIX))


def read(layout: Layout, unit: str) -> bytes:
    """Return a unit's shelved lines; empty if there are none, or the file is damaged.

    Raises OSError: without these lines new messages would be numbered from 1 again, and would not count.
    """
    packed = files.read(path(layout, unit))
    if packed is None:
        return b""
    with contextlib.suppress(zlib.error):
        return zlib.decompressobj(wbits=31).decompress(packed, files.MAX_INFLATED)
    return b""


def write(layout: Layout, unit: str, data: bytes) -> None:
    """Replace a unit's shelved lines, durably, under the lock."""
    import gzip

    files.replace(path(layout, unit), gzip.compress(data, mtime=0), layout.mode, durable=True)
