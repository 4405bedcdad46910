"""What a memory must meet besides being found: phrases, exclusions, and a filter in SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptx_mem.search import postings, tokens
from promptx_mem.search.portions import portions

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from promptx_mem.search.candidates import Candidates
    from promptx_mem.search.query import Query


class Conditions:
    """Phrases and exclusions of a query, and `where`, a condition on the table `memories`."""

    def __init__(self, db: sqlite3.Connection, query: Query, where: str, params: Sequence[object]) -> None:
        self._db = db
        self._query = query
        self._where = where
        self._params = params
        self._suspects = {phrase: holding(db, phrase) for phrase in query.excluded}

    def draw(self, candidates: Candidates, size: int, enough: int) -> list[int]:
        """Return up to `size` of the best candidates that pass: at least `enough` where there are as many.

        A filter is first put to the best candidates; only one that refuses most of them is put to all memories.
        """
        allowed = self._allowed()
        scanned = not self._where
        while True:
            drawn = candidates.draw(size, allowed)
            passed = self.passing(drawn)
            if len(passed) >= enough:
                return passed
            if len(drawn) < size:
                if not candidates.complete():
                    return passed
                continue
            if not scanned:
                scanned = True
                query = f"SELECT rowid FROM memories WHERE {self._where}"  # noqa: S608 - the caller's own SQL
                every = {rowid for (rowid,) in self._db.execute(query, self._params)}
                allowed = every if allowed is None else allowed & every
            else:
                size *= 4

    def _allowed(self) -> set[int] | None:
        if not self._query.phrases:
            return None
        return set.intersection(*(holding(self._db, phrase) for phrase in self._query.phrases))

    def passing(self, rowids: list[int]) -> list[int]:
        """Return those of `rowids` that meet every condition, in the order given."""
        if not (self._where or self._query.phrases or self._query.excluded):
            return rowids
        reads_text = bool(self._query.phrases or self._query.excluded)
        passed = {rowid for rowid, text in self._read(rowids) if not reads_text or self._text_passes(rowid, text)}
        return [rowid for rowid in rowids if rowid in passed]

    def _read(self, rowids: list[int]) -> Iterator[tuple[int, str]]:
        column = "text" if self._query.phrases or self._query.excluded else "''"
        where = f" AND ({self._where})" if self._where else ""
        for marks, some in portions(rowids):
            query = f"SELECT rowid, {column} FROM memories WHERE rowid IN ({marks}){where}"  # noqa: S608 - the caller's own SQL
            yield from self._db.execute(query, (*some, *self._params)).fetchall()

    def _text_passes(self, rowid: int, text: str) -> bool:
        text = tokens.normalise(text)
        return all(tokens.contains(text, phrase) for phrase in self._query.phrases) and not any(
            rowid in suspects and (tokens.plain_terms(phrase) == [phrase] or tokens.contains(text, phrase))
            for phrase, suspects in self._suspects.items()
        )


def holding(db: sqlite3.Connection, phrase: str) -> set[int]:
    """Return the memories that hold every word of a normalised phrase: all that can contain it."""
    words = dict.fromkeys(tokens.plain_terms(phrase))
    stems = tokens.stems(words)
    terms = {stems.get(word, word) for word in words}
    return set.intersection(*(postings.rowids(db, term) for term in terms))
