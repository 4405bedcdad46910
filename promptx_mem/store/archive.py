"""archive/: lines that compaction moved out of the store, gzipped. A file is named by its bytes, and never changed.

So in two copies of a store, files of the same name are equal, and merging never makes a conflict. `*.md.gz` contains
lines of declarative.md, `*.jsonl.gz` events of journal.jsonl; both can be read with zcat.
"""

import contextlib
import os

from promptx_mem.core.ids import digest
from promptx_mem.store import files
from promptx_mem.store.files import Inside
from promptx_mem.store.layout import Layout

LINES, EVENTS = ".md.gz", ".jsonl.gz"
LOST = "lost-"
"""Prefix for files with lines that disappeared without an event. They are kept for `restore`, and not read otherwise.
"""

_NAME_BYTES = 8
_MAX_MEMBERS = 100  # ours have one; `cat` makes several


def write(layout: Layout, stamp: str, data: bytes, kind: str) -> Inside:
    """Write `data` durably to an archive file, and return its path. The name begins with `stamp`: a day, or LOST."""
    import gzip

    files.make_directory(layout.archive, layout.directory_mode)
    files.sync_directory(layout.root)  # its writer may have been killed before it was durable
    packed = gzip.compress(data, mtime=0)
    path = layout.archive / f"{stamp.removesuffix('-')}-{digest(packed, _NAME_BYTES)}{kind}"
    files.replace(path, packed, layout.mode, durable=True)
    return path


def replace(layout: Layout, name: str, data: bytes) -> None:
    """Replace an archive file by one with `data`, or remove it if that is empty. After a crash at least one exists."""
    old = layout.archive / name
    new = write(layout, name.partition("-")[0], data, LINES if name.endswith(LINES) else EVENTS) if data else None
    if new != old:
        files.unlink(old)
        files.sync_directory(layout.archive)


def names(layout: Layout) -> list[str]:
    """Return the archive's files in order, without those of lost lines."""
    return [name for name in _all(layout) if not name.startswith(LOST)]


def permitted_names(layout: Layout) -> list[str] | None:
    """Return the same as `names`, or None if the folder cannot be read."""
    try:
        return names(layout)
    except PermissionError:
        return None


def lost_names(layout: Layout) -> list[str]:
    """Return the files of lines that disappeared without an event, in order."""
    return [name for name in _all(layout) if name.startswith(LOST)]


def _all(layout: Layout) -> list[str]:
    return sorted(name for name in files.names(layout.archive) if name.endswith((LINES, EVENTS)))


def read(layout: Layout, name: str) -> bytes:
    """Return the complete lines of an archive file before any damage; nothing if we did not write the file.

    Raises OSError for an error that may be temporary: without the file's events, memories would change.
    """
    with contextlib.suppress(PermissionError):
        return read_permitted(layout, name)
    return b""


def read_permitted(layout: Layout, name: str) -> bytes:
    """Return the same as `read`, but also raise PermissionError, for a caller that stores the result."""
    data = _inflate(files.read(layout.archive / name) or b"")
    return data[: data.rfind(b"\n") + 1]


def archived_texts(layout: Layout) -> list[str]:
    """Return texts that contain the ids of all memories that our own commands archived or purged."""
    journal = (files.read(layout.journal) or b"").decode("utf-8", "replace").split("\n")
    purged = [line for line in journal if '"e":"purged"' in line]
    return purged + [read(layout, name).decode("utf-8", "replace") for name in names(layout)]


def sync(layout: Layout) -> None:
    """Make the existing files durable: a writer that was killed, or git, may have left them unsynced."""
    if not (listing := names(layout)):
        return
    for name in listing:
        with files.opened(layout.archive / name, os.O_WRONLY) as fd:
            files.sync(fd)
    files.sync_directory(layout.archive)
    files.sync_directory(layout.root)


def _inflate(data: bytes) -> bytes:
    """Return a file's content up to any damage or up to our size limit, since it may come from a stranger."""
    import zlib

    out = b""
    for _ in range(_MAX_MEMBERS):
        room = files.MAX_INFLATED - len(out)
        if not data or room <= 0:
            break
        member = zlib.decompressobj(wbits=31)
        try:
            out += member.decompress(data, room)
        except zlib.error:
            break
        data = member.unused_data
    return out
