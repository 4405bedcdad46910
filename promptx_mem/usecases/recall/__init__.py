"""recall: searches by words, topics, dates and tags. Without these, it returns the most important memories.

Each store is searched. The results are ordered, described, and cut to the budget of tokens.
"""

from __future__ import annotations

import contextlib
import os
from functools import cached_property

from promptx_mem.core.ids import is_prefix
from promptx_mem.core.times import iso
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.result import Result
from promptx_mem.search.cache import Progress, is_any_contradicted
from promptx_mem.search.finder import merged, weigh_together
from promptx_mem.usecases.recall.question import DEFAULT_COUNT, TOPIC_COUNT, Cues, difference, open_stores

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from promptx_mem.core.description import Description, Recall
    from promptx_mem.search.query import Criteria
    from promptx_mem.search.ranking import Hit
    from promptx_mem.usecases.context import Context
    from promptx_mem.usecases.recall.question import Matches, StoreQuery

__all__ = ["Answer", "Cues", "recall"]

PREFIX = "m_"
_TOKENS_PER_MEMORY = 30
_AGAIN = "try other words, or translate the question (Chinese or English)"
POOR, NOTHING = f"only weak matches: {_AGAIN}", _AGAIN


def recall(context: Context, cues: Cues, progress: Progress | None = None) -> Result[Recall]:
    """Find memories, and record them as recalled unless `cues` forbid it. Raises UsageError, StoreError."""
    with contextlib.ExitStack() as stack:
        queries, left_out = open_stores(context, cues, progress, stack)
        search = Answer(context, cues, queries)
        result = search.run()
        for query in queries:
            query.update_index()
    if left_out:
        result = result._replace(warnings=(*result.warnings, left_out))
    if cues.judge and not search.named:
        from promptx_mem.usecases.judging import evaluate

        result = evaluate(context, result)
    _note(context, cues, result)
    return result


def _note(context: Context, cues: Cues, result: Result[Recall]) -> None:
    if not cues.touch or cues.explain or cues.as_of is not None:
        return
    memories = [memory for memory in result.data["memories"] if memory["lives"] and memory["id"].startswith(PREFIX)]
    for member in filter(None, (context, context.other)):
        if ids := [memory["id"] for memory in memories if memory["scope"] == member.scope]:
            from promptx_mem.store import recalled

            recalled.note(member.layout, context.now(), ids, context.host())


