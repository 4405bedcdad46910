"""`.cache/act`: an index of the memories that can apply to a tool call, by hashes of keys such as file names.

The first line has a stamp of the store's files and the number of hashes. After it come the sorted hashes, then the
offset of a record for each hash, then the records (one JSON object per line). If no memory applies, no record is read.
"""

import os
from binascii import crc32

from promptx_mem.core import json_text
from promptx_mem.places import is_trusted

TYPE_CHECKING = False  # the guard loads this module, and importing typing would take longer than everything else
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Record = dict[str, Any]

FOLDER, _NAME = ".cache", "act"
_FILES = ("declarative.md", "journal.jsonl", ".own")
_VERSION = "3"
"""Version of the keys and fields. A file with another version is rebuilt."""

_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | getattr(os, "O_NOFOLLOW", 0)
_FIRST, _LONGEST, _MOST = 1 << 16, 1 << 15, 60


def stamp(store: str) -> bytes:
    """Return bytes that change with `_VERSION` and with a store's memories, events or trust (`.own`)."""
    parts = [_VERSION]
    for name in _FILES:
        try:
            status = os.stat(os.path.join(store, name))
            parts.append(f"{status.st_ino}.{status.st_size}.{status.st_mtime_ns}.{status.st_ctime_ns}")
        except OSError:
            parts.append("-")
    return " ".join(parts).encode()


def pack(now: bytes, keyed: "Iterable[tuple[Record, Iterable[str]]]") -> bytes:
    """Return the file's content for some records, each with its keys. `now` is the stamp. Long records are left out."""
    from array import array

    lines: list[bytes] = []
    pairs: set[tuple[int, int]] = set()
    place = 0
    for record, keys in keyed:
        line = json_text.dumps(record).encode() + b"\n"
        if len(line) < _LONGEST:
            pairs |= {(_hash(key), place) for key in keys}
            place += len(line)
            lines.append(line)
    table = sorted(pairs)
    columns = [array("I", column).tobytes() for column in zip(*table, strict=True)]
    return b"%s %d\n%s" % (now, len(table), b"".join(columns + lines))


def _hash(key: str) -> int:
    return crc32(key.encode("utf-8", "surrogatepass"))


class ActFile:
    """The opened index of a store. `is_current` is False if the file is missing or does not match the store."""

    def __init__(self, store: str) -> None:
        self.store, self.is_current = store, False
        try:
            self._fd = os.open(os.path.join(store, FOLDER, _NAME), _READ)
            head, found, rest = os.pread(self._fd, _FIRST, 0).partition(b"\n")
            now, _, count = head.rpartition(b" ")
            self.is_current = bool(found) and now == stamp(store) and is_trusted(os.fstat(self._fd))
        except OSError:
            return
        if not self.is_current:
            os.close(self._fd)
        else:
            self._count, self._start = int(count), len(head) + 1
            size = 8 * self._count
            table = rest[:size] if len(rest) >= size else os.pread(self._fd, size, self._start)
            self._table = memoryview(table).cast("I")

    def under(self, keys: "Iterable[str]") -> "list[Record]":
        """Return the records that have at least one of the keys. Closes the file.

        The field `keys` of each record maps the matching keys to weights. A key weighs more if fewer memories have it.
        If there are too many records, those that match only the most common keys are left out.
        """
        found: dict[int, dict[str, float]] = {}
        for key, places in sorted(((key, self._places(_hash(key))) for key in keys), key=lambda one: len(one[1])):
            for place in places if len(found) < _MOST else found.keys() & places:
                found.setdefault(place, {})[key] = 1 / len(places)
        try:
            return [{**self._record(place), "store": self.store, "keys": weights} for place, weights in found.items()]
        finally:
            os.close(self._fd)

    def _places(self, wanted: int) -> list[int]:
        from bisect import bisect_left

        hashes, places = self._table[: self._count], self._table[self._count :]
        at = bisect_left(hashes, wanted)
        found = []
        while at < self._count and hashes[at] == wanted:
            found.append(places[at])
            at += 1
        return found

    def _record(self, place: int) -> "Record":
        data = os.pread(self._fd, _LONGEST, self._start + 8 * self._count + place)
        return dict(json_text.loads(data[: data.find(b"\n")]))
