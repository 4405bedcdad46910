"""recall --meaning: after the first three of the ranking come the two memories nearest by vectors of meaning."""

import contextlib
from typing import TYPE_CHECKING

from promptx_mem.errors import StoreError
from promptx_mem.search import memories, vectors
from promptx_mem.search.ranking import Hit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptx_mem.core.state import State
    from promptx_mem.search.vectors import Encode, Vector
    from promptx_mem.usecases.recall.side import Side

FIRST, NEAREST = 3, 2
LEAST, STRONG = 0.15, 0.25
"""Cosine from which a memory takes the place of a match, and from which it is one more: unrelated prompts lie below."""

NAME = "meaning"


def arranged(
    matches: "list[tuple[Side, Hit]]", sides: "Sequence[Side]", limit: int, encode: "Encode"
) -> "list[tuple[Side, Hit]]":
    """Put the two nearest behind the first three; vectors that are missing are computed."""
    found: list[tuple[float, Side, Hit]] = []
    for side in sides:
        if side.context.origin.is_own:
            found += ((cosine, side, hit) for cosine, hit in _near(side, encode))
    ranked = {(side, hit.rowid): hit for side, hit in matches}
    first = matches[:FIRST]
    known = {(side, hit.rowid) for side, hit in first}
    near: list[tuple[Side, Hit]] = []
    more = 0
    for cosine, side, hit in sorted(found, key=lambda one: -one[0]):
        if len(near) == NEAREST or cosine < LEAST:
            break
        if (side, hit.rowid) in known:
            continue
        own = ranked.get((side, hit.rowid), hit)
        own.terms[NAME] = cosine
        own.weak = own.weak and cosine < STRONG
        more += own is hit and cosine >= STRONG
        near.append((side, own))
    known |= {(side, hit.rowid) for side, hit in near}
    rest = [(side, hit) for side, hit in matches if (side, hit.rowid) not in known]
    return [*first, *near, *rest][: min(len(matches) + more, limit)]


def _near(side: "Side", encode: "Encode") -> "Iterator[tuple[float, Hit]]":
    finder = side.finder
    states = memories.facts_at(side.cache, finder.where, finder.params)
    stored = filled(side, encode)
    usable = {
        ident: stored[ident]
        for ident, (_, state) in states.items()
        if ident in stored and stored[ident].key == vectors.key_of(words_of(state))
    }
    for ident, cosine in vectors.nearest(finder.criteria.words, usable, encode)[: FIRST + NEAREST]:
        rowid, state = states[ident]
        hit = Hit(rowid, state, via=[NAME])
        hit.weak = True
        yield cosine, hit


def words_of(state: "State") -> str:
    """Return what a vector is made of: a text and its aliases."""
    return "; ".join((state.entry.text, *state.entry.aka))


def missing(side: "Side", stored: "dict[str, Vector]") -> "tuple[dict[str, Vector], dict[str, str]]":
    """Return the vectors that are still of an active memory, and the texts of memories that have none, by id."""
    where, params = side.question.criteria._replace(ended=False).where(filtered=False)
    texts = {ident: words_of(state) for ident, (_, state) in memories.facts_at(side.cache, where, params).items()}
    good = {i: one for i, one in stored.items() if i in texts and one.key == vectors.key_of(texts[i])}
    return good, {ident: text for ident, text in texts.items() if ident not in good}


def filled(side: "Side", encode: "Encode") -> "dict[str, Vector]":
    """Compute what is missing, and write it where that can be written."""
    stored = vectors.read(side.context.layout)
    good, texts = missing(side, stored)
    good |= {ident: vectors.vector_of(text, encode) for ident, text in texts.items()}
    if texts or len(good) != len(stored):
        with contextlib.suppress(OSError, StoreError):
            vectors.write(side.context.layout, good)
    return good
