"""A fast test whether two texts can be about the same subject, before their differences are compared."""

from functools import lru_cache

from promptx_mem.data import word_lists


def may_share_subject(one: str, two: str) -> bool:
    """Return whether two texts share as many words as `_MIN_SHARED` demands. To compare statements takes longer."""
    for (first, more), (second, less), (share, free) in zip(_word_sets(one), _word_sets(two), _MIN_SHARED, strict=True):
        shared = _weight(first & second)
        if shared < share * (min(more, less) - shared - free):
            return False
    return True


_MIN_SHARED = ((0.25, 2.5), (1.0, 7.0))
"""Pairs (ratio, free): at least `ratio` * (others - `free`) words are shared. The text with fewer other words counts.

The first pair applies to words and Chinese characters, the second to words and pairs of them. Chinese counts half.
"""

_SPACES = {mark: " " for mark in range(128) if not chr(mark).isalnum() and chr(mark) != "'"}


@lru_cache(maxsize=64)
def _word_sets(text: str) -> list[tuple[frozenset[str], float]]:
    """Return a set of words and Chinese characters, and a set of words and pairs of them, each with its weight.

    Words are cut to 4 letters. Words that show no subject are left out.
    """
    text = text.lower()
    if text.isascii():
        words = frozenset(word[:4] for word in text.translate(_SPACES).split() if word not in _dropped())
        return [(words, len(words))] * 2
    others = "".join(char if (char.isalnum() or char == "'") and not is_zh(char) else " " for char in text).split()
    pairs = (text[at : at + 2] for at in range(len(text) - 1) if is_zh(text[at]) and is_zh(text[at + 1]))
    words, singles, doubles = (
        frozenset(word[:4] for word in some if word not in _dropped()) for some in (others, filter(is_zh, text), pairs)
    )
    return [(some, _weight(some)) for some in (words | singles, words | doubles)]


def _weight(words: frozenset[str]) -> float:
    return len(words) - 0.5 * sum(map(is_zh, words))


@lru_cache(maxsize=1)
def _dropped() -> frozenset[str]:
    """Return the words that show no subject, such as articles."""
    return frozenset(word_lists("core/statements.txt")["drop"].replace("_", " ").split())


def is_zh(word: str) -> bool:
    """Return whether a word begins with a Chinese character."""
    return "\u3400" <= word[:1] <= "\u9fff"
