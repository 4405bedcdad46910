"""archive/: what compaction took out of the store, gzipped. Each file is written once, under a name no host shares.

`*.md.gz` holds lines of declarative.md, `*.jsonl.gz` events of journal.jsonl; both read with zcat.
"""

import contextlib
import os
import zlib

from promptx_mem.errors import StoreError
from promptx_mem.store import files
from promptx_mem.store.layout import Layout

LINES, EVENTS = ".md.gz", ".jsonl.gz"


def write(layout: Layout, stamp: str, data: bytes, kind: str) -> str:
    """Put `data` into a new archive file, durably; returns its path."""
    import gzip

    files.make_directory(layout.archive, layout.directory_mode)
    path = os.path.join(layout.archive, stamp + kind)
    files.replace(path, gzip.compress(data, mtime=0), layout.mode, durable=True)
    return path


def names(layout: Layout) -> list[str]:
    """The archive's files in order; empty where there is none."""
    try:
        return sorted(name for name in os.listdir(layout.archive) if name.endswith((LINES, EVENTS)))
    except (FileNotFoundError, NotADirectoryError):
        return []


def read(layout: Layout, name: str) -> bytes:
    """One archive file's content; as much of it as can be read where it is damaged."""
    with contextlib.suppress(OSError, StoreError):
        return _inflate(files.read(os.path.join(layout.archive, name)) or b"")
    return b""


def _inflate(data: bytes) -> bytes:
    out = []
    while data:
        member = zlib.decompressobj(wbits=31)
        try:
            out.append(member.decompress(data))
        except zlib.error:
            break
        data = member.unused_data
    return b"".join(out)
