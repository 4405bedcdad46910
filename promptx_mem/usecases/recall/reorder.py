"""The order of found memories, changed by contradictions and by meaning."""

import contextlib

from promptx_mem.errors import StoreError
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.search import pairs, ranking
from promptx_mem.search.ranking import Hit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptx_mem.core.state import State
    from promptx_mem.search.pairs import Pair
    from promptx_mem.search.vectors import Encode, Vector
    from promptx_mem.usecases.recall.store_query import StoreQuery

    Matches = list[tuple[StoreQuery, Hit]]


def arranged_by_contradiction(
    matches: "Matches", queries: "Sequence[StoreQuery]", most: int, *, mark_only: bool = False
) -> "Matches":
    """Mark and order the contradicting pairs in an answer of `most`; add a missing newer one above its older."""
    for query in queries:
        hits = {hit.state.entry.id: hit for of, hit in matches if of is query}
        found = pairs.with_ids(query.cache, hits, query.question.criteria.now) if hits else []
        _mark(found, hits)
        if mark_only:
            continue
        places = {hit.state.entry.id: place for place, (of, hit) in enumerate(matches) if of is query}
        above = [pair for pair in found if places.get(pair.newer.entry.id, most) < places.get(pair.older.entry.id, 0)]
        lesser = {pair.newer.entry.id for pair in above if not pair.is_ordered}
        groups, ages = _groups([pair for pair in found if pair.is_ordered or pair in above])
        for group in groups:
            order = sorted(group, key=lambda ident: (ident in lesser, -ages[ident]))
            matches = _placed(matches, query, order, found)
    return matches[:most]


def _mark(found: "list[Pair]", hits: dict[str, Hit]) -> None:
    for pair in found:
        newer, older = pair.newer.entry.id, pair.older.entry.id
        if older in hits:
            hits[older].see[newer] = pair.is_ordered
        if newer in hits and not pair.is_ordered:
            hits[newer].see[older] = False


def _groups(found: "list[Pair]") -> tuple[list[set[str]], dict[str, int]]:
    """Unite pairs that share a memory; also return the `k` at which each was last stored as the newer one."""
    groups: list[set[str]] = []
    ages: dict[str, int] = {}
    for pair in found:
        newer, older = pair.newer.entry.id, pair.older.entry.id
        ages[newer] = max(ages.get(newer, 0), pair.k if pair.is_ordered else 0)
        ages.setdefault(older, 0)
        joined = {newer, older}
        apart = [group for group in groups if not group & joined]
        groups = [*apart, joined.union(*(group for group in groups if group & joined))]
    return groups, ages


def _placed(matches: "Matches", query: "StoreQuery", order: list[str], found: "list[Pair]") -> "Matches":
    """Move a group to its best place, the newest first; weak matches stay in place, unless newer."""
    of = {hit.state.entry.id: hit for at, hit in matches if at is query and hit.state.entry.id in order}
    strong = [ident for ident in order if ident in of and not of[ident].weak]
    if not strong:
        return matches
    best = max((of[ident] for ident in strong), key=lambda hit: hit.score)
    newest = next((ident for ident in order if ident in of or _fits(query, ident, found)), order[0])
    if newest not in of:
        of[newest] = _lent(newest, found)
    last = order.index(strong[-1])
    strong = [ident for ident in order[: last + 1] if ident in of]
    for ident in strong:
        of[ident].weak = False
    if best.terms and of[newest].score <= best.score and of[newest] is not best:
        of[newest].add(ranking.CORRECTS, best.score - of[newest].score + ranking.CORRECTS.weight)
    moved = {(id(query), of[ident].rowid) for ident in strong}
    place = next(number for number, (at, hit) in enumerate(matches) if (id(at), hit.rowid) in moved)
    rest = [(at, hit) for at, hit in matches if (id(at), hit.rowid) not in moved]
    return [*rest[:place], *((query, of[ident]) for ident in strong), *rest[place:]]


def _fits(query: "StoreQuery", ident: str, found: "list[Pair]") -> bool:
    """Return whether a memory that was not found meets the filters of the question."""
    row = next((pair.rows[0] for pair in found if pair.newer.entry.id == ident and pair.is_ordered), None)
    return row is not None and query.finder.admits(row)


