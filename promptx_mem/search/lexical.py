"""The ranked lexical index: add, remove, search. BM25 over an own postings table (docs/decisions/0005-ranking.md).

All functions work inside the caller's connection and transaction, on the tables of SCHEMA and, read only, on
`memories(rowid INTEGER PRIMARY KEY, text TEXT, ...)`, which is the caller's.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from itertools import chain, islice
from operator import lt
from typing import TYPE_CHECKING, NamedTuple

from promptx_mem.search import blocks, days, postings, ranking, tokens
from promptx_mem.search.candidates import Corpus, corpus
from promptx_mem.search.conditions import Conditions
from promptx_mem.search.query import Query, parse_query
from promptx_mem.search.similar import near

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

SCHEMA, INDEXES = postings.SCHEMA, postings.INDEXES


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
    found = _Found()
    lengths: dict[int, int] = {}
    rows: list[tuple[int, int | None, str, str | None, int]] = []
    for doc in docs:
        rowid, labels, folded = doc.rowid, "\n".join((*doc.tags, doc.topic or "")), tokens.fold(doc.text)
        length = found.add(rowid, folded, labels, doc.day)
        lengths[rowid] = min(max(length, 1), postings.LONGEST)
        context = blocks.context_of(doc.session, doc.day)
        rows.append((rowid, context, labels, doc.day, tokens.text_key(folded)))
    if not rows:
        return
    in_order = all(map(lt, lengths, islice(lengths, 1, None)))
    postings.write(db, found.completed(in_order=in_order), first=first)
    db.executemany("INSERT INTO lex_docs VALUES (?, ?, ?, ?, ?)", rows)
    blocks.write(db, _linked(db, lengths, {row[0]: row[1] for row in rows}, first=first))


class _Found:
    """Which memories hold a term, while they are read; pairs of characters apart, as numbers."""

    def __init__(self) -> None:
        self.words: defaultdict[str, list[int]] = defaultdict(list)
        self.pairs: defaultdict[int, list[int]] = defaultdict(list)

    def add(self, rowid: int, folded: str, labels: str, day: str | None) -> int:
        """Note what a memory is found by; returns its length in words."""
        lower = folded.lower()
        words, pairs, length = tokens.paired_terms(lower)
        more = tokens.identifiers(folded)
        own = _label_terms(labels)
        terms = chain(words, more, own, days.day_terms(day), days.text_terms(lower))
        for rowids in map(self.words.__getitem__, terms):
            rowids.append(rowid)
        for rowids in map(self.pairs.__getitem__, pairs):
            rowids.append(rowid)
        return length

    def completed(self, *, in_order: bool = True) -> dict[str, list[int]]:
        """Put stems in the place of words and add the characters that pairs begin with, each once a memory."""
        found = self.words
        for pair, rowids in self.pairs.items():
            if term := tokens.pair_term(pair):
                found[term] = sorted(found[term] + rowids) if term in found else rowids
        if not in_order:
            for rowids in found.values():
                rowids.sort()
        for char, pairs in tokens.characters(found).items():
            found[char] = sorted(set().union(found.get(char, ()), *map(found.__getitem__, pairs)))
        for word, stem in tokens.stems(found).items():
            rowids = found.pop(word)
            found[stem] = sorted(found[stem] + rowids) if stem in found else rowids
        return found


@lru_cache(maxsize=4096)
def _label_terms(labels: str) -> tuple[str, ...]:
    return tuple(tokens.raw_terms(tokens.fold(labels)))


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
    postings.erase(db, gone, _terms(db, gone))
    after = blocks.read_some(db, [r + 1 for r in gone])
    blocks.write(db, {r: n & postings.LONGEST for r, n in after.items()} | dict.fromkeys(gone, 0))
    db.executemany("DELETE FROM lex_docs WHERE rowid = ?", ((r,) for r in gone))


def _terms(db: sqlite3.Connection, rowids: list[int]) -> set[str] | None:
    """Return what memories are found by, None where the text that was indexed is not there any more."""
    known: set[str] = set()
    for rowid in rowids:
        indexed = db.execute("SELECT labels, day, key FROM lex_docs WHERE rowid = ?", (rowid,)).fetchone()
        row = db.execute("SELECT text FROM memories WHERE rowid = ?", (rowid,)).fetchone()
        if indexed is None:
            continue
        labels, day, key = indexed
        if row is None or tokens.text_key(tokens.fold(row[0])) != key:
            return None
        found = _Found()
        found.add(rowid, tokens.fold(row[0]), labels, day)
        known.update(found.completed())
    return known


def search(
    db: sqlite3.Connection,
    query: Query,
    *,
    limit: int,
    where: str = "",
    params: Sequence[object] = (),
    whole: Corpus | None = None,
) -> list[Hit]:
    """Return the best `limit` memories for any of the query's words, best first, ties newest first.

    `where` is a condition of SQL on `memories`, with its `params`: what it refuses does not count towards `limit`.
    `whole` is the corpus by which words are weighed, where that is more than this index.
    """
    found = ranking.rank(db, query, Conditions(db, query, where, params), limit, whole)
    return [Hit(rowid, score, terms) for rowid, score, terms in found]


__all__ = ["SCHEMA", "Corpus", "Doc", "Hit", "Query", "add", "corpus", "near", "parse_query", "remove", "search"]
