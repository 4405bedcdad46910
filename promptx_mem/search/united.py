"""One search in two caches: words weighed by what both hold, matches in one order (docs/decisions/0018)."""

from functools import reduce
from typing import TYPE_CHECKING

from promptx_mem.core import order
from promptx_mem.core.ids import make_id
from promptx_mem.core.state import is_unscored
from promptx_mem.search import alike
from promptx_mem.search.candidates import Corpus, corpus
from promptx_mem.search.hit import by_certainty

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from promptx_mem.search.finder import Finder
    from promptx_mem.search.hit import Hit
    from promptx_mem.search.query import Query


def weigh(finders: "Sequence[Finder]") -> None:
    """Let searches of the same words weigh them by all their caches together."""
    if finders[0].criteria.words:
        whole: dict[Query, Corpus] = {}
        for finder in finders:
            queries = finder.queries()
            for query in queries:
                if query not in whole:  # each store has spellings of its own
                    united = (corpus(other.db, query) for other in finders)
                    whole[query] = reduce(Corpus.united, united)
            finder.whole = [whole[query] for query in queries]


def merged(searches: "Iterable[tuple[Finder, Sequence[Hit]]]", count: int | None) -> "list[tuple[Finder, Hit]]":
    """Return what several searches of the same cues have found, in one order, each text once, `count` at most.

    A text that several stores hold is that of a store that is the user's own, and then of the last of them; it stands
    where that one would, whatever the others claim.
    """
    every = [(number, finder, hit) for number, (finder, hits) in enumerate(searches) for hit in hits]
    best: dict[str, tuple[int, Finder, Hit]] = {}
    for number, finder, hit in sorted(every, key=lambda item: _place(*item[1:])):
        text = make_id(hit.state.entry.text)
        former = best.get(text)
        if former is None or _claim(number, finder, hit) > _claim(*former):
            best[text] = number, finder, hit
    pairs = sorted(((finder, hit) for _, finder, hit in best.values()), key=lambda pair: _place(*pair))
    if pairs and pairs[0][0].criteria.words:
        pairs = _together(pairs)
    return sorted(pairs, key=lambda pair: _is_unscored(*pair))[:count]


def _claim(number: int, finder: "Finder", hit: "Hit") -> tuple[bool, bool, int]:
    return not _is_unscored(finder, hit), finder.own, number


def _is_unscored(finder: "Finder", hit: "Hit") -> bool:
    return is_unscored(hit.state, finder.criteria.now)


def _together(pairs: "list[tuple[Finder, Hit]]") -> "list[tuple[Finder, Hit]]":
    """Order what words have found as one store would: what says nearly the same together, what is over last."""
    finders = {id(hit): finder for finder, hit in pairs}
    living = [hit for finder, hit in pairs if not finder.is_over(hit)]
    over = [hit for finder, hit in pairs if finder.is_over(hit)]
    ordered = by_certainty([*alike.together(living, lambda hit: finders[id(hit)].noted(hit.state)), *over])
    return [(finders[id(hit)], hit) for hit in ordered]


def _place(finder: "Finder", hit: "Hit") -> tuple[float, ...] | tuple[float | str, ...]:
    state, criteria = hit.state, finder.criteria
    noted = finder.noted(state)
    if criteria.words or criteria.paths:
        return -round(hit.score, 9), -noted, state.entry.id
    if criteria.spans:
        return (-state.first_at, hit.rowid) if criteria.newest else (state.first_at, hit.rowid)
    accessed = state.accessed if finder.own else min(state.accessed, criteria.now)
    band = order.band(state) if finder.own else max(order.band(state), order.OTHER)
    return band, -hit.score, -accessed, -noted, state.entry.id
