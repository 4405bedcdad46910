"""What the page's search knows of characters and words, asked of the program's own rules, so that it cannot drift."""

from collections.abc import Iterator
from functools import cache
from typing import TypedDict
from unicodedata import normalize

from promptx_mem.search.tokens import FUNCTION_PHRASES, STOP_WORDS, fold, is_dense

_LAST = 0x10FFFF
_LAST_FOLDED = 0x30000
"""Beyond the ideographs no character is folded otherwise than by NFKC."""


class Tables(TypedDict):
    """`chars` and `to`: characters that fold otherwise than by NFKC and lower case; `dense`: ranges without spaces."""

    chars: str
    to: list[str]
    dense: list[tuple[int, int]]
    stops: list[str]
    phrases: list[str]


@cache
def tables() -> Tables:
    """Ask for every letter and number, in one text: that takes a tenth of the time."""
    letters = [char for char in map(chr, range(0x80, _LAST_FOLDED)) if char.isalnum()]
    lines = "\n".join(letters)
    pairs = zip(letters, normalize("NFKC", lines).split("\n"), fold(lines).split("\n"), strict=True)
    # what NFKC replaces is replaced before it is looked up
    folded = {char: to for char, same, to in pairs if char == same != to}
    return {
        "chars": "".join(folded),
        "to": list(folded.values()),
        "dense": list(_ranges()),
        "stops": sorted(STOP_WORDS),
        "phrases": list(FUNCTION_PHRASES),
    }


def _ranges() -> Iterator[tuple[int, int]]:
    """The runs of characters of scripts written without spaces."""
    start = -1
    for code in range(0x10000):
        dense = is_dense(chr(code))
        if dense and start < 0:
            start = code
        elif not dense and start >= 0:
            yield start, code - 1
            start = -1
    if start >= 0:
        yield start, _LAST
