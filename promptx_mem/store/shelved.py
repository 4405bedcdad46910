"""archive/conversations/: the raw messages of conversations whose memories have all ended, gzipped, a file a unit.

They are as private as conversations/ is: `.gitignore` lets nothing of this folder through, also in a shared store.
"""

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
    return _inflated(layout, unit)[0]


def shelve(layout: Layout, unit: str, live: Inside) -> int:
    """Move the file `live` of a unit here, under the lock; returns the bytes gained. Raises OSError, StoreError.

    What was shelved before stays before it; where that is damaged nothing is moved. After a crash in between the lines
    are in both places, which counts once.
    """
    data = files.read(live) or b""
    before, whole = _inflated(layout, unit)
    if not whole:
        return 0
    lines = set(before.split(b"\n"))
    fresh = b"".join(line + b"\n" for line in data.split(b"\n") if line and line not in lines)
    write(layout, unit, before + fresh)
    files.unlink(live)  # not synced: lines that come back are known
    return len(data)


def _inflated(layout: Layout, unit: str) -> tuple[bytes, bool]:
    """What can be read of a unit's file, and whether that is all of it."""
    packed = files.read(path(layout, unit))
    if packed is None:
        return b"", True
    member = zlib.decompressobj(wbits=31)
    try:
        return member.decompress(packed, files.MAX_INFLATED), member.eof
    except zlib.error:
        return b"", False


def write(layout: Layout, unit: str, data: bytes) -> None:
    """Replace what is shelved of a unit, durably, under the lock."""
    import gzip

    files.make_directory(layout.archive, layout.directory_mode)
    files.make_directory(folder(layout), layout.directory_mode)
    for parent in (layout.archive, layout.root):  # whoever made one may have been killed before it was durable
        files.sync_directory(parent)
    files.replace(path(layout, unit), gzip.compress(data, mtime=0), layout.mode, durable=True)
