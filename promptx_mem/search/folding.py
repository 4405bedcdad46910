"""One form for what is written in several: compatibility forms, accents, case; and which scripts have no spaces."""

from __future__ import annotations

import re
from unicodedata import is_normalized, normalize

# Sets of one or two ranges: larger ones cost a millisecond each to compile, in every process.
_ACCENTED = re.compile("[\u00c0-\u024f\u1e00-\u1eff]+")
_MARKS = re.compile("[\u0300-\u036f]+")
_WIDE_MARKS = tuple(zip("，：；！？（）", ",:;!?()", strict=True))


def fold(text: str) -> str:
    """Return `text` in NFKC, Latin letters without accents; case is kept."""
    if text.isascii():
        return text
    # With its commonest marks replaced most Chinese needs no normalisation, which takes ten times as long.
    for wide, mark in _WIDE_MARKS:
        text = text.replace(wide, mark)
    if not is_normalized("NFKC", text):
        text = normalize("NFKC", text)
    if _ACCENTED.search(text):
        text = _ACCENTED.sub(lambda m: _MARKS.sub("", normalize("NFD", m[0])), text)
    return text


def normalise(text: str) -> str:
    """Return `text` as phrases and near duplicates are compared: folded, in lower case, with single spaces."""
    return " ".join(fold(text).lower().split())


def is_dense(term: str) -> bool:
    """Tell whether a run or n-gram is of a script written without spaces: from Thai to Burmese, and CJK."""
    first = term[0]
    return first >= "\u2e80" or "\u0e00" <= first <= "\u109f"


def contains(text: str, phrase: str) -> bool:
    """Tell whether normalised `text` holds the normalised phrase, at whole words where words are spaced."""
    start = text.find(phrase)
    while start >= 0:
        end = start + len(phrase)
        if not (_inside_word(text, start) or _inside_word(text, end)):
            return True
        start = text.find(phrase, start + 1)
    return False


def _inside_word(text: str, place: int) -> bool:
    around = text[max(place - 1, 0) : place + 1]
    return len(around) == 2 and around.isalnum() and not any(map(is_dense, around))
