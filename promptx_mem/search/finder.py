"""Search and ranking of memories in one cache or in two at once. `cues` has the searches by topic, date and importance.

The score by words is about 0-1, more for a memory that is equal to the query. The topic score of source 004
(docs/design.md) is between 0.45 and 2.16; divided by its maximum, it is 0.2-1. If words and topic find a memory, both
scores are added. Importance and recency add so little that they only decide between memories of similar relevance.
In a search of two caches, words are weighed by the statistics of both (docs/decisions.md).
"""

from promptx_mem.core import state as order
from promptx_mem.core.entry import LONG, PERMANENT
from promptx_mem.core.ids import make_id
from promptx_mem.core.state import OWN, State, is_unscored, lives
from promptx_mem.core.times import DAY
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.search import candidates, postings, ranking
from promptx_mem.search.candidates import Corpus, Match, corpus
from promptx_mem.search.query import Criteria, Query, parse_query
from promptx_mem.search.ranking import ALIAS, LENT_WORD, OWN_WORD, Hit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from promptx_mem.search.cache import Cache

RECENT_DAYS = 30.0

_FULL_IMPORTANCE = 3.0


class Finder:
    """One search in one cache. If `own` is False, the store is from a clone, and its memories' importance is limited.

    `talks` is the index of messages, if messages are searched too.
    """

    def __init__(self, cache: "Cache", criteria: "Criteria", *, own: bool = True, talks: "Cache | None" = None) -> None:
        self.cache = cache
        self.talks = talks
        self.db = cache.db
        self.criteria = criteria
        self.own = own
        self.whole: list[Corpus] | None = None
        """Statistics about all searched caches, to weigh each query's words; None if only this cache is searched."""
        self._queries: list[Query] = []
        self.where, self.params = criteria.where()

    def find(self, count: int | None, topics: int) -> list[Hit]:
        """Return at most `count` hits, the best first, or by time if the search has only dates.

        If `count` is None: 10, or all if there are only dates and no `newest`. `topics` limits the hits of each path.
        """
        if count is not None:  # 2**63 - 1 is SQLite's largest number
            count = min(count, max(self.total(), 1))
        topics = min(topics, 1 << 40)
        if self.criteria.words or self.criteria.paths:
            return self._by_cues(10 if count is None else count, topics)
        from promptx_mem.search import cues

        if self.criteria.spans:
            return cues.by_date(self.cache, self.criteria, count, self.talks)
        return cues.by_importance(self.cache, self.criteria, 10 if count is None else count, own=self.own)

    def queries(self) -> "list[Query]":
        """Return the parsed query, and each parsed alternative query."""
        if not self._queries:
            today, groups = self.criteria.today, self.criteria.spellings
            every = (self.criteria.words, *self.criteria.otherwise)
            read = ((parse_query(words, today=today, groups=groups), words) for words in every)
            self._queries = [candidates.corrected(self.db, query, words) for query, words in read]
        return self._queries

    def _by_cues(self, count: int, topics: int) -> list[Hit]:
        hits: dict[int, Hit] = {}
        if self.criteria.words:
            self._by_words(hits, candidates.found(count))
            if self.talks is not None:
                from promptx_mem.search import messages

                messages.MessageSearch(self.talks, self.db, self.criteria).add(hits, self.queries(), count)
        for path in self.criteria.paths:
            from promptx_mem.search import cues

            cues.by_topic(hits, path, topics, self.cache, self.criteria)
        if self.criteria.words:  # without words, the ranking is that of source 004
            for hit in hits.values():
                self._break_ties(hit)
            if self.own:
                ranking.lift_rules(hits.values(), postings.rowids(self.db, postings.RULE))
            if ranking.wants_current(self.criteria.words):
                from promptx_mem.search import cues

                cues.favour_newer(list(hits.values()), lambda hit: self.noted(hit.state))
                cues.add_corrections(hits, self.cache, self.criteria, self.admits)
        return [hit for _, hit in _ordered([(self, hit) for hit in hits.values()], count)]

    def admits(self, rowid: int) -> bool:
        """Return whether a memory passes the filters, and the phrases and exclusions of at least one of the queries."""
        conditions = (candidates.Conditions(self.db, query, self.where, self.params) for query in self.queries())
        return any(one.passing([rowid]) for one in conditions)

    def is_over(self, hit: Hit) -> bool:
        """Return whether a hit is an expired conversation that this search lists after the active memories."""
        return bool(self.criteria.words) and not self.criteria.ended and not lives(hit.state, self.criteria.now)

    def _by_words(self, hits: dict[int, Hit], limit: int) -> None:
        matches = self._matches(limit)
        states = self.cache.states_at([match.rowid for match in matches])
        for match in matches:
            state, of_aliases = states[match.rowid], frozenset[str]()
            if state.entry.aka:
                from promptx_mem.search import meant

                counts = not self.criteria.scored or self.is_own(state)
                found = meant.by_aliases(match, state, self.queries(), self.db, self.whole, counts=counts)
                match, of_aliases = found  # noqa: PLW2901 - only counted words
                if not match.terms:
                    continue
            hit = hits.setdefault(match.rowid, Hit(match.rowid, state))
            for term, part in match.terms.items():
                name = LENT_WORD if term in match.lent else ALIAS if term in of_aliases else OWN_WORD
                hit.terms[f"{name}{term}"] = part
            whole = match.score - sum(match.terms.values())
            if whole > 1e-9:
                hit.add(ranking.WHOLE, whole)
            hit.via.append("words")
            hit.weak = match.weak

    def _matches(self, limit: int) -> "list[Match]":
        """Return the matches of all queries. If several queries find a memory, its best match counts, not the sum."""
        best: dict[int, Match] = {}
        for number, query in enumerate(self.queries()):
            corpus = self.whole[number] if self.whole else None
            hits = candidates.search(self.db, query, limit=limit, where=self.where, params=self.params, whole=corpus)
            for match in hits:
                rival = best.get(match.rowid, match)
                better = match if match.score >= rival.score else rival
                best[match.rowid] = better._replace(weak=match.weak and rival.weak)
        return list(best.values())

    def total(self) -> int:
        """Return the number of memories (including ended ones) plus conversations with unsummarised messages."""
        if self.talks is None:
            return self.cache.total()
        from promptx_mem.search import messages

        return self.cache.total() + messages.waiting(self.talks)

    def _break_ties(self, hit: Hit) -> None:
        state, now = hit.state, self.criteria.now
        fade = order.faded if self.own else order.faded_limited
        importance = fade(state.importance, state.category, state.duration, now - state.accessed)
        worth = min(importance / _FULL_IMPORTANCE, 1.0)
        hit.add(ranking.IMPORTANCE, ranking.IMPORTANCE.weight * worth)
        if self.is_own(state):  # so that own memories are first on a tie
            age = max(now - state.fresh_at, 0.0) / DAY
            hit.add(ranking.RECENCY, ranking.RECENCY.weight / (1.0 + age / RECENT_DAYS))
            hit.add(ranking.LASTING, ranking.LASTING.weight * (state.duration in (LONG, PERMANENT)))

    def is_own(self, state: State) -> bool:
        return self.own and state.origin == OWN

    def noted(self, state: State) -> float:
        """Return the time of recording for the ranking. In a store that is not the user's, future times become now."""
        return state.first_at if self.own else min(state.first_at, self.criteria.now)


