"""Find and rank: by words, by topic paths, by date, by worth. Words and topics are merged on one scale.

A lexical score is about 0-1 (over 1 for a memory that is the query). A topic score of source 004 lies between 0.45
and 2.16, which is the greatest there can be: divided by that it is 0.2-1. What both find has the sum of the two.
Importance and recency are small terms that decide between memories of like relevance.
"""

from typing import TYPE_CHECKING, Any

from promptx_mem.core import order, origin
from promptx_mem.core.entry import LONG, PERMANENT
from promptx_mem.core.state import State, importance_at, is_unscored, lives
from promptx_mem.core.times import DAY
from promptx_mem.search import alike, lexical, memories, postings, ranking, rows, standing
from promptx_mem.search.criteria import UNSCORED
from promptx_mem.search.hit import ALIAS, LENT, OWN_WORD, Hit, by_certainty
from promptx_mem.search.portions import portions
from promptx_mem.search.query import parse_query

if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptx_mem.core.topics import Binding, Path
    from promptx_mem.search.cache import Cache
    from promptx_mem.search.candidates import Corpus
    from promptx_mem.search.criteria import Criteria
    from promptx_mem.search.importance import Ranked
    from promptx_mem.search.query import Query
    from promptx_mem.search.scoring import Match

TOPIC_SCALE = 2.16
RECENT_DAYS = 30.0

_FULL_IMPORTANCE = 3.0
_NARROW = 2_000
_ENDED = 10  # of so many rules most may have ended


