"""A fast test whether two texts can be about the same subject, before their differences are compared."""

from functools import lru_cache

from promptx_mem.data import word_lists


def are_close(one: str, two: str) -> bool:
    """Return whether two texts share a part of their words. To compare their statements takes milliseconds."""
    first, second = _rough(one), _rough(two)
    shared, more, less = (
        sum(0.5 if is_zh(word) else 1 for word in some) for some in (first & second, first - second, second - first)
    )
    return shared >= _SHARE * (min(more, less) - _BRIEF)


_SHARE, _BRIEF = 0.25, 2.5
"""Minimum ratio of the shared words of two texts to the other words of the text with fewer of these, without _BRIEF."""


@lru_cache(maxsize=64)
def _rough(text: str) -> frozenset[str]:
    """Return the first 4 letters of each word, and each Chinese character, without words that show no subject."""
    spaced = "".join(char if char.isalnum() or char == "'" else " " for char in text.lower())
    if not text.isascii():
        spaced = "".join(f" {char} " if is_zh(char) else char for char in spaced)
    return frozenset(word[:4] for word in spaced.split() if word not in _dropped())


@lru_cache(maxsize=1)
def _dropped() -> frozenset[str]:
    """Return the words that show no subject, such as articles."""
    return frozenset(word_lists("core/statements.txt")["drop"].replace("_", " ").split())


def is_zh(word: str) -> bool:
    """Return whether a word begins with a Chinese character."""
    return "\u3400" <= word[:1] <= "\u9fff"
