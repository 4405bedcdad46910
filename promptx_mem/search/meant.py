"""The choice of found memories and of rules to inject for a prompt; the terms of texts, and words only in aliases."""

from heapq import nlargest

from promptx_mem.core.state import OWN, State
from promptx_mem.core.text import pattern
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.search import postings, tokens
from promptx_mem.search.cache import Cache, select, to_state
from promptx_mem.search.candidates import Corpus, Match, corpus, weigh
from promptx_mem.search.query import Criteria, Query
from promptx_mem.search.ranking import ALIAS, OWN_WORD, RULES, Hit, Measure, specificity
from promptx_mem.search.tokens import ASKING, word_list

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Sequence

    from promptx_mem.search.index_write import Doc


def by_aliases(
    match: Match,
    state: State,
    queries: "Sequence[Query]",
    db: "sqlite3.Connection",
    whole: "Sequence[Corpus] | None",
    *,
    counts: bool,
) -> tuple[Match, frozenset[str]]:
    """Return a match, and its words that occur in the memory's aliases, but not in its text, tags or topic.

    Without `counts`, return no words, and the match without their score; decide again whether it is weak. `whole` has
    the statistics of all searched stores for each query; None if only `db` is searched.
    """
    from promptx_mem.search.tables import document

    shared = [len(match.terms.keys() & {word for _, _, word in query.terms}) for query in queries]
    number = shared.index(max(shared))
    query = queries[number]
    documents = [document(0, state), document(1, state)._replace(aka=())]
    (_, every), (_, without_aliases) = terms_of(documents)
    only = frozenset(word for term, _, word in query.terms if term in every - without_aliases)
    words = only.intersection(match.terms) - match.lent
    if counts or not words:
        return match, words
    statistics = whole[number] if whole else corpus(query, db)
    docs = max(statistics.docs, 1)
    weights = weigh(query, statistics.counts, docs)
    full = sum(weight for term, weight in weights.items() if term not in query.added) or 1.0
    terms = {word: part for word, part in match.terms.items() if word not in words}
    parts = {term: terms[word] * full for term, _, word in query.terms if word in terms}
    weak = Measure(query.terms, query.added, weights, docs).is_weak(parts)
    score = match.score - sum(match.terms.values()) + sum(terms.values())
    return match._replace(terms=terms, score=score, weak=weak), frozenset()


def terms_of(docs: "Sequence[Doc]") -> list[tuple[int, set[str]]]:
    """Return each document's length and terms. No index is changed. The rowids of `docs` must be 0, 1, 2 …."""
    from promptx_mem.search.index_write import Collector

    collector = Collector()
    out = [(collector.add(doc), set[str]()) for doc in docs]
    for term, rowids in collector.completed().items():
        for rowid in rowids:
            out[rowid][1].add(term)
    return out


CLEAR = {"": 0.7, "general": 0.7, "agent": 0.85}
"""Minimum share of the best memory's score for an injected memory, by kind of task.

A memory is also injected if its score for specific words reaches this share of the best score for specific words.
"""

SHARED = {"": 0.0, "general": 0.5, "agent": 0.2}
"""Minimum share of the prompt's words in an injected memory (not in its neighbours), by kind of task."""

USUAL = frozenset(word_list("usual words of prompts"))
"""Stems of words such as "error" or "file", which are in many prompts of developers."""

ENOUGH = 0.45
"""If only a usual word is shared: its minimum share of its sentence's specific words."""

NEAR = 5
"""Maximum number of memories injected for their scores. Memories that the prompt names are added."""

_NAME = r"\b(?=\w*[A-Z0-9_])[A-Za-z][\w.+-]*"
"""Pattern of a word with a capital letter, a digit or an underscore."""


def to_inject(matches: "Iterable[tuple[Sequence[Query], Hit, bool]]", task: str = "") -> "list[Hit]":
    """Return the hits to inject for a prompt: the best hits, and hits that the prompt names. Omit weak hits.

    `matches` has queries, their hit, and True for a hit in the user's own store. A prompt names a memory by a topic, or
    by a name in the memory's text that no better hit shares with the prompt. In the user's own store, a prompt also
    names a memory by all words of an alias.
    """
    strong = [
        (queries, hit, own, _specific(queries, hit))
        for queries, hit, own in matches
        if not hit.weak and (hit.own >= SHARED[task] or _has_topic(hit))
    ]
    strong = [one for one in strong if not _is_usual(one[0], one[3])]
    least = CLEAR[task] * max((hit.score for _, hit, *_ in strong), default=0.0)
    least_specific = CLEAR[task] * max((sum(parts.values()) for *_, parts in strong), default=0.0)
    known: set[str] = set()
    out = []
    for place, (queries, hit, own, parts) in enumerate(strong):
        is_near = place < NEAR and (hit.score >= least or sum(parts.values()) >= (least_specific or 1.0))
        names = {name.lower() for name in pattern(_NAME).findall(tokens.fold(hit.state.entry.text))} if parts else set()
        names |= set(tokens.stems(names).values())
        if is_near or parts.keys() & names - known or _has_topic(hit) or (own and _has_alias(queries, hit)):
            out.append(hit)
            known |= parts.keys()
    return out


