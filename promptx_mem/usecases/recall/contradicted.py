"""The order of memories that may contradict each other, within one answer: the newer directly above the older."""

from typing import TYPE_CHECKING

from promptx_mem.search import pairs, ranking
from promptx_mem.search.ranking import Hit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptx_mem.search.pairs import Pair
    from promptx_mem.usecases.recall.side import Side

    Matches = list[tuple[Side, Hit]]


def arranged(matches: "Matches", sides: "Sequence[Side]", most: int, *, mark_only: bool = False) -> "Matches":
    """Mark and arrange the pairs in an answer of at most so many; a newer one that it lacks is put above its older."""
    for side in sides:
        hits = {hit.state.entry.id: hit for of, hit in matches if of is side}
        found = pairs.beside(side.cache, hits, side.question.criteria.now) if hits else []
        _mark(found, hits)
        if mark_only:
            continue
        groups, ages = _groups([pair for pair in found if pair.is_ordered])
        for group in groups:
            matches = _placed(matches, side, sorted(group, key=lambda ident: -ages[ident]), found)
    return matches[:most]


def _mark(found: "list[Pair]", hits: dict[str, Hit]) -> None:
    for pair in found:
        newer, older = pair.newer.entry.id, pair.older.entry.id
        if older in hits:
            hits[older].see[newer] = pair.is_ordered
        if newer in hits and not pair.is_ordered:
            hits[newer].see[older] = False


def _groups(found: "list[Pair]") -> tuple[list[set[str]], dict[str, int]]:
    """Unite pairs that share a memory; of each memory the `k` at which it was last stored as the newer one."""
    groups: list[set[str]] = []
    ages: dict[str, int] = {}
    for pair in found:
        newer, older = pair.newer.entry.id, pair.older.entry.id
        ages[newer] = max(ages.get(newer, 0), pair.k)
        ages.setdefault(older, 0)
        joined = {newer, older}
        apart = [group for group in groups if not group & joined]
        groups = [*apart, joined.union(*(group for group in groups if group & joined))]
    return groups, ages


def _placed(matches: "Matches", side: "Side", order: list[str], found: "list[Pair]") -> "Matches":
    """Put a group where the best of it is, the newest first; what matches weakly stays where it is, unless newer."""
    of = {hit.state.entry.id: hit for at, hit in matches if at is side and hit.state.entry.id in order}
    strong = [ident for ident in order if ident in of and not of[ident].weak]
    if not strong:
        return matches
    best = max((of[ident] for ident in strong), key=lambda hit: hit.score)
    newest = next((ident for ident in order if ident in of or _fits(side, ident, found)), order[0])
    if newest not in of:
        of[newest] = _lent(newest, found)
    last = order.index(strong[-1])
    strong = [ident for ident in order[: last + 1] if ident in of]
    for ident in strong:
        of[ident].weak = False
    if best.terms and of[newest].score <= best.score and of[newest] is not best:
        of[newest].add(ranking.CORRECTS, best.score - of[newest].score + ranking.CORRECTS.weight)
    moved = {(id(side), of[ident].rowid) for ident in strong}
    place = next(number for number, (at, hit) in enumerate(matches) if (id(at), hit.rowid) in moved)
    rest = [(at, hit) for at, hit in matches if (id(at), hit.rowid) not in moved]
    return [*rest[:place], *((side, of[ident]) for ident in strong), *rest[place:]]


def _fits(side: "Side", ident: str, found: "list[Pair]") -> bool:
    """Tell whether a memory that was not found meets the filters of the question."""
    row = next((pair.rows[0] for pair in found if pair.newer.entry.id == ident and pair.is_ordered), None)
    return row is not None and side.finder.admits(row)


def _lent(ident: str, found: "list[Pair]") -> Hit:
    pair = next(pair for pair in found if pair.newer.entry.id == ident and pair.is_ordered)
    return Hit(pair.rows[0], pair.newer, via=["newer"])
