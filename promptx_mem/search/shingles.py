"""Character trigrams of a text, and how alike two texts are by them."""

from __future__ import annotations

from functools import cache, lru_cache
from struct import unpack

from promptx_mem.search.folding import normalise

LONGEST = 100_000
"""Characters of a text that are compared and indexed. The rest is stored and shown, but its words find nothing."""


@cache
def _even_lanes(size: int) -> int:
    return int.from_bytes(b"\xff\xff\xff\xff\0\0\0\0" * size, "little")


@lru_cache(maxsize=512)  # who answers one call after the other meets the same texts again
def shingles(text: str) -> frozenset[int]:
    """Return the character trigrams of the normalised text between two spaces, each packed into 63 bits.

    Of a longer text than `LONGEST` only its first part counts. All are made at once, in numbers as long as the text: a
    loop over its characters takes twice the time.
    """
    plain = normalise(text[:LONGEST])
    if not plain:
        return frozenset()
    data = f" {plain} ".encode("utf-32-le", "surrogatepass")
    size = len(data) // 4
    mask = _even_lanes(1 << (size // 2).bit_length())
    points = int.from_bytes(data, "little")
    even, odd = points & mask, points >> 32 & mask
    after = even >> 64
    at_even = even | odd << 21 | after << 42
    at_odd = odd | after << 21 | odd >> 64 << 42
    return frozenset(_read(at_even, (size - 1) // 2) + _read(at_odd, (size - 2) // 2))


def _read(lanes: int, count: int) -> tuple[int, ...]:
    return unpack(f"<{count}Q", (lanes & ((1 << 64 * count) - 1)).to_bytes(8 * count, "little"))


def jaccard(a: frozenset[int], b: frozenset[int]) -> float:
    """Return the share of common members, 0-1; two empty sets are alike."""
    if not a and not b:
        return 1.0
    common = len(a & b)
    return common / (len(a) + len(b) - common)