class Finder:
    """One search in one cache. `own` False: what came with a clone, lifted no further than `core.origin` lets it.

    `talks` is the index of what was said, where that is to be found too.
    """

    def __init__(self, cache: "Cache", criteria: "Criteria", *, own: bool = True, talks: "Cache | None" = None) -> None:
        self.cache = cache
        self.talks = talks
        self.db = cache.db
        self.criteria = criteria
        self.own = own
        self.whole: list[Corpus] | None = None
        """What the words are weighed by, where more than this cache is searched."""
        self._queries: list[Query] = []
        self.where, self.params = criteria.where()

    def find(self, count: int | None, topics: int) -> list[Hit]:
        """Return hits, best first: `count` at most, or everything of a date that stands alone where it is None.

        `topics` bounds what each topic path gives.
        """
        if count is not None:  # SQLite takes no greater number than 2**63 - 1
            count = min(count, max(self._total(), 1))
        topics = min(topics, 1 << 40)
        if self.criteria.words or self.criteria.paths:
            return self._by_cues(10 if count is None else count, topics)
        if self.criteria.spans:
            return self._by_date(count)
        return self._by_importance(10 if count is None else count)

    def queries(self) -> "list[Query]":
        """The words, and each way in which they were asked otherwise, read."""
        if not self._queries:
            today, groups = self.criteria.today, self.criteria.spellings
            every = (self.criteria.words, *self.criteria.otherwise)
            self._queries = [parse_query(words, today=today, groups=groups) for words in every]
        return self._queries

    def _by_cues(self, count: int, topics: int) -> list[Hit]:
        hits: dict[int, Hit] = {}
        if self.criteria.words:
            self._by_words(hits, lexical.found(count))
            if self.talks is not None:
                from promptx_mem.search import sayings

                sayings.Search(self.talks, self.db, self.criteria).add(hits, self.queries(), count)
        for path in self.criteria.paths:
            self._by_topic(hits, path, topics)
        if self.criteria.words:  # a topic alone is ranked by source 004 and nothing else
            for hit in hits.values():
                self._break_ties(hit)
                if self.criteria.favour and self.criteria.favour.holds(hit.state, weak=hit.weak):
                    hit.add(ranking.THEN, ranking.THEN.weight * hit.score)
            standing.lift(hits.values(), own=self.own)
            if alike.asks_for_now(self.criteria.words):
                alike.favour_newer(list(hits.values()), lambda hit: self.noted(hit.state))
                from promptx_mem.search.corrections import Search

                Search(self.cache, self.criteria, (self.where, self.params)).add(hits)
        ranked = sorted(hits.values(), key=self._order)
        if self.criteria.words:
            over = [hit for hit in ranked if self.is_over(hit)]
            living = [hit for hit in ranked if not self.is_over(hit)]
            ranked = by_certainty([*alike.together(living, lambda hit: self.noted(hit.state)), *over])
        return sorted(ranked, key=lambda hit: is_unscored(hit.state, self.criteria.now))[:count]

    def admits(self, rowid: int) -> bool:
        """Tell whether a memory meets the filters of the question."""
        sql = f"SELECT 1 FROM memories WHERE rowid = ? AND {self.where}"  # noqa: S608 - conditions of ours
        return self.db.execute(sql, (rowid, *self.params)).fetchone() is not None

    def rules(self) -> list[Hit]:
        """Return the rules and preferences that share a content word with the question, those that share most first.

        Nothing of a store that is not own, or that has more than `standing.MANY` of them.
        """
        if not (self.own and self.criteria.words):
            return []
        rowids = postings.rowids(self.db, lexical.RULE)
        if len(rowids) > _ENDED * standing.MANY:
            return []
        found = []
        for marks, some in portions(rowids):
            sql = f"SELECT * FROM memories WHERE rowid IN ({marks}) AND {self.where}"  # noqa: S608 - conditions of ours
            found += self.db.execute(sql, (*some, *self.params)).fetchall()
        rules = [Hit(row["rowid"], rows.to_state(row), via=["rule"]) for row in found]
        return standing.about(rules, self.queries())

    def is_over(self, hit: Hit) -> bool:
        """Tell of a conversation whose time is over: by words it comes after what lives."""
        return bool(self.criteria.words) and not self.criteria.ended and not lives(hit.state, self.criteria.now)

    def _order(self, hit: Hit) -> tuple[bool, float, float, str]:
        """Best first."""
        return self.is_over(hit), -round(hit.score, 9), -self.noted(hit.state), hit.state.entry.id

    def _by_words(self, hits: dict[int, Hit], limit: int) -> None:
        matches = self._matches(limit)
        states = memories.those_at(self.cache, [match.rowid for match in matches])
        for match in matches:
            state, of_aliases = states[match.rowid], frozenset[str]()
            if state.entry.aka:
                match, of_aliases = self._by_aliases(match, state)  # noqa: PLW2901 - what counts of it
                if not match.terms:
                    continue
            hit = hits.setdefault(match.rowid, Hit(match.rowid, state))
            for term, part in match.terms.items():
                name = LENT if term in match.lent else ALIAS if term in of_aliases else OWN_WORD
                hit.terms[f"{name}{term}"] = part
            whole = match.score - sum(match.terms.values())
            if whole > 1e-9:
                hit.add(ranking.WHOLE, whole)
            hit.via.append("words")
            hit.weak = match.weak

    def _by_aliases(self, match: "Match", state: State) -> "tuple[Match, frozenset[str]]":
        """Return a match, and its words that only aliases have; what a hook finds has none of a memory not own."""
        from promptx_mem.search import aliases

        query = max(self.queries(), key=lambda one: len(match.terms.keys() & {word for _, _, word in one.terms}))
        words = aliases.only(state, query).intersection(match.terms) - match.lent
        if words and self.criteria.scored and not (self.own and state.origin == origin.OWN):
            return aliases.without(match, words, self.db, query), frozenset()
        return match, words

    def _matches(self, limit: int) -> "list[Match]":
        """What each question finds; of a memory that several find the best match counts, not their sum."""
        best: dict[int, Match] = {}
        for number, query in enumerate(self.queries()):
            corpus = self.whole[number] if self.whole else None
            hits = lexical.search(self.db, query, limit=limit, where=self.where, params=self.params, whole=corpus)
            for match in hits:
                rival = best.get(match.rowid, match)
                better = match if match.score >= rival.score else rival
                best[match.rowid] = better._replace(weak=match.weak and rival.weak)
        return list(best.values())

    def _by_topic(self, hits: dict[int, Hit], path: "Path", limit: int) -> None:
        """Collect by source 004; what is hidden or refused by a filter is no candidate."""
        from promptx_mem.core.paths import format_path
        from promptx_mem.core.topics import collect
        from promptx_mem.search.labels import binding, has_topic

        bindings: dict[str, int] = {}

        def lookup(node: "Path", newest: int | None) -> "Sequence[Binding]":
            records = self.db.execute(
                "SELECT memories.rowid AS row, id, noted, extra FROM topics "  # noqa: S608 - conditions of ours
                "JOIN memories ON memories.rowid = topics.row "
                f"WHERE path = ? AND bound = 1 AND {self.where.replace('rowid IN', 'memories.rowid IN')} "
                "ORDER BY noted DESC, id LIMIT ?",
                (format_path(node), *self.params, -1 if newest is None else newest),
            ).fetchall()
            bindings.update((row["id"], row["row"]) for row in records)
            return [binding(row, node) for row in records]

        for match in collect(path, lookup, lambda node: has_topic(self.cache, node), self.criteria.now, limit):
            rowid = bindings[match.binding.id]
            hit = hits.setdefault(rowid, Hit(rowid, memories.at(self.cache, rowid)))
            score = match.score
            parts = {
                f"topic {match.source}": score.source,
                "topic recency": score.recency,
                "topic activation": score.activation,
                "topic independence": score.context_independence,
                "topic relation": score.relation,
            }
            terms = {name: ranking.TOPIC.weight * part / TOPIC_SCALE for name, part in parts.items()}
            topic_terms = {name: part for name, part in hit.terms.items() if name.startswith("topic ")}
            hit.weak = False
            if sum(terms.values()) > sum(topic_terms.values()):  # two paths found it: its best way counts
                hit.terms = {name: part for name, part in hit.terms.items() if name not in topic_terms} | terms
                hit.via = [way for way in hit.via if not way.startswith("topic")] + [f"topic {match.source}"]

    def _by_date(self, count: int | None) -> list[Hit]:
        if self.criteria.newest:
            count = 10 if count is None else count
        limit = "" if count is None else f" LIMIT {int(count)}"
        down = " DESC" if self.criteria.newest else ""
        ordered = f"ORDER BY {UNSCORED}, first_at{down}, rowid{down}{limit}"
        sql = f"SELECT * FROM memories WHERE {self.where} {ordered}"  # noqa: S608 - conditions of ours
        params = [*self.params, self.criteria.now]
        hits = [Hit(row["rowid"], rows.to_state(row), via=["date"]) for row in self.db.execute(sql, params)]
        if self.talks is None:
            return hits
        from promptx_mem.search import sayings

        return sayings.Search(self.talks, self.db, self.criteria).of_dates(hits)[:count]

    def _total(self) -> int:
        """How much there is to be found at most."""
        if self.talks is None:
            return memories.total(self.cache)
        from promptx_mem.search import sayings

        return memories.total(self.cache) + sayings.waiting(self.talks)

    def _by_importance(self, count: int) -> list[Hit]:
        """Return the most important matches in the order of `core.order`; unscored ones follow all others."""
        from promptx_mem.search import importance

        now = self.criteria.now
        if self.criteria.is_filtered() or self.criteria.ended:
            scored = f"{self.where} AND NOT {UNSCORED}", [*self.params, now]
            ranked = self._most_important(count, *scored)
        else:
            facts = importance.facts(self.cache, now, count, own=self.own)
            talks = importance.talks(self.cache, now, count, own=self.own)
            of_facts, of_talks = order.shares(count, importance.active(self.cache, now) - len(talks), len(talks))
            ranked = [*facts[:of_facts], *sorted(talks, key=lambda one: one.place)[:of_talks]]
        if len(ranked) < count and not self.criteria.scored and memories.unscored(self.cache, now):
            ranked += self._most_important(count - len(ranked), f"{self.where} AND {UNSCORED}", [*self.params, now])
        return [Hit(one.rowid, one.state, {"importance": one.importance}, ["importance"]) for one in ranked]

    def _most_important(self, count: int, where: str, params: "Sequence[Any]") -> "list[Ranked]":
        from promptx_mem.search import importance

        return importance.best(
            self.cache, where, params, count, self.criteria.now, own=self.own, narrow=self._is_narrow()
        )

    def count(self) -> int:
        """How many memories meet the filters: what a recall without words and topics has to show."""
        if not (self.criteria.is_filtered() or self.criteria.spans or self.criteria.ended):
            from promptx_mem.search import importance

            return importance.active(self.cache, self.criteria.now)
        sql = f"SELECT count(*) FROM memories WHERE {self.where}"  # noqa: S608 - conditions of ours
        return int(self.db.execute(sql, self.params).fetchone()[0])

    def _is_narrow(self) -> bool:
        """Tell whether a tag leaves so few memories that they are sorted rather than met in the order of worth."""
        for tag in self.criteria.tags:
            cursor = self.db.execute("SELECT 1 FROM tags WHERE tag = ? LIMIT 1 OFFSET ?", (tag.casefold(), _NARROW))
            if cursor.fetchone() is None:
                return True
        return False

    def _break_ties(self, hit: Hit) -> None:
        state = hit.state
        age = max(self.criteria.now - state.fresh_at, 0.0) / DAY
        importance = min(self._importance(state) / _FULL_IMPORTANCE, 1.0)
        hit.add(ranking.IMPORTANCE, ranking.IMPORTANCE.weight * importance)
        hit.add(ranking.RECENCY, ranking.RECENCY.weight / (1.0 + age / RECENT_DAYS))
        hit.add(ranking.LASTING, ranking.LASTING.weight * (state.duration in (LONG, PERMANENT)))

    def _importance(self, state: State) -> float:
        if self.own:
            return importance_at(state, self.criteria.now)
        return origin.worth(state.importance, state.category, state.duration, self.criteria.now - state.accessed)

    def noted(self, state: State) -> float:
        """When a memory was noted, as far as that lifts it."""
        return state.first_at if self.own else min(state.first_at, self.criteria.now)