def _is_usual(queries: "Sequence[Query]", parts: "Collection[str]") -> bool:
    """Return whether a usual word is the only specific word that a memory shares with a sentence of several words."""
    if len(parts) != 1 or USUAL.isdisjoint(parts):
        return False
    (term,) = parts
    return all(_size(query, term) * ENOUGH > 1 for query in queries)


def _size(query: "Query", term: str) -> float:
    """Return the number of specific words in sentences with a term. A Chinese word has about three pairs."""
    word = next((word for other, _, word in query.terms if other == term), term)
    said = " ".join(part for part in pattern(_SENTENCE_END).split(query.text) if word in part)
    asked = {other for other, _, word in query.terms if word in said and specificity(other, word) == 1.0}
    return sum(0.34 if tokens.is_dense(other) else 1.0 for other in asked)


_SENTENCE_END = r"[.!?](?=\s|$)|[。！？；;\n]"


def _specific(queries: "Sequence[Query]", hit: "Hit") -> dict[str, float]:
    """Return the specific (not common) terms that a prompt and a memory share, each with its part of the score."""
    words = {name.partition(" ")[2]: part for name, part in hit.terms.items() if name.startswith((OWN_WORD, ALIAS))}
    terms = {term: word for query in queries for term, _, word in query.terms if term not in dict(query.synonyms)}
    return {term: words[word] for term, word in terms.items() if word in words and specificity(term, word) == 1.0}


def _has_topic(hit: "Hit") -> bool:
    return any(way.startswith("topic") for way in hit.via)


def _has_alias(queries: "Sequence[Query]", hit: "Hit") -> bool:
    """Return whether a prompt has all words of an own memory's alias, and at least one of these words is specific."""
    if hit.state.origin != OWN:
        return False
    asked = {term for query in queries for term, _, _ in query.terms if term not in dict(query.synonyms)}
    for words in (tokens.plain_terms(tokens.fold(alias).lower()) for alias in hit.state.entry.aka):
        stems = tokens.stems(words)
        terms = {stems.get(word, word): word for word in words}
        if terms.keys() <= asked and any(specificity(*word) == 1.0 for word in terms.items()):
            return True
    return False


MANY_RULES = 20
"""Number of rules and preferences above which a store adds none of them to the results."""

_ENDED = 10  # a store with up to _ENDED * MANY_RULES rules is searched, since most of them can have ended


def rules(cache: Cache, criteria: Criteria, queries: "Sequence[Query]", *, own: bool) -> list[Hit]:
    """Return the RULES rules and preferences with the greatest number of the question's specific words, best first.

    Returns an empty list if the store is not the user's, or has more than MANY_RULES rules.
    """
    if not (own and criteria.words):
        return []
    where, params = criteria.where()
    rowids = postings.rowids(cache.db, postings.RULE)
    if len(rowids) > _ENDED * MANY_RULES:
        return []
    sql = f"SELECT * FROM memories WHERE rowid IN ({{}}) AND {where}"  # noqa: S608 - conditions of ours
    found = [Hit(row["rowid"], to_state(row), via=["rule"]) for row in select(cache.db, sql, rowids, after=params)]
    rules = [rule for rule in found if rule.state.origin == OWN]
    if not rules or len(rules) > MANY_RULES:
        return []
    asked = {
        term
        for query in queries
        for term, _, word in query.terms
        if len(term) > 1 and word not in ASKING and specificity(term, word) == 1.0
    }
    words = [set(tokens.plain_terms(tokens.fold(rule.state.entry.text).lower())) for rule in rules]
    stems = tokens.stems(set().union(*words))
    shared = [len(asked & {stems.get(word, word) for word in own}) for own in words]
    best = nlargest(RULES, range(len(rules)), key=lambda number: (shared[number], rules[number].state.first_at))
    return [rules[number] for number in best if shared[number]]
