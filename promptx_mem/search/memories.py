"""Queries of use cases, one function each, and the search for near duplicates of a text.

Near duplicates are found by the rarest words of a text, and compared by character trigrams. The postings of words
are the only index for this, since a table of trigram hashes would double the time of a rebuild.
"""

from __future__ import annotations

from collections import defaultdict
from math import log

from promptx_mem.core.closeness import may_share_subject
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.search import postings, tokens
from promptx_mem.search.cache import Cache, indexed, row_of, to_state

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from promptx_mem.core.state import State


def with_hash(cache: Cache, text_hash: str) -> list[State]:
    """Return the memories whose current text has this hash, as `make_id` computes it."""
    # `hash` is NULL if it equals the id. Nearly every memory has an id that equals the hash.
    changed, own = cache.states_where("hash = ?", text_hash), row_of(cache.db, text_hash)
    return [*changed, *([to_state(own)] if own is not None and own["hash"] in (None, text_hash) else ())]


def unseen(cache: Cache) -> list[tuple[float, str]]:
    """Return time and id of the hand-written memories whose time is not in an `adopted` event, in rowid order."""
    query = (
        "SELECT first_at, id FROM memories WHERE rowid IN (SELECT row FROM lines WHERE seen = 0 AND archived = '') "
        "ORDER BY rowid"
    )
    return [tuple(row) for row in cache.db.execute(query)]


def is_any_recorded_between(cache: Cache, start: float, stop: float) -> bool:
    """Return whether any memory was recorded at `start` or later, and before `stop`."""
    return cache.has("memories WHERE first_at >= ? AND first_at < ?", start, stop)


def around(cache: Cache, text: str, aka: Iterable[str] = ()) -> list[tuple[State, float]]:
    """Return up to COMPARED memories that share rare words with a text or aliases, and their similarity, best first.

    The similarity is the Jaccard index of character trigrams (0-1). A similarity of 0.85 means a near duplicate, 0.5 a
    related text. If only punctuation or spaces differ, the similarity is 1.
    """
    shingles, letters = tokens.shingles(text), _letters(text)
    found = cache.states_at(_sharing(cache.db, text, aka))
    alike: dict[int, float] = {}
    for rowid, state in found.items():
        other = state.entry.text
        alike[rowid] = 1.0 if _letters(other) == letters else tokens.jaccard(shingles, tokens.shingles(other))
    return [(found[rowid], alike[rowid]) for rowid in sorted(alike, key=lambda one: (-alike[one], -one))]


RAREST = 32
"""Maximum number of words by which near duplicates are found, the rarest first."""

POSTINGS_READ = 2_000
"""Maximum number of postings read to find near duplicates. If the rarest word has more, only the newest are read."""

COMPARED = 12
"""Number of candidates whose trigrams are compared. They have the greatest weight of words shared with the text."""


_MARKS = dict.fromkeys(map(ord, " ,;:!\"'`()[]、。…·—「」『』《》【】“”‘’"))
"""Punctuation between words. Other signs can be part of a name, such as C# or v1.2."""


def _letters(text: str) -> str:
    return tokens.normalise(text).translate(_MARKS).rstrip(".")


def difference(newer: str, older: str, aliases: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())) -> str:
    """Return the reason why a text could replace an older one, or ''. Traditional equals simplified Chinese."""
    new, old = tokens.simplified(newer), tokens.simplified(older)
    if not (any(aliases) or may_share_subject(new, old)):
        return ""
    from promptx_mem.core.contradictions import reason

    own, other = (tuple(map(tokens.simplified, names)) for names in aliases)
    return reason(new, old, (own, other))


def _sharing(db: sqlite3.Connection, text: str, aka: Iterable[str]) -> list[int]:
    """Return the memories that share the most important words with a text and its aliases, at most `COMPARED`."""
    folded = tokens.fold(" ".join((text, *aka)))
    words = dict.fromkeys([*tokens.plain_terms(folded.lower()), *tokens.signs(folded)])
    stems = tokens.stems(words)
    counts = postings.frequencies(db, {stems.get(word, word) for word in words})
    weights: dict[str, float] = {}
    docs, spent = indexed(db), 0
    for term in sorted(counts, key=lambda t: counts[t])[:RAREST]:
        spent += counts[term]
        if weights and spent > POSTINGS_READ:
            break
        weights[term] = log(1 + docs / counts[term])
    found: defaultdict[int, float] = defaultdict(float)
    for segment in postings.read(db, weights):
        base, weight = segment.page * postings.PAGE, weights[segment.term]
        for offset in segment.docs[-POSTINGS_READ:]:
            found[base + offset] += weight
    least = min(sorted(found.values())[-COMPARED:], default=0.0)  # so that few pairs are sorted
    best = sorted(((weight, rowid) for rowid, weight in found.items() if weight >= least), reverse=True)
    return [rowid for _, rowid in best[:COMPARED]]
