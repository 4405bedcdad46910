"""Rows that rare pairs of characters share: most pairs are rare, and a row takes more than what it holds.

Those that begin with one character share a row, whose term is that character's number: its documents are pairs
(second character, offset) in ascending order, its repeats (second character, offset, count).
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

RARE = 8
"""Postings up to which a pair of characters has no row of its own."""


def apart(terms: Mapping[str, list[int]]) -> tuple[list[str], dict[int, list[str]]]:
    """Return the terms that have rows of their own, and the rare pairs by their first character's number, in order."""
    own = []
    shared: dict[int, list[str]] = {}
    for term in sorted(terms):
        if len(terms[term]) <= RARE and is_pair(term):
            shared.setdefault(ord(term[0]), []).append(term)
        else:
            own.append(term)
    return own, shared


def is_pair(term: str) -> bool:
    """Tell whether a term is a pair of characters that may share a row: of unspaced scripts, in 16 bits each."""
    return len(term) == 2 and "\u2e80" <= term[0] <= "\uffff" and term[1] <= "\uffff"


def pack(terms: Mapping[str, list[int]], pairs: list[str], page: int) -> tuple[bytearray, bytearray]:
    """Return the row of some pairs of one first character, in order; `page` rowids share a base."""
    docs: list[int] = []
    repeats: list[int] = []
    for pair in pairs:
        second, base = ord(pair[1]), terms[pair][0] // page * page
        before = -1
        for rowid in terms[pair]:
            if rowid != before:
                docs += (second, rowid - base)
                times = 1
            else:
                times += 1
                if times > 2:
                    repeats[-1] = times
                else:
                    repeats += (second, rowid - base, times)
            before = rowid
    return bytearray(array("H", docs)), bytearray(array("H", repeats))


def without(docs: array[int], repeats: array[int], offsets: set[int]) -> tuple[array[int], array[int]] | None:
    """Return the row without some offsets; None where it has none of them."""
    if offsets.isdisjoint(docs[1::2]):
        return None
    rest = [n for i in range(0, len(docs), 2) if docs[i + 1] not in offsets for n in docs[i : i + 2]]
    counts = [n for i in range(0, len(repeats), 3) if repeats[i + 1] not in offsets for n in repeats[i : i + 3]]
    return array("H", rest), array("H", counts)


def unpack(pairs: list[str], docs: array[int], repeats: array[int]) -> Iterator[tuple[str, array[int], array[int]]]:
    """Yield those of `pairs`, all of one first character, that the row holds, each with its offsets and repeats."""
    seconds = docs[::2]
    for pair in pairs:
        second = ord(pair[1])
        first = bisect_left(seconds, second)
        last = bisect_right(seconds, second, first)
        if first < last:
            counts = [n for i in range(0, len(repeats), 3) if repeats[i] == second for n in repeats[i + 1 : i + 3]]
            yield pair, docs[2 * first + 1 : 2 * last : 2], array("H", counts)
