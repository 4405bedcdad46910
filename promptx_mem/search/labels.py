"""Queries for tags and topics, and the choice of found memories to inject for a prompt."""

import json
import sys

from promptx_mem.core.labels import Path, format_path, parse_path
from promptx_mem.core.state import OWN, State
from promptx_mem.core.text import pattern
from promptx_mem.record import TYPE_CHECKING, Any
from promptx_mem.search import tokens
from promptx_mem.search.cache import LIVING, Cache
from promptx_mem.search.candidates import Candidates, Match
from promptx_mem.search.query import Criteria, Query
from promptx_mem.search.ranking import ALIAS, OWN_WORD, Hit, measure, share

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Sequence

    from promptx_mem.core.topics import Binding


def has_tag(cache: Cache, tag: str) -> bool:
    """Return whether any memory has a tag. Case and the Chinese script are ignored."""
    return cache.has("tags WHERE tag = ?", tokens.simplified(tag.casefold()))


def tags(cache: Cache) -> list[str]:
    """Return all tags, case-folded."""
    return [row[0] for row in cache.db.execute("SELECT DISTINCT tag FROM tags")]


def active_tags(cache: Cache, now: float) -> list[str]:
    """Return the tags of all active memories as written, repeated for each memory that has them."""
    rows = cache.db.execute(f"SELECT tags FROM memories WHERE tags <> '' AND {LIVING}", (now,))  # noqa: S608 - constants
    return [tag for (tags,) in rows for tag in tags.split()]


def tags_from(cache: Cache, begun: str, count: int) -> list[str]:
    """Return up to `count` tags that begin with this text, regardless of case, the most frequent first."""
    query = "SELECT tag FROM tags WHERE tag >= ? AND tag < ? GROUP BY tag ORDER BY count(*) DESC, tag"
    return _from(cache, query, begun, count)


def paths_from(cache: Cache, begun: str, count: int) -> list[str]:
    """Return up to `count` topic paths that begin with this text, the most frequent first."""
    query = "SELECT path FROM topics WHERE path >= ? AND path < ? GROUP BY path ORDER BY count(*) DESC, path"
    return _from(cache, query, begun, count)


def _from(cache: Cache, query: str, begun: str, count: int) -> list[str]:
    after = begun + chr(sys.maxunicode)
    return [row[0] for row in cache.db.execute(f"{query} LIMIT ?", (begun, after, count))]


def has_topic(cache: Cache, path: Path) -> bool:
    """Return whether any memory has a topic, or declares a related topic, at this path or below it."""
    return cache.has("topics WHERE path = ?", format_path(path))


def topics(cache: Cache, now: float) -> dict[str, int]:
    """Return the number of memories active at `now` in each topic; 0 for a topic that is only declared as related."""
    query = f"SELECT topic, count(*) FROM memories WHERE topic IS NOT NULL AND {LIVING} GROUP BY topic"  # noqa: S608 - constants
    gains = [(topic, count) for topic, count in cache.db.execute(query, (now,))]
    has_more = "(instr(extra, '\"topics\"') OR instr(extra, '\"related\"'))"
    for (extra,) in cache.db.execute(f"SELECT extra FROM memories WHERE {has_more} AND {LIVING}", (now,)):  # noqa: S608 - constants
        fields = json.loads(extra)
        gains += [(name, 1) for name in fields.get("topics", ())]
        gains += [(name, 0) for name in fields.get("related", ())]
    counts: dict[str, int] = {}
    for name, gain in gains:
        if path := format_path(parse_path(name)):
            counts[path] = counts.get(path, 0) + gain
    return counts


def largest_topics(cache: Cache, count: int) -> list[str]:
    """Return the paths with the most memories (active or ended), then paths that are only declared as related."""
    cursor = cache.db.execute(
        "SELECT path FROM topics GROUP BY path ORDER BY sum(bound) DESC, count(*) DESC, path LIMIT ?", (count,)
    )
    return [str(row[0]) for row in cursor]


def topics_of(cache: Cache, criteria: Criteria) -> list[str]:
    """Return the topic paths of the memories that pass the filters of a search."""
    where, params = criteria.where()
    sql = (
        "SELECT DISTINCT path FROM topics WHERE bound = 1 "  # noqa: S608 - conditions of ours
        f"AND row IN (SELECT rowid FROM memories WHERE {where}) ORDER BY path"
    )
    return [row[0] for row in cache.db.execute(sql, params)]


