"""Memories as the bytes that say them, put one behind the other: each must read there as it does alone.

A line of ours reads the same anywhere. Forms of other hands do not: a dated line without a grade takes in what follows
up to the next grade, and an open code fence or START takes in what is put behind it.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from promptx_mem.core import document
from promptx_mem.core.document import Found
from promptx_mem.core.line import format_line, is_line, with_offset


def join(chunks: Iterable[bytes]) -> bytes:
    """Put memories into one file, in their order but for those that would take in others: these come last."""
    whole: list[bytes] = [chunk if chunk.endswith(b"\n") else chunk + b"\n" for chunk in chunks]
    ordered: list[bytes] = sorted(whole, key=_is_open)
    return b"".join(ordered)


def behind(before: bytes, chunks: Iterable[bytes], at: str) -> tuple[bytes, bool]:
    """Give the bytes to append to a file that holds `before`, and whether they are those of the memories.

    Where these would read otherwise there, or change what stands before them, they become lines of ours; `at` is the
    time of a line by hand that has none.
    """
    data = join(chunks)
    if all(_is_ours(raw) for raw in data.split(b"\n")):
        return data, True
    guard = b"" if not before or before.endswith(b"\n") else b"\n"
    alone = document.read(data).found
    together = (*document.read(before).found, *alone)
    if list(map(Found.as_entry, together)) == list(map(Found.as_entry, document.read(before + guard + data).found)):
        return data, True
    return as_lines(data, at), False


def as_lines(data: bytes, at: str) -> bytes:
    """Write memories of other forms as lines of ours; `at` is the time of those that have none."""
    entries = [entry if entry.at else entry._replace(at=at) for entry in map(Found.as_entry, document.read(data).found)]
    return "".join(format_line(with_offset(entry)) + "\n" for entry in entries).encode()


def held_open(data: bytes, ranges: Sequence[tuple[int, int]], rest: bytes) -> list[tuple[Found, Found]]:
    """Pairs of memories: the second lies in `ranges`, and without it the first, which stays, would take in others.

    `rest` are the bytes without the ranges.
    """
    found = document.read(data).found
    if all(one.entry is not None for one in found):
        return []
    gone = {start for start, _ in ranges}
    kept = [one.as_entry() for one in found if one.start not in gone]
    if [one.as_entry() for one in document.read(rest).found] == kept:
        return []
    return [
        (one, other)
        for one, other in pairwise(found)
        if one.start not in gone and other.start in gone and _is_open(data[one.start : one.end])
    ]


def _is_ours(raw: bytes) -> bool:
    return not raw or is_line(raw.decode("utf-8", "replace").removesuffix("\r"))


def _is_open(chunk: bytes) -> bool:
    """Whether a memory takes in what follows: a dated first line, and no grade up to its end."""
    if _is_ours(chunk.rstrip(b"\n")):
        return False
    found = document.read(chunk).found
    return len(found) == 1 and found[0].at is not None and found[0].score is None and found[0].duration is None