class Answer:
    """The answer to a recall from stores that are already open. `run` finds and describes the memories."""

    def __init__(self, context: Context, cues: Cues, queries: Sequence[StoreQuery]) -> None:
        self.context = context
        self.cues = cues
        self.queries = queries
        self.question = queries[0].question
        self.criteria = self.question.criteria
        self.named = False
        self.matching: int | None = None
        """The number of matching memories; None if counting them would be slow."""

    def run(self) -> Result[Recall]:
        matches = self._by_id() or self._find()
        if self.cues.meaning and self.criteria.words and not self.named:
            from promptx_mem.usecases.recall import meaning

            matches = meaning.arranged(matches, self.queries, self.cues)
        if self.cues.prompt and not self.named:
            from promptx_mem.search.meant import rules, to_inject

            matches = matches if self.cues.count != 0 else []
            clear = to_inject(
                ((query.finder.queries(), hit, query.finder.own) for query, hit in matches), self.cues.task
            )
            matches = [(query, hit) for query, hit in matches if hit in clear]
            for query in self.queries:
                found = rules(query.cache, query.finder.criteria, query.finder.queries(), own=query.finder.own)
                matches += difference([(query, rule) for rule in found], matches)
        ids = {query: [hit.state.entry.id for of, hit in matches if of is query] for query in self.queries}
        if any(is_any_contradicted(query.cache, some) for query, some in ids.items()):
            from promptx_mem.usecases.recall import contradictions

            by_date = bool(self.criteria.spans) and not (self.criteria.words or self.criteria.paths)
            most = max(len(matches), self.cues.count or DEFAULT_COUNT)
            matches = contradictions.arranged(matches, self.queries, most, mark_only=self.named or by_date)
        if self.named and len(matches) == 1:
            from promptx_mem.usecases.recall.by_id import whole

            descriptions = [whole(*matches[0])]
        else:
            descriptions = [query.to_description(hit) for query, hit in matches]
        if any(one["cites"] for one in descriptions):
            from promptx_mem.usecases import citations

            citations.check(self.context, descriptions)
            if not (self.named or self.criteria.spans):
                descriptions = citations.with_failed_lower(descriptions)
        fitted = self._fitted(descriptions)
        return self._result(fitted, len(descriptions) - len(fitted))

    def _by_id(self) -> Matches:
        if self.criteria.words[:2].lower() != PREFIX:
            return []
        from promptx_mem.usecases.recall.by_id import find

        matches = self._merged({query: find(query.cache, self.criteria.words) for query in self.queries}, None)
        if matches:
            self.named, self.matching = True, len(matches)
        return matches[: self.cues.count or DEFAULT_COUNT]

    def _find(self) -> Matches:
        cues, criteria = self.cues, self.criteria
        count = cues.count
        if count is None and cues.budget is not None:
            count = max(DEFAULT_COUNT, cues.budget // _TOKENS_PER_MEMORY)
        elif count is None and criteria.paths and not criteria.words:
            count = TOPIC_COUNT * len(criteria.paths)
        alone = bool(criteria.spans) and cues.count is None
        limit = None if alone and not (criteria.words or criteria.paths) else count or DEFAULT_COUNT
        topics = TOPIC_COUNT if cues.count is None else cues.count
        matches = self._search(lambda query: query.question.criteria, limit, topics)
        if not matches and criteria.spans and criteria.category == "episode" and cues.category is None:
            # a query such as "what did we discuss today" finds only conversations; if there are none, find all memories
            matches = self._search(lambda query: query.question.criteria._replace(category=None), limit, TOPIC_COUNT)
        if not criteria.paths and (matches or not self.question.as_words):
            if limit is None or len(matches) < limit or len(matches) >= self._total:
                self.matching = len(matches)
            elif not criteria.words:
                from promptx_mem.search.cues import count as matching

                self.matching = sum(matching(query.cache, query.finder.criteria) for query in self.queries)
        if not (words := self.question.as_words):
            return matches
        from promptx_mem.usecases.recall.dates import mentions_date

        by_words = {query: query.question.criteria._replace(words=words, spans=()) for query in self.queries}
        found = self._search(by_words.__getitem__, count or DEFAULT_COUNT, TOPIC_COUNT)
        if not (matches or self.question.is_date):
            return found
        is_date, new = self.question.is_date, difference(found, matches)
        matches += [one for one in new if mentions_date(one[1].state.entry.text, words) or not (is_date or one[1].weak)]
        self.matching = self.matching and max(self.matching, len(matches))
        return matches[:count]

    def _search(self, criteria: Callable[[StoreQuery], Criteria], limit: int | None, topics: int) -> Matches:
        finders = [query.search(criteria(query)) for query in self.queries]
        if len(finders) > 1:
            weigh_together(finders)
        matches = self._merged({query: query.finder.find(limit, topics) for query in self.queries}, limit)
        if limit is None or limit <= DEFAULT_COUNT or not finders[0].criteria.words:
            return matches
        # A greater limit changes the ranking. The first results must still be those of the usual limit.
        first = self._merged({query: query.finder.find(DEFAULT_COUNT, topics) for query in self.queries}, DEFAULT_COUNT)
        return first + difference(matches, first)[: limit - len(first)]

    def _merged(self, hits: dict[StoreQuery, list[Hit]], limit: int | None) -> Matches:
        if len(hits) == 1:
            return [(query, hit) for query, own in hits.items() for hit in own]
        queries = {query.finder: query for query in hits}
        pairs = merged([(query.finder, own) for query, own in hits.items()], limit)
        return [(queries[finder], hit) for finder, hit in pairs]

    def _fitted(self, descriptions: list[Description]) -> list[Description]:
        if self.cues.budget is None:
            return descriptions
        from promptx_mem.core import prompt_block
        from promptx_mem.usecases.recall.messages import fit

        form = self.cues.form or (lambda result: prompt_block.block(result.data))
        build = lambda part, rest: form(self._result(part, rest, last=False))  # noqa: E731
        return fit(descriptions, self.cues.budget, build, self.criteria.words)

    def _result(self, memories: list[Description], left_out: int, *, last: bool = True) -> Result[Recall]:
        data: Recall = {
            "store": self.context.path,
            "count": len(memories),
            "total": self._total,
            "left_out": left_out,
            "more": None if self.matching is None else max(self.matching - len(memories) - left_out, 0),
            "budget": self.cues.budget,
            "as_of": iso(self.criteria.now) if self.cues.as_of is not None else None,
            "cues": list(self.question.cues),
            "memories": memories,
            "near_misses": [],
            "hint": self._hint(memories) if last and (memories or not left_out) else "",
        }
        is_there = self.context.layout.named or any(member.layout.exists() for member in self.context.both())
        if last and not is_there:
            data["near_misses"] = [f"there is no store yet: no .memory in {os.getcwd()} or above"]
        elif last and not memories and not left_out:
            from promptx_mem.usecases.recall.misses import misses

            data["near_misses"] = misses(self.queries)
        return Result("recall", data, self._warnings)

    def _hint(self, memories: list[Description]) -> str:
        """Return advice if a search by words found nothing or only weak matches, else an empty text."""
        if not self.criteria.words or self.named or not all(memory.get("weak") for memory in memories):
            return ""
        if memories:
            return POOR
        return "" if is_prefix(self.criteria.words.lower()) else NOTHING

    @cached_property  # several answers are built to find one that fits
    def _total(self) -> int:
        return sum(query.finder.total() for query in self.queries)

    @cached_property
    def _warnings(self) -> tuple[str, ...]:
        warnings = [notice for query in self.queries for notice in query.notices()]
        warnings += (f"skipped: {problem}" for problem in self.question.skipped)
        warnings.append(self.context.no_store())
        warnings += (problem for query in self.queries for problem in query.problems())
        return tuple(dict.fromkeys(filter(None, warnings)))