def weigh_together(finders: "Sequence[Finder]") -> None:
    """Weigh the words of a search in several caches by the statistics of all caches."""
    for finder in finders:
        finder.whole = [corpus(query, *(other.db for other in finders)) for query in finder.queries()]


def merged(searches: "Iterable[tuple[Finder, Sequence[Hit]]]", count: int | None) -> "list[tuple[Finder, Hit]]":
    """Merge the results of one search in several stores. Return at most `count`, and each text once.

    Of memories with the same text, a scored memory is preferred, then a memory in the user's own store, then a memory
    in the last store. The kept memory keeps its own score.
    """
    every = [(number, finder, hit) for number, (finder, hits) in enumerate(searches) for hit in hits]
    best: dict[str, tuple[tuple[bool, bool, int], Finder, Hit]] = {}
    for number, finder, hit in sorted(every, key=lambda item: _order_of(*item[1:])):
        text = make_id(hit.state.entry.text)
        claim = not is_unscored(hit.state, finder.criteria.now), finder.own, number
        if text not in best or claim > best[text][0]:
            best[text] = claim, finder, hit
    pairs = [(finder, hit) for _, finder, hit in best.values()]
    return _ordered(pairs, count, lifts=all(finder.own for finder, _ in pairs))


def _ordered(pairs: "list[tuple[Finder, Hit]]", count: int | None, *, lifts: bool = True) -> "list[tuple[Finder, Hit]]":
    """Return the best results, the best first, unscored memories last.

    In a search by words, nearly equal texts come one after the other; ended conversations, then weak hits come last.
    With `lifts`, a later memory on a subject can come before earlier ones (`lift_later`).
    """
    pairs = sorted(pairs, key=lambda pair: _order_of(*pair))
    if pairs and pairs[0][0].criteria.words:
        finders = {id(hit): finder for finder, hit in pairs}

        def noted(hit: Hit) -> float:
            return finders[id(hit)].noted(hit.state)

        living = [hit for finder, hit in pairs if not finder.is_over(hit)]
        over = [hit for finder, hit in pairs if finder.is_over(hit)]
        hits = sorted([*ranking.together(living, noted), *over], key=lambda hit: hit.weak)
        if lifts:
            ranking.lift_later(hits, noted)
        pairs = [(finders[id(hit)], hit) for hit in hits]
    return sorted(pairs, key=lambda pair: is_unscored(pair[1].state, pair[0].criteria.now))[:count]


def _order_of(finder: "Finder", hit: "Hit") -> tuple[float, ...] | tuple[float | str, ...]:
    state, criteria = hit.state, finder.criteria
    noted = finder.noted(state)
    if criteria.words or criteria.paths:
        return -round(hit.score, 9), not finder.is_own(state), -noted, state.entry.id
    if criteria.spans:
        return (-state.first_at, hit.rowid) if criteria.newest else (state.first_at, hit.rowid)
    accessed = state.accessed if finder.own else min(state.accessed, criteria.now)
    band = order.band(state) if finder.own else max(order.band(state), order.BAND_OTHER)
    return band, -hit.score, not finder.is_own(state), -accessed, -noted, state.entry.id