def _lent(ident: str, found: "list[Pair]") -> Hit:
    pair = next(pair for pair in found if pair.newer.entry.id == ident and pair.is_ordered)
    return Hit(pair.rows[0], pair.newer, via=["newer"])


FIRST, NEAREST = 3, 2
LEAST, STRONG = 0.15, 0.25
"""The least cosines for replacing a match and for adding a memory; unrelated prompts have lower ones."""

NAME = "meaning"


def arranged_by_meaning(
    matches: "list[tuple[StoreQuery, Hit]]", queries: "Sequence[StoreQuery]", limit: int, encode: "Encode"
) -> "list[tuple[StoreQuery, Hit]]":
    """Put the two nearest of the memories that have a vector after the first three."""
    found: list[tuple[float, StoreQuery, Hit]] = []
    for query in queries:
        if query.context.origin.is_own:
            found += ((cosine, query, hit) for cosine, hit in _near(query, encode))
    ranked = {(query, hit.rowid): hit for query, hit in matches}
    first = matches[:FIRST]
    known = {(query, hit.rowid) for query, hit in first}
    near: list[tuple[StoreQuery, Hit]] = []
    more = 0
    for cosine, query, hit in sorted(found, key=lambda one: -one[0]):
        if len(near) == NEAREST or cosine < LEAST:
            break
        if (query, hit.rowid) in known:
            continue
        own = ranked.get((query, hit.rowid), hit)
        own.terms[NAME] = cosine
        own.weak = own.weak and cosine < STRONG
        more += own is hit and cosine >= STRONG
        near.append((query, own))
    known |= {(query, hit.rowid) for query, hit in near}
    rest = [(query, hit) for query, hit in matches if (query, hit.rowid) not in known]
    return [*first, *near, *rest][: min(len(matches) + more, limit)]


def _near(query: "StoreQuery", encode: "Encode") -> "Iterator[tuple[float, Hit]]":
    from promptx_mem.search import memories, vectors

    finder = query.finder
    states = memories.facts_at(query.cache, finder.where, finder.params)
    usable = {
        ident: one
        for ident, one in vectors.read(query.context.layout).items()
        if ident in states and one.key == vectors.key_of(words_of(states[ident][1]))
    }
    for ident, cosine in vectors.nearest(finder.criteria.words, usable, encode)[: FIRST + NEAREST]:
        rowid, state = states[ident]
        hit = Hit(rowid, state, via=[NAME])
        hit.weak = True
        yield cosine, hit


def words_of(state: "State") -> str:
    """Return the text that a vector is made from: the memory's text and its aliases."""
    return "; ".join((state.entry.text, *state.entry.aka))


def without_vector(query: "StoreQuery") -> list[str]:
    """Return the texts of a store's active memories that have no vector."""
    from promptx_mem.search import vectors

    stored = vectors.read(query.context.layout)
    return [text for ident, text in _texts(query).items() if _known(stored, ident) != vectors.key_of(text)]


def store_vectors(query: "StoreQuery", computed: "Sequence[Vector]") -> None:
    """Store the vectors of active memories, those that exist and those that were computed, if that is possible."""
    from promptx_mem.search import vectors

    stored = vectors.read(query.context.layout)
    by_key = {one.key: one for one in (*stored.values(), *computed)}
    keys = {ident: vectors.key_of(text) for ident, text in _texts(query).items()}
    good = {ident: by_key[key] for ident, key in keys.items() if key in by_key}
    if good != stored:
        with contextlib.suppress(OSError, StoreError):
            vectors.write(query.context.layout, good)


def _texts(query: "StoreQuery") -> dict[str, str]:
    from promptx_mem.search import memories

    where, params = query.question.criteria._replace(ended=False).where(filtered=False)
    return {ident: words_of(state) for ident, (_, state) in memories.facts_at(query.cache, where, params).items()}


def _known(stored: "dict[str, Vector]", ident: str) -> bytes:
    return stored[ident].key if ident in stored else b""
