"""What a tag is: letters, digits and `_ - . /`."""

import unicodedata
from collections.abc import Iterable

from promptx_mem.core.text import pattern

NOTE = "note"
"""The tag of what a person stores or asks for without one, where the store has no default."""

_TAG = r"[\w\-./]+"
_ASCII_TAG = r"[_\-./]*[A-Za-z0-9][A-Za-z0-9_\-./]*"


def normalise_tag(word: str) -> str | None:
    """The tag a word names (NFKC, no `#`): letters, digits and `_ - . /`, not punctuation alone; else None."""
    name = word.lstrip("#＃")
    if pattern(_ASCII_TAG).fullmatch(name):
        return name
    if name.isascii() or not name.isprintable():
        return None
    name = unicodedata.normalize("NFKC", name)
    bare = "".join(c for c in name if not unicodedata.category(c).startswith("M"))
    return name if pattern(_TAG).fullmatch(bare) and any(c.isalnum() for c in bare) else None


def unique(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags in order, each once."""
    return tuple(dict.fromkeys(tags))
