"""Tags of a memory. Its topic paths are in `topics`."""

import unicodedata
from collections.abc import Iterable

NOTE = "note"
"""Tag of a memory that a person stores without a tag, if the settings have no default tag."""

_MARKS = "_-./"
_IN_TAGS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" + _MARKS)


def normalise_tag(word: str) -> str | None:
    """Return the tag in a word, in NFKC and without `#`. None if the tag is not valid.

    A tag consists of letters, digits and `_ - . /`, and has at least one letter or digit.
    """
    name = word.lstrip("#＃")
    if name.isascii():
        return name if _IN_TAGS.issuperset(name) and name.strip(_MARKS) else None
    if not name.isprintable():
        return None
    name = unicodedata.normalize("NFKC", name)
    bare = "".join(c for c in name if not unicodedata.category(c).startswith("M"))
    return name if all(c.isalnum() or c in _MARKS for c in bare) and bare.strip(_MARKS) else None


def tag_of(word: str) -> str | None:
    """Return the tag in a word, also if white space follows the #. None if the tag is not valid."""
    return normalise_tag(word.lstrip("#＃ \t\n\u3000"))


def unique(tags: Iterable[str]) -> tuple[str, ...]:
    """Return the tags without duplicates, in the same order."""
    return tuple(dict.fromkeys(tags))
