"""The order of contradicting memories within one answer."""

from math import inf

from promptx_mem.core.times import DAY
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.search import pairs, ranking
from promptx_mem.search.ranking import Hit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptx_mem.search.pairs import Pair
    from promptx_mem.usecases.recall.question import Matches, StoreQuery

_DOUBTFUL = ("negation", "words of change", "another value")
"""Differences for which a newer memory that the search did not find is not added: too often, the subjects differ."""


def arranged(matches: "Matches", queries: "Sequence[StoreQuery]", most: int, *, mark_only: bool = False) -> "Matches":
    """Mark recent contradicting pairs. Unless `mark_only`, order them, and add missing newer memories.

    In a search by words, pairs of any age are ordered. A list by importance does not depend on old suspicions.
    """
    for query in queries:
        hits, now = {hit.state.entry.id: hit for of, hit in matches if of is query}, query.question.criteria.now
        words = query.finder.criteria.words
        found = pairs.with_ids(query.cache, hits, now, inf if words else pairs.OPEN_DAYS)
        for pair in (pair for pair in found if now - pair.opened < pairs.OPEN_DAYS * DAY):
            newer, older = pair.newer.entry.id, pair.older.entry.id
            if older in hits:
                hits[older].see[newer] = pair.is_ordered
            if newer in hits and not pair.is_ordered:
                hits[newer].see[older] = False
        # a question about a past time gets the memory of that time first
        is_dated = any(term[0] == "@" for one in query.finder.queries() for term, _, _ in one.terms)
        if mark_only or (is_dated and not ranking.wants_current(words)):
            continue
        places = {hit.state.entry.id: place for place, (of, hit) in enumerate(matches) if of is query}
        above = [pair for pair in found if places.get(pair.newer.entry.id, most) < places.get(pair.older.entry.id, 0)]
        lesser = {pair.newer.entry.id for pair in above if not pair.is_ordered}
        groups, ages = _groups([pair for pair in found if pair.is_ordered or pair in above])
        for group in groups:
            order = sorted(group, key=lambda ident: (ident in lesser, -ages[ident]))
            matches = _placed(matches, query, order, found)
    return matches[:most]


def _groups(found: "list[Pair]") -> tuple[list[set[str]], dict[str, int]]:
    """Return groups of memories connected by pairs, and order keys: higher for the newer memory of an ordered pair."""
    groups: list[set[str]] = []
    ages: dict[str, int] = {}
    for pair in found:
        newer, older = pair.newer.entry.id, pair.older.entry.id
        ages[newer] = max(ages.get(newer, 0), pair.k if pair.is_ordered else 0)
        ages.setdefault(older, int(pair.older.first_at * 1_000_000))
        joined = {newer, older}
        apart = [group for group in groups if not group & joined]
        groups = [*apart, joined.union(*(group for group in groups if group & joined))]
    return groups, ages


def _placed(matches: "Matches", query: "StoreQuery", order: list[str], found: "list[Pair]") -> "Matches":
    """Put the memories of a group, in the order `order`, at the place of the first. Add the newest if it is missing.

    If some are strong, weak ones before the last strong one become strong; those after it are not moved.
    """
    of = {hit.state.entry.id: hit for at, hit in matches if at is query and hit.state.entry.id in order}
    strong = [ident for ident in order if ident in of and not of[ident].weak]
    # A newer memory that the search did not find is added if it passes the filters of the query.
    added = [pair for pair in found if pair.is_ordered and pair.reason not in _DOUBTFUL]
    newer = {pair.newer.entry.id: Hit(pair.rows[0], pair.newer, via=["newer"]) for pair in added}
    newest = next(i for i in order if i in of or (i in newer and query.finder.admits(newer[i].rowid)))
    if newest not in of:
        of[newest] = newer[newest]
        of[newest].weak = not strong
    if not strong:
        return _moved(matches, query, [of[ident] for ident in order if ident in of])
    best = max((of[ident] for ident in strong), key=lambda hit: hit.score)
    last = order.index(strong[-1])
    strong = [ident for ident in order[: last + 1] if ident in of]
    for ident in strong:
        of[ident].weak = False
    if best.terms and of[newest].score <= best.score and of[newest] is not best:
        of[newest].add(ranking.CORRECTS, best.score - of[newest].score + ranking.CORRECTS.weight)
    return _moved(matches, query, [of[ident] for ident in strong])


def _moved(matches: "Matches", query: "StoreQuery", group: list[Hit]) -> "Matches":
    """Move the hits of a group, in the given order, to the earliest place that one of them has in `matches`."""
    moved = {(id(query), hit.rowid) for hit in group}
    place = next(number for number, (at, hit) in enumerate(matches) if (id(at), hit.rowid) in moved)
    rest = [(at, hit) for at, hit in matches if (id(at), hit.rowid) not in moved]
    return [*rest[:place], *((query, hit) for hit in group), *rest[place:]]
