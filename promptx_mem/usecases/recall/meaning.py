"""The optional extra `meaning`: computes vectors, and adds the memories nearest in meaning to the query."""

import contextlib
import time
from importlib.util import find_spec

from promptx_mem.errors import StoreError, UsageError
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.search import pairs
from promptx_mem.search.ranking import Hit
from promptx_mem.usecases import vectors
from promptx_mem.usecases.recall.question import DEFAULT_COUNT, Cues, Matches, StoreQuery, difference, open_stores

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptx_mem.core.state import State
    from promptx_mem.usecases.context import Context
    from promptx_mem.usecases.vectors import Encode, Vector

FIRST, NEAREST = 3, 2
LEAST, STRONG = 0.15, 0.25
"""Minimum cosines: with LEAST, a memory can replace the last match; with STRONG, it is an extra match."""

NAME = "meaning"


def arranged(matches: "Matches", queries: "Sequence[StoreQuery]", cues: Cues) -> "Matches":
    """Put up to two memories nearest in meaning to the query after the first three results.

    First compute missing vectors, unless `cues.stored_vectors` is set.
    """
    limit, encode = cues.count or max(DEFAULT_COUNT, len(matches)), vectors.encoder()
    queries = [query for query in queries if query.context.origin.is_own]
    for query in () if cues.stored_vectors else queries:
        if texts := _update(query):
            _update(query, [vectors.vector_of(text, encode) for text in texts])
    found = [(cosine, query, hit) for query in queries for cosine, hit in _near(query, encode)]
    ranked = {(query, hit.rowid): hit for query, hit in matches}
    first = matches[:FIRST]
    known = {(query, hit.rowid) for query, hit in first}
    found = [one for one in found if one[0] >= LEAST and (one[1], one[2].rowid) not in known]
    near: list[tuple[StoreQuery, Hit]] = []
    more = 0
    for cosine, query, hit in sorted(found, key=lambda one: -one[0])[:NEAREST]:
        own = ranked.get((query, hit.rowid), hit)
        own.terms[NAME] = cosine
        own.weak = own.weak and cosine < STRONG
        more += own is hit and cosine >= STRONG
        near.append((query, own))
    return [*first, *near, *difference(matches, [*first, *near])][: min(len(matches) + more, limit)]


def _near(query: "StoreQuery", encode: "Encode") -> "Iterator[tuple[float, Hit]]":
    finder = query.finder
    states = pairs.facts_at(query.cache, finder.where, finder.params)
    usable = {
        ident: one
        for ident, one in vectors.read(query.context.layout).items()
        if ident in states and one.key == vectors.key_of(_words_of(states[ident][1]))
    }
    for ident, cosine in vectors.nearest(finder.criteria.words, usable, encode)[: FIRST + NEAREST]:
        rowid, state = states[ident]
        hit = Hit(rowid, state, via=[NAME])
        hit.weak = True
        yield cosine, hit


def _words_of(state: "State") -> str:
    """Return the text from which a memory's vector is computed: the memory's text and aliases."""
    return "; ".join((state.entry.text, *state.entry.aka))


def _update(query: "StoreQuery", computed: "Sequence[Vector]" = ()) -> list[str]:
    """Add the `computed` vectors to the stored ones, and remove outdated ones. Errors of the file are ignored.

    Return the texts of the store's active memories without a vector, except conversations.
    """
    stored = vectors.read(query.context.layout)
    by_key = {one.key: one for one in (*stored.values(), *computed)}
    where, params = query.question.criteria._replace(ended=False).where(filtered=False)
    states = pairs.facts_at(query.cache, where, params).items()
    texts = {ident: _words_of(state) for ident, (_, state) in states}
    keys = {ident: vectors.key_of(text) for ident, text in texts.items()}
    good = {ident: by_key[key] for ident, key in keys.items() if key in by_key}
    if good != stored:
        with contextlib.suppress(OSError, StoreError):
            vectors.write(query.context.layout, good)
    return [text for ident, text in texts.items() if ident not in good]


STEP = 0.01
"""After this number of seconds, `step` starts no new vector."""


class Meaning:
    """The computation of missing vectors between calls. `is_installed`: whether the extra `meaning` is installed."""

    def __init__(self) -> None:
        self.is_installed = find_spec(vectors.PACKAGE) is not None
        self.encode: Encode | None = None
        self._texts: list[str] = []
        self._tried: set[str] = set()
        """Texts whose vectors were computed. They are not computed again, even if no vector can be stored."""
        self._computed: list[Vector] = []

    def load(self) -> None:
        """Load the encoder and use it once, which takes one or two seconds. If it is missing, `encode` stays None."""
        with contextlib.suppress(UsageError, OSError):
            encode = vectors.encoder()
            encode([""])
            self.encode = encode

    def step(self, context: "Context") -> bool:
        """Compute vectors for 10 ms. Without texts, first store vectors and find more texts. Return False if done."""
        if self.encode is None:
            return False
        if not self._texts:
            with contextlib.ExitStack() as stack:
                for query in open_stores(context, Cues(), None, stack)[0]:
                    if query.context.origin.is_own:
                        self._texts += [one for one in _update(query, self._computed) if one not in self._tried]
            self._computed = []
            self._tried.update(self._texts)
        end = time.monotonic() + STEP
        while self._texts and time.monotonic() < end:
            self._computed.append(vectors.vector_of(self._texts.pop(), self.encode))
        return bool(self._computed)
