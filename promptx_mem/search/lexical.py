"""The ranked lexical index: add, remove, search. BM25 over an own postings table (docs/decisions/0005-ranking.md).

All functions work inside the caller's connection and transaction, on the tables of SCHEMA and, read only, on
`memories(rowid INTEGER PRIMARY KEY, text TEXT, ...)`, which is the caller's.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import chain, islice
from operator import lt
from typing import TYPE_CHECKING, NamedTuple

from promptx_mem.search import blocks, days, postings, tokens
from promptx_mem.search.standing import is_standing

if TYPE_CHECKING:
    from promptx_mem.search.candidates import Corpus
    from promptx_mem.search.query import Query
    from promptx_mem.search.scoring import Match

SCHEMA = postings.SCHEMA

RULE = "@rule"
"""A term that no query has: of all memories that are rules or preferences."""

FOUND, LEAST = 2, 20
"""So many times what is asked for, and at least, is found and then ordered: `-n 1` shows what stands first of ten."""


class Doc(NamedTuple):
    """One memory as the index sees it; `day` is its local ISO date. Rowids ascend in the order of noting."""

    rowid: int
    text: str
    tags: tuple[str, ...] = ()
    topic: str | None = None
    day: str | None = None
    session: str | None = None
    aka: tuple[str, ...] = ()


def add(db: sqlite3.Connection, docs: Iterable[Doc], only: Collection[str] | None = None) -> None:
    """Index memories whose rowids are not in the index. Into an empty index, all in one call is several times faster.

    `docs` is read once, in its order, while the work goes on: a generator can report progress. Rowids best ascend.
    `only` these terms, where nothing else will be looked for.
    """
    first = postings.is_empty(db)
    collector = _Collector(only)
    new: dict[int, blocks.Block] = {}
    for doc in docs:
        folded = tokens.fold(doc.text)
        length = collector.add(doc.rowid, folded, _labels(doc), doc.day)
        key = blocks.short_key(tokens.text_key(folded))
        new[doc.rowid] = blocks.Block(
            min(max(length, 1), postings.LONGEST), key, blocks.context_of(doc.session, doc.day)
        )
    if not new:
        return
    if not first and (rows := blocks.read_some(db, new)):
        raise ValueError(f"rows {sorted(rows)} are in the index")
    in_order = all(map(lt, new, islice(new, 1, None)))
    terms = collector.completed(in_order=in_order)
    if terms:
        postings.write(db, terms, first=first)
    blocks.write(db, _linked(db, new, first=first))


def _labels(doc: Doc) -> str:
    return "\n".join((*doc.tags, doc.topic or "", *doc.aka))


class _Collector:
    """Which memories hold a term, while they are read; pairs of characters apart, as numbers. `only` these terms."""

    def __init__(self, only: Collection[str] | None = None) -> None:
        self.only = only
        self.initials = {term[0] for term in only or ()}
        self.words: defaultdict[str, list[int]] = defaultdict(list)
        self.pairs: defaultdict[int, list[int]] = defaultdict(list)

    def add(self, rowid: int, folded: str, labels: str, day: str | None) -> int:
        """Note what a memory is found by; returns its length in words."""
        lower = folded.lower()
        words, pairs, length = tokens.paired_terms(lower)
        more = tokens.identifiers(folded)
        own = _label_terms(labels)
        rule = (RULE,) if is_standing(folded) else ()
        terms: Iterable[str] = chain(
            words, more, tokens.signs(folded), own, rule, days.day_terms(day), days.text_terms(lower)
        )
        if self.only is not None:
            terms = (term for term in terms if tokens.initial(term) in self.initials)
        for rowids in map(self.words.__getitem__, terms):
            rowids.append(rowid)
        for rowids in map(self.pairs.__getitem__, pairs):
            rowids.append(rowid)
        return length

    def completed(self, *, in_order: bool = True) -> dict[str, list[int]]:
        """Put stems in the place of words and add the characters that pairs begin with, each once a memory."""
        terms, only = self.words, self.only
        for pair in self.pairs if only is None else tokens.pairs_of(self.pairs, only):
            if term := tokens.pair_term(pair):
                rowids = self.pairs[pair]
                terms[term] = sorted(terms[term] + rowids) if term in terms else rowids
        if not in_order:
            for rowids in terms.values():
                rowids.sort()
        for char, pairs in tokens.characters(terms).items():
            terms[char] = sorted(set().union(terms.get(char, ()), *map(terms.__getitem__, pairs)))
        stemmed = [(stem, terms.pop(word)) for word, stem in tokens.stems(terms).items()]
        for stem, rowids in stemmed:  # all words first: a stem may be another word, which has a stem of its own
            terms[stem] = sorted(terms[stem] + rowids) if stem in terms else rowids
        return terms if only is None else {term: rowids for term, rowids in terms.items() if term in only}


@lru_cache(maxsize=4096)
def _label_terms(labels: str) -> tuple[str, ...]:
    return tuple(tokens.raw_terms(tokens.fold(labels)))


def _linked(db: sqlite3.Connection, new: dict[int, blocks.Block], *, first: bool) -> dict[int, blocks.Block]:
    """Return `new`, and what follows on it, with the bit that says that a memory follows one of its session or day."""
    around = {} if first else blocks.read_some(db, {r + step for r in new for step in (-1, 1)} - new.keys())
    changed = new | {r: block for r, block in around.items() if r - 1 in new}
    contexts = {r: block.context for r, block in (around | new).items()}
    after = blocks.follows(contexts, changed)
    return {
        r: block._replace(length=block.length & postings.LONGEST | (postings.FOLLOWS if r in after else 0))
        for r, block in changed.items()
    }


def terms_of(docs: Sequence[Doc]) -> list[tuple[int, set[str]]]:
    """Return for each of `docs`, whose rowids count up from 0, its length and all it is found by, for another index."""
    collector = _Collector()
    lengths = [collector.add(doc.rowid, tokens.fold(doc.text), _labels(doc), doc.day) for doc in docs]
    out = [(min(max(length, 1), postings.LONGEST), set[str]()) for length in lengths]
    for term, rowids in collector.completed().items():
        for rowid in rowids:
            out[rowid][1].add(term)
    return out


def remove(db: sqlite3.Connection, docs: Iterable[Doc]) -> None:
    """Take memories out of the index: `docs`, as they were added.

    Where one was added with another text, the whole table is searched: correct, but slow at 40,000 memories.
    """
    targets = {doc.rowid: doc for doc in docs}
    postings.erase(db, targets, _terms(targets, blocks.read_some(db, targets)))
    after = blocks.read_some(db, [r + 1 for r in targets])
    blocks.write(
        db,
        {r: block._replace(length=block.length & postings.LONGEST) for r, block in after.items()}
        | dict.fromkeys(targets, blocks.NONE),
    )


def _terms(docs: dict[int, Doc], stored: dict[int, blocks.Block]) -> set[str] | None:
    """Return what memories are found by, None where another text was indexed."""
    terms: set[str] = set()
    for rowid, block in stored.items():
        folded = tokens.fold(docs[rowid].text)
        if blocks.short_key(tokens.text_key(folded)) != block.key:
            return None
        collector = _Collector()
        collector.add(rowid, folded, _labels(docs[rowid]), docs[rowid].day)
        terms.update(collector.completed())
    return terms


def found(count: int) -> int:
    """How many matches to search for, of which so many are to be shown."""
    return max(FOUND * count, LEAST)


def search(
    db: sqlite3.Connection,
    query: "Query",
    *,
    limit: int,
    where: str = "",
    params: Sequence[object] = (),
    whole: "Corpus | None" = None,
) -> "list[Match]":
    """Return the best `limit` memories for any of the query's words, best first, ties newest first.

    `where` is a condition of SQL on `memories`, with its `params`: what it refuses does not count towards `limit`.
    `whole` is the corpus by which words are weighed, where that is more than this index.
    """
    from promptx_mem.search import scoring
    from promptx_mem.search.conditions import Conditions

    return scoring.rank(db, query, Conditions(db, query, where, params), limit, whole)
