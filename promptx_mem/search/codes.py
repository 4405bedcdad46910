"""The words that most memories share, as numbers in the cache: SQLite keeps 1 in no bytes, a word in its own.

The order of the words is part of the cache's form.
"""

from promptx_mem.core.entry import LONG, MEDIUM, PERMANENT, SHORT

_WORDS = {
    "category": ("fact", "episode", "core", "system"),
    "duration": (LONG, SHORT, MEDIUM, PERMANENT),
    "source": ("user", "background_ai", "system"),
    "end": ("faded", "expired"),
}
_CODES = {column: {word: number for number, word in enumerate(words, 1)} for column, words in _WORDS.items()}


def code(column: str, word: str) -> str | int:
    """A word as a column keeps it; a rare one stays as it is."""
    return _CODES[column].get(word, word)


def word(column: str, value: str | int) -> str:
    """What `code` was made of."""
    return value if isinstance(value, str) else _WORDS[column][value - 1]
