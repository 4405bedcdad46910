"""The ranked lexical index: add, remove, search. BM25 over an own postings table (docs/decisions/0005-ranking.md).

All functions work inside the caller's connection and transaction, on the tables of SCHEMA and, read only, on
`memories(rowid INTEGER PRIMARY KEY, text TEXT, ...)`, which is the caller's.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from promptx_mem.search import blocks, days, postings, ranking, tokens
from promptx_mem.search.conditions import Conditions
from promptx_mem.search.query import Query, parse_query
from promptx_mem.search.similar import near

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

SCHEMA = postings.SCHEMA


class Doc(NamedTuple):
    """One memory as the index sees it; `day` is its local ISO date. Rowids ascend in the order of noting."""

    rowid: int
    text: str
    tags: tuple[str, ...] = ()
    topic: str | None = None
    day: str | None = None
    session: str | None = None


class Hit(NamedTuple):
    """A memory found, with a score of 0-1, or over 1 where its whole text is the query.

    `terms` is what each word of the query adds to the score; what the whole text adds is not among them.
    """

    rowid: int
    score: float
    terms: dict[str, float]


def add(db: sqlite3.Connection, docs: Iterable[Doc]) -> None:
    """Index memories whose rowids are not in the index. Into an empty index, all in one call is several times faster.

    `docs` is read once, in its order, while the work goes on: a generator can report progress. Rowids best ascend.
    """
    first = postings.is_empty(db)
    found: defaultdict[postings.Term, list[int]] = defaultdict(list)
    lengths: dict[int, int] = {}
    rows: list[tuple[int, int | None, str, str | None]] = []
    for doc in docs:
        rowid, labels = doc.rowid, "\n".join((*doc.tags, doc.topic or ""))
        terms, length = _terms(doc.text, labels, doc.day)
        lengths[rowid] = min(max(length, 1), postings.LONGEST)
        rows.append((rowid, blocks.context_of(doc.session, doc.day), labels, doc.day))
        for rowids in map(found.__getitem__, terms):
            rowids.append(rowid)
    if not rows:
        return
    if rows != sorted(rows, key=itemgetter(0)):
        for rowids in found.values():
            rowids.sort()
    postings.write(db, _completed(found), first=first)
    db.executemany("INSERT INTO lex_docs VALUES (?, ?, ?, ?)", rows)
    blocks.write(db, _linked(db, lengths, {row[0]: row[1] for row in rows}, first=first))


def _terms(text: str, labels: str, day: str | None) -> tuple[list[postings.Term], int]:
    """Return what a memory is found by, and its length in words."""
    folded = tokens.fold(text)
    terms: list[postings.Term] = []
    terms += tokens.raw_terms(folded)
    terms += _label_terms(labels)
    length = len(terms)
    terms.append(tokens.text_key(folded))
    terms += days.day_terms(day)
    terms += days.text_terms(folded.lower())
    return terms, length


@lru_cache(maxsize=4096)
def _label_terms(labels: str) -> tuple[str, ...]:
    return tuple(tokens.raw_terms(tokens.fold(labels)))


def _completed(found: dict[postings.Term, list[int]]) -> dict[postings.Term, list[int]]:
    """Put stems in the place of words and add the characters that pairs begin with, each once a memory."""
    words = [term for term in found if isinstance(term, str)]
    for char, pairs in tokens.characters(words).items():
        found[char] = sorted(set().union(found.get(char, ()), *map(found.__getitem__, pairs)))
    for word, stem in tokens.stems(words).items():
        rowids = found.pop(word)
        found[stem] = sorted(found[stem] + rowids) if stem in found else rowids
    return found


def _linked(
    db: sqlite3.Connection, lengths: dict[int, int], contexts: dict[int, int | None], *, first: bool
) -> dict[int, int]:
    """Return `lengths` with the bit that says that a memory follows one of its own session or day."""
    if not first:
        around = {r + step for r in contexts for step in (-1, 1)} - contexts.keys()
        contexts = contexts | postings.contexts(db, around)
        stored = blocks.read_some(db, [r + 1 for r in lengths if r + 1 in contexts and r + 1 not in lengths])
        lengths = lengths | stored
    after = blocks.follows(contexts, lengths)
    return {r: n & postings.LONGEST | (postings.FOLLOWS if r in after else 0) for r, n in lengths.items()}


def remove(db: sqlite3.Connection, rowids: Iterable[int]) -> None:
    """Take memories out of the index; call it while `memories` still holds the text that was indexed.

    Where that text is gone or another one, the whole table is searched: correct, but slow at 40,000 memories.
    """
    gone = sorted(set(rowids))
    known: set[postings.Term] | None = set()
    for rowid in gone:
        labels = db.execute("SELECT labels, day FROM lex_docs WHERE rowid = ?", (rowid,)).fetchone()
        row = db.execute("SELECT text FROM memories WHERE rowid = ?", (rowid,)).fetchone()
        if labels is None:
            continue
        if row is None or known is None:
            known = None
            break
        found: dict[postings.Term, list[int]] = {term: [rowid] for term in _terms(row[0], labels[0], labels[1])[0]}
        key = next(t for t in found if isinstance(t, int))
        if rowid not in postings.rowids(db, key):
            known = None
            break
        known.update(_completed(found))
    postings.erase(db, gone, known)
    after = blocks.read_some(db, [r + 1 for r in gone])
    blocks.write(db, {r: n & postings.LONGEST for r, n in after.items()} | dict.fromkeys(gone, 0))
    db.executemany("DELETE FROM lex_docs WHERE rowid = ?", ((r,) for r in gone))


def search(
    db: sqlite3.Connection,
    query: Query,
    *,
    limit: int,
    where: str = "",
    params: Sequence[object] = (),
) -> list[Hit]:
    """Return the best `limit` memories for any of the query's words, best first, ties newest first.

    `where` is a condition of SQL on `memories`, with its `params`: what it refuses does not count towards `limit`.
    """
    found = ranking.rank(db, query, Conditions(db, query, where, params), limit)
    return [Hit(rowid, score, terms) for rowid, score, terms in found]


__all__ = ["SCHEMA", "Doc", "Hit", "Query", "add", "near", "parse_query", "remove", "search"]