def binding(row: Any, path: Path) -> "Binding":
    """Return the connection of a memory (`row`) to a topic path, with the memory's related paths and weights."""
    from promptx_mem.core.topics import DEFAULT_PROFILE, Binding, Profile

    extra = json.loads(row["extra"]) if row["extra"] else {}
    related = tuple(parse_path(node) for node in extra.get("related", ()))
    profile = Profile(*extra["profile"]) if extra.get("profile") else DEFAULT_PROFILE
    return Binding(row["id"], path, row["noted"], related, profile)


def only(state: "State", query: "Query") -> frozenset[str]:
    """Return the query's words that are in a memory's aliases, but not in its text, tags or topic."""
    from promptx_mem.search import index_write
    from promptx_mem.search.tables import document

    documents = [document(0, state), document(1, state)._replace(aka=())]
    (_, every), (_, without_aliases) = index_write.terms_of(documents)
    more = every - without_aliases
    return frozenset(word for term, _, word in query.terms if term in more)


def without(match: "Match", words: "Collection[str]", db: "sqlite3.Connection", query: "Query") -> "Match":
    """Return a match without the score of these words. Decide again whether the match is weak."""
    candidates = Candidates(db, query)
    full = sum(weight for term, weight in candidates.weights.items() if term not in query.added) or 1.0
    terms = {word: part for word, part in match.terms.items() if word not in words}
    parts = {term: terms[word] * full for term, _, word in query.terms if word in terms}
    weak = measure(query.terms, query.added, candidates.weights, candidates.docs).is_weak(parts)
    score = match.score - sum(match.terms.values()) + sum(terms.values())
    return match._replace(terms=terms, score=score, weak=weak)


CLEAR = {"": 0.7, "general": 0.7, "agent": 0.85}
"""Minimum score of an injected memory, by kind of task. It is a share of the best memory's score.

A memory is also injected if its score for specific words reaches this share of the best score for specific words.
"""

SHARED = {"": 0.0, "general": 0.5, "agent": 0.2}
"""Minimum share of the prompt's words in an injected memory (not in its neighbours), by kind of task."""

NEAR = 5
"""Maximum number of memories injected for their scores. Memories that the prompt names are added."""

_NAME = r"\b(?=\w*[A-Z0-9_])[A-Za-z][\w.+-]*"
"""A word with a capital letter, a digit or an underscore."""


def meant(matches: "Iterable[tuple[Sequence[Query], Hit, bool]]", task: str = "") -> "list[Hit]":
    """Return the hits to inject for a prompt: the best hits, and hits that the prompt names. Omit weak hits.

    `matches` has each hit, its queries, and True for a hit in the user's own store. A prompt names a memory by a topic,
    or by a name in the memory's text that no better hit shares with the prompt. In the user's own store, a prompt also
    names a memory by all words of an alias.
    """
    strong = [
        (queries, hit, own, _specific(queries, hit))
        for queries, hit, own in matches
        if not hit.weak and (hit.own >= SHARED[task] or _has_topic(hit))
    ]
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


def _specific(queries: "Sequence[Query]", hit: "Hit") -> dict[str, float]:
    """Return the specific (not common) terms that a prompt and a memory share, each with its part of the score."""
    words = {name.partition(" ")[2]: part for name, part in hit.terms.items() if name.startswith((OWN_WORD, ALIAS))}
    terms = {term: word for query in queries for term, _, word in query.terms if term not in dict(query.synonyms)}
    return {term: words[word] for term, word in terms.items() if word in words and share(term, word) == 1.0}


def _has_topic(hit: "Hit") -> bool:
    return any(way.startswith("topic") for way in hit.via)


def _has_alias(queries: "Sequence[Query]", hit: "Hit") -> bool:
    """Return whether a prompt has all words of a memory's alias, and at least one of these words is specific."""
    if hit.state.origin != OWN:
        return False
    asked = {term for query in queries for term, _, _ in query.terms if term not in dict(query.synonyms)}
    for words in (tokens.plain_terms(tokens.fold(alias).lower()) for alias in hit.state.entry.aka):
        stems = tokens.stems(words)
        terms = {stems.get(word, word): word for word in words}
        if terms.keys() <= asked and any(share(*word) == 1.0 for word in terms.items()):
            return True
    return False
