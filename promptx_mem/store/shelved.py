"""archive/conversations/: the raw messages of conversations whose memories have all ended, gzipped, a file a unit.

Earlier versions moved them here; this one reads, forgets and purges what is there, and moves nothing.
They are as private as conversations/ is: `.gitignore` lets nothing of this folder through, also in a shared store.
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
    """The file names of units that were shelved, without their ending. Raises OSError: a purge must find them all."""
    return sorted(name.removesuffix(SUFFIX) for name in files.names(folder(layout)) if name.endswith(SUFFIX))


def read(layout: Layout, unit: str) -> bytes:
    """The lines of a unit that were shelved, what can be read of a damaged file; none where there are none.

    Raises OSError: who took that for no lines would number new messages from 1 again, and they would not count.
    """
    packed = files.read(path(layout, unit))
    if packed is None:
        return b""
    with contextlib.suppress(zlib.error):
        return zlib.decompressobj(wbits=31).decompress(packed, files.MAX_INFLATED)
    return b""


def write(layout: Layout, unit: str, data: bytes) -> None:
    """Replace what is shelved of a unit, durably, under the lock."""
    import gzip

    files.replace(path(layout, unit), gzip.compress(data, mtime=0), layout.mode, durable=True)
