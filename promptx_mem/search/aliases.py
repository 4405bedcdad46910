"""Words of a question that only a memory's aliases have: named apart, and left out where hooks must ignore them."""

from typing import TYPE_CHECKING

from promptx_mem.search import index_write
from promptx_mem.search.candidates import Candidates, measure
from promptx_mem.search.tables import document

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection

    from promptx_mem.core.state import State
    from promptx_mem.search.candidates import Match
    from promptx_mem.search.query import Query


def only(state: "State", query: "Query") -> frozenset[str]:
    """Return the words of a query that a memory has only in its aliases."""
    [(_, terms)] = index_write.terms_of([document(0, state)._replace(aka=())])
    [(_, all_terms)] = index_write.terms_of([document(0, state)])
    more = all_terms - terms
    return frozenset(word for term, _, word in query.terms if term in more)


def without(match: "Match", words: "Collection[str]", db: "sqlite3.Connection", query: "Query") -> "Match":
    """Return a match without what these words give it, and judge again whether it is weak."""
    candidates = Candidates(db, query)
    full = sum(weight for term, weight in candidates.weights.items() if term not in query.added) or 1.0
    terms = {word: part for word, part in match.terms.items() if word not in words}
    parts = {term: terms[word] * full for term, _, word in query.terms if word in terms}
    weak = measure(query, candidates.weights, candidates.docs).is_weak(parts)
    score = match.score - sum(match.terms.values()) + sum(terms.values())
    return match._replace(terms=terms, score=score, weak=weak)
