"""Memories as the bytes that say them, put one behind the other: each must read there as it does alone.

A line of ours reads the same anywhere. Forms of other hands do not: a dated line without a grade takes in what follows
up to the next grade, and an open code fence or START takes in what is put behind it.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from promptx_mem.core import document
from promptx_mem.core.document import Bullet
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
    alone = document.read(data).bullets
    together = (*document.read(before).bullets, *alone)
    if list(map(Bullet.as_entry, together)) == list(map(Bullet.as_entry, document.read(before + guard + data).bullets)):
        return data, True
    return as_lines(data, at), False


def as_lines(data: bytes, at: str) -> bytes:
    """Write memories of other forms as lines of ours; `at` is the time of those that have none."""
    entries = [
        entry if entry.at else entry._replace(at=at) for entry in map(Bullet.as_entry, document.read(data).bullets)
    ]
    return "".join(format_line(with_offset(entry)) + "\n" for entry in entries).encode()


def held_open(data: bytes, ranges: Sequence[tuple[int, int]], rest: bytes) -> list[tuple[Bullet, Bullet]]:
    """Pairs of memories: the second lies in `ranges`, and without it the first, which stays, would take in others.

    `rest` are the bytes without the ranges.
    """
    bullets = document.read(data).bullets
    if all(bullet.entry is not None for bullet in bullets):
        return []
    starts = {start for start, _ in ranges}
    entries = [bullet.as_entry() for bullet in bullets if bullet.start not in starts]
    if [bullet.as_entry() for bullet in document.read(rest).bullets] == entries:
        return []
    return [
        (bullet, successor)
        for bullet, successor in pairwise(bullets)
        if bullet.start not in starts and successor.start in starts and _is_open(data[bullet.start : bullet.end])
    ]


def _is_ours(raw: bytes) -> bool:
    return not raw or is_line(raw.decode("utf-8", "replace").removesuffix("\r"))


def _is_open(chunk: bytes) -> bool:
    """Whether a memory takes in what follows: a dated first line, and no grade up to its end."""
    if _is_ours(chunk.rstrip(b"\n")):
        return False
    bullets = document.read(chunk).bullets
    return len(bullets) == 1 and bullets[0].at is not None and bullets[0].score is None and bullets[0].duration is None
