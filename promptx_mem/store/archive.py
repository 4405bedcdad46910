"""archive/: gzipped lines that a compaction moved from declarative.md (`*.md.gz`) and journal.jsonl (`*.jsonl.gz`).

A file's name contains a hash of its bytes, and the file never changes. So files with the same name are equal in all
copies of a store, and a merge causes no conflict. zcat prints the lines.
"""

import contextlib

from promptx_mem.core.ids import short_hash
from promptx_mem.store import disk, files
from promptx_mem.store.files import StorePath
from promptx_mem.store.layout import Layout

LINES, EVENTS = ".md.gz", ".jsonl.gz"
LOST = "lost-"
"""Prefix of files with lines that disappeared from the store without an event. `restore` brings the lines back."""

_NAME_BYTES = 8
_MAX_MEMBERS = 100  # gzip members: our files have one, files joined with `cat` have several

MAX_INFLATED = 1 << 28
"""Maximum size in bytes of an unpacked file, many times the size of a full store. Further bytes are ignored."""


def write(layout: Layout, stamp: str, data: bytes, kind: str) -> StorePath:
    """Write `data` durably to an archive file, and return its path. The name begins with `stamp`: a day, or LOST."""
    import gzip

    disk.make_directory(layout.archive, layout.directory_mode)
    disk.sync_directory(layout.root)  # a killed writer could have left the folder's name unsynced
    packed = gzip.compress(data, mtime=0)
    path = layout.archive / f"{stamp.removesuffix('-')}-{short_hash(packed, _NAME_BYTES)}{kind}"
    disk.replace(path, packed, layout.mode, durable=True)
    return path


def replace(layout: Layout, name: str, data: bytes) -> None:
    """Replace an archive file with one that contains `data`, or remove it if `data` is empty.

    After a crash, the old or the new file exists.
    """
    old = layout.archive / name
    new = write(layout, name.partition("-")[0], data, LINES if name.endswith(LINES) else EVENTS) if data else None
    if new != old:
        disk.unlink(old)
        disk.sync_directory(layout.archive)


def names(layout: Layout, *, lost: bool = False) -> list[str]:
    """Return the sorted names of archive files; with `lost`, of the files of lines that disappeared (`LOST`)."""
    found = (name for name in disk.names(layout.archive) if name.endswith((LINES, EVENTS)))
    return sorted(name for name in found if name.startswith(LOST) == lost)


def lost_lines(layout: Layout, kind: str) -> list[str]:
    """Return the saved lines (`kind` is LINES) or events (EVENTS) that had disappeared without an event."""
    found = (name for name in names(layout, lost=True) if name.endswith(kind))
    texts = (read(layout, name).decode("utf-8", "replace") for name in found)
    return [line for text in texts for line in text.split("\n") if line]


def read(layout: Layout, name: str) -> bytes:
    """Return the complete lines of an archive file (see `inflate`); nothing if it is missing or not permitted.

    Raises OSError for an error that could be temporary. An empty result would hide events that change memories.
    """
    with contextlib.suppress(PermissionError):
        return read_permitted(layout, name)
    return b""


def read_permitted(layout: Layout, name: str) -> bytes:
    """Return the result of `read`, but raise PermissionError, so that callers do not cache an incomplete result."""
    data = inflate(files.read(layout.archive / name) or b"")
    return data[: data.rfind(b"\n") + 1]


def archived_texts(layout: Layout) -> list[str]:
    """Return the journal's purge events and the texts of archive files, to find ids of purged and archived memories."""
    journal = (files.read(layout.journal) or b"").decode("utf-8", "replace").split("\n")
    purged = [line for line in journal if '"e":"purged"' in line]
    return purged + [read(layout, name).decode("utf-8", "replace") for name in names(layout)]


def inflate(data: bytes) -> bytes:
    """Decompress a file up to its first damaged gzip member, or the end of a cut file; at most MAX_INFLATED bytes."""
    import zlib

    out = b""
    for _ in range(_MAX_MEMBERS):
        room = MAX_INFLATED - len(out)
        if not data or room <= 0:
            break
        member = zlib.decompressobj(wbits=31)
        try:
            out += member.decompress(data, room)
        except zlib.error:
            break
        data = member.unused_data
    return out
