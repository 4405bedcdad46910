"""A fast test whether two texts can be about the same subject, before their differences are compared."""

from functools import lru_cache

from promptx_mem.data import word_lists


def are_close(one: str, two: str) -> bool:
    """Return whether two texts share a part of their words. To compare their statements takes milliseconds."""
    for size, share, free in _LEAST:
        first, second = _rough(one, size), _rough(two, size)
        shared, more, less = (
            sum(0.5 if is_zh(word) else 1 for word in some) for some in (first & second, first - second, second - first)
        )
        if shared < share * (min(more, less) - free):
            return False
    return True


_LEAST = ((1, 0.25, 2.5), (2, 1.0, 7.0))
"""Number of Chinese characters that are one word, and minimum ratio of the shared words to other words.

The other words are those of the text with fewer of these, and some are free. The second line is about long texts.
"""


@lru_cache(maxsize=128)
def _rough(text: str, size: int) -> frozenset[str]:
    """Return the first 4 letters of each word, and all `size` neighbouring Chinese characters.

    Words that show no subject are left out.
    """
    text = text.lower()
    words = "".join(char if (char.isalnum() or char == "'") and not is_zh(char) else " " for char in text).split()
    if not text.isascii():
        parts = (text[at : at + size] for at in range(len(text) - size + 1))
        words += [part for part in parts if all(map(is_zh, part))]
    return frozenset(word[:4] for word in words if word not in _dropped())


@lru_cache(maxsize=1)
def _dropped() -> frozenset[str]:
    """Return the words that show no subject, such as articles."""
    return frozenset(word_lists("core/statements.txt")["drop"].replace("_", " ").split())


def is_zh(word: str) -> bool:
    """Return whether a word begins with a Chinese character."""
    return "\u3400" <= word[:1] <= "\u9fff"
