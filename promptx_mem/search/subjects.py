"""What a text begins with is mostly what it is about: `PG 主库：…`, `Clara lives in Porto`."""

from __future__ import annotations

from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

from promptx_mem.core.text import pattern
from promptx_mem.search import tokens
from promptx_mem.search.lexicon import STOP_WORDS
from promptx_mem.search.portions import portions

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable

_LONGEST = 48
"""Characters of a text that are looked at."""

_FIRST = "([A-Za-z]+)[ :]"


def begun(db: sqlite3.Connection, rowids: Iterable[int], terms: Collection[str]) -> dict[int, list[str]]:
    """Return for each memory the terms, all of them `terms`, with which its text begins; function words aside."""
    initials = {term[0] for term in terms}
    texts = dict(_heads(db, list(rowids)))
    words = {
        rowid: list(takewhile(lambda word: tokens.initial(word) in initials, _words(text)))
        for rowid, text in texts.items()
        if _may_begin(text, initials)
    }
    stems = tokens.stems({word for some in words.values() for word in some})
    out: dict[int, list[str]] = {rowid: [] for rowid in texts}
    for rowid, some in words.items():
        own: dict[str, None] = {}
        for word in some:
            term = stems.get(word, word)
            if term not in terms:
                break
            own[term] = None
        out[rowid] = list(own)
    return out


def _may_begin(text: str, initials: Collection[str]) -> bool:
    """Tell of most texts by their first word that they begin with no term: to read all takes ten times as long."""
    first = pattern(_FIRST).match(text)
    if first is None:
        return True
    word = first[1].lower()
    return word in STOP_WORDS or tokens.initial(word) in initials


@lru_cache(maxsize=4096)  # who answers one call after the other meets the same memories again
def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in tokens.plain_terms(tokens.fold(text).lower()) if word not in STOP_WORDS)


def _heads(db: sqlite3.Connection, rowids: list[int]) -> Iterable[tuple[int, str]]:
    for marks, some in portions(rowids):
        query = f"SELECT rowid, substr(text, 1, {_LONGEST}) FROM memories WHERE rowid IN ({marks})"  # noqa: S608 - a number of ours and question marks
        yield from db.execute(query, some)
