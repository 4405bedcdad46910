"""`.cache/act`: an index of the memories that can apply to a tool call, by hashes of keys such as file names.

The file has four parts: a line with a stamp of the store's files and the number of hashes, the sorted hashes, the
offset of a record for each hash, and the records. A record is a line with a fingerprint, a space and a JSON object. If
no memory applies, no record is parsed.
"""

import os
from binascii import crc32

from promptx_mem.core import json_text
from promptx_mem.places import is_trusted
from promptx_mem.places import stamp as stamp_of

TYPE_CHECKING = False  # the guard loads this module, and importing typing would take longer than everything else
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Record = dict[str, Any]
    Packed = tuple[bytes, list[int]]
    """A record's line, and the hashes of its keys."""

FOLDER, _NAME = ".cache", "act"
_FILES = ("declarative.md", "journal.jsonl", ".own")
_VERSION = "7"
"""Version of the keys and fields. A file with another version is rebuilt."""

_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW
_FIRST_READ, _MAX_RECORD, _MAX_RESULTS = 1 << 16, 1 << 15, 60
_SAMPLE = 16
"""Number of bytes of a fingerprint."""


def stamp(store: str) -> bytes:
    """Return bytes that change with `_VERSION` and with a store's memories, events or trust (`.own`)."""
    return " ".join((_VERSION, *[stamp_of(os.path.join(store, name)) for name in _FILES])).encode()


def fingerprint(*values: object) -> bytes:
    """Return 16 bytes that identify the values from which a record was computed."""
    from hashlib import blake2b

    return blake2b(repr(values).encode("utf-8", "surrogatepass"), digest_size=_SAMPLE // 2).hexdigest().encode()


def record_line(mark: bytes, record: "Record", keys: "Iterable[str]") -> "Packed":
    """Return the line of a record, and the hashes of the record's keys. `mark` is the fingerprint."""
    return b"%s %s\n" % (mark, json_text.dumps(record).encode()), [_hash(key) for key in keys]


def file_content(now: bytes, records: "Iterable[Packed]") -> bytes:
    """Return the content of a file with these records. `now` is the stamp. Lines of 32 KB or more are left out."""
    from array import array

    lines: list[bytes] = []
    pairs: set[int] = set()
    place = 0
    for line, hashes in records:
        if len(line) < _MAX_RECORD:
            pairs.update([value << 32 | place for value in hashes])
            place += len(line)
            lines.append(line)
    table = sorted(pairs)
    columns = [array("I", [pair >> 32 for pair in table]), array("I", [pair & 0xFFFFFFFF for pair in table])]
    return b"%s %d\n%s" % (now, len(table), b"".join([*map(bytes, columns), *lines]))


def reusable_records(store: str) -> "dict[bytes, Packed]":
    """Return the records of the present file by fingerprint, so that a rebuild can keep those of unchanged memories.

    Empty if the file is missing, damaged, another user's or of another version, or if `.own` is missing or has changed.
    """
    try:
        fd = os.open(os.path.join(store, FOLDER, _NAME), _READ)
        try:
            status = os.fstat(fd)
            data = os.pread(fd, status.st_size, 0) if is_trusted(status) else b""
        finally:
            os.close(fd)
        head, _, rest = data.partition(b"\n")
        *was, count = head.split(b" ")
        now = stamp(store).split(b" ")
        if [was[:1], was[-1:]] != [now[:1], now[-1:]] or now[-1] == b"-":
            return {}
        size = 4 * int(count)
        hashes, places = memoryview(rest[:size]).cast("I"), memoryview(rest[size : 2 * size]).cast("I")
    except (OSError, ValueError, TypeError):
        return {}
    of_place: dict[int, list[int]] = {}
    for value, place in zip(hashes, places, strict=False):
        of_place.setdefault(place, []).append(value)
    found: dict[bytes, Packed] = {}
    place = 0
    for line in rest[2 * size :].split(b"\n")[:-1]:
        found[line[:_SAMPLE]] = line + b"\n", of_place.get(place, [])
        place += len(line) + 1
    return found


def _hash(key: str) -> int:
    return crc32(key.encode("utf-8", "surrogatepass"))


class ActFile:
    """The opened index of a store. `is_current` is False if the file is missing or does not match the store."""

    def __init__(self, store: str) -> None:
        self.store, self.is_current = store, False
        try:
            self._fd = os.open(os.path.join(store, FOLDER, _NAME), _READ)
            head, found, rest = os.pread(self._fd, _FIRST_READ, 0).partition(b"\n")
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
        Once 60 records are found, the remaining keys, which are more common, add no records.
        """
        found: dict[int, dict[str, float]] = {}
        for key, places in sorted(((key, self._places(_hash(key))) for key in keys), key=lambda one: len(one[1])):
            for place in places if len(found) < _MAX_RESULTS else found.keys() & places:
                found.setdefault(place, {})[key] = 1 / len(places)
        try:
            return [{**self._record(place), "store": self.store, "keys": weights} for place, weights in found.items()]
        finally:
            os.close(self._fd)

    def _places(self, wanted: int) -> list[int]:
        from bisect import bisect_left

        hashes, places = self._table[: self._count], self._table[self._count :]
        first = stop = bisect_left(hashes, wanted)
        while stop < self._count and hashes[stop] == wanted:
            stop += 1
        return list(places[first:stop])

    def _record(self, place: int) -> "Record":
        data = os.pread(self._fd, _MAX_RECORD, self._start + 8 * self._count + place)
        return dict(json_text.loads(data[_SAMPLE : data.find(b"\n")]))
