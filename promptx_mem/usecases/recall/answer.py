"""Answer a recall: the cues read, the cache asked, each memory described, the whole kept within the budget."""

from typing import TYPE_CHECKING

from promptx_mem.core.description import Description, Recall, describe
from promptx_mem.core.text import plural
from promptx_mem.core.times import iso
from promptx_mem.result import Result
from promptx_mem.search import current
from promptx_mem.search.cache import DAMAGE
from promptx_mem.search.finder import Finder, Hit
from promptx_mem.search.memories import total
from promptx_mem.store import intent
from promptx_mem.usecases.recall.cues import DEFAULT_COUNT, TOPIC_COUNT, Cues
from promptx_mem.usecases.recall.question import read_question
from promptx_mem.usecases.recall.slices import activate

if TYPE_CHECKING:
    from promptx_mem.search.cache import Cache
    from promptx_mem.search.rows import Progress
    from promptx_mem.usecases.context import Context
    from promptx_mem.usecases.recall.question import Question

_TOKENS_PER_MEMORY = 30


def recall(context: "Context", cues: Cues, progress: "Progress | None" = None) -> Result[Recall]:
    """Find memories. Reading notes nothing in the store but the day's recalls. Raises UsageError, NotFoundError."""
    question = read_question(cues, context.now(), context.config.aliases)
    cache = _open(context, cues, question, progress)
    try:
        try:
            asked = _Recall(context, cues, question, cache)
            result = asked.run()
        except DAMAGE:
            if cues.as_of is not None:
                raise
            cache.close()
            from promptx_mem.search.build import rebuild

            cache = rebuild(context.layout, progress)
            asked = _Recall(context, cues, question, cache)
            result = asked.run()
        if cues.as_of is None and (cache.is_new or intent.is_behind(context.layout)):
            from promptx_mem.usecases import mend

            mend.by_reader(context, cache)
    finally:
        cache.close()
    if cues.judge and not asked.named:
        from promptx_mem.usecases.recall.judged import evaluate

        result = evaluate(context, result)
    _note(context, cues, result)
    return result


def _open(context: "Context", cues: Cues, question: "Question", progress: "Progress | None") -> "Cache":
    if cues.as_of is None:
        return current.open_current(context.layout, progress)
    from promptx_mem.usecases.recall.as_of import cache_at

    return cache_at(context.layout, question.criteria.now, progress)


def _note(context: "Context", cues: Cues, result: Result[Recall]) -> None:
    ids = [found["id"] for found in result.data["memories"] if found["lives"]]
    if ids and cues.touch and not cues.explain and cues.as_of is None:
        from promptx_mem.store import recalled

        recalled.note(context.layout, context.now().date().isoformat(), ids)


class _Recall:
    def __init__(self, context: "Context", cues: Cues, question: "Question", cache: "Cache") -> None:
        self.context = context
        self.cues = cues
        self.question = question
        self.criteria = question.criteria
        self.cache = cache
        self.named = False
        self.matching: int | None = None
        """How many memories match, where that is cheaply known."""

    def run(self) -> Result[Recall]:
        hits = self._history() if self.cues.history else self._by_id() or self._find()
        shown = [self._shown(hit) for hit in hits]
        fitted = self._fitted(shown)
        return self._result(fitted, len(shown) - len(fitted))

    def _by_id(self) -> list[Hit]:
        if self.criteria.words[:2].lower() != "m_":
            return []
        from promptx_mem.usecases.recall import one_memory

        hits = one_memory.find(self.cache, self.criteria.words)
        if hits:
            self.named, self.matching = True, len(hits)
        return hits[: self.cues.count or DEFAULT_COUNT]

    def _find(self) -> list[Hit]:
        cues, criteria = self.cues, self.criteria
        count = cues.count
        if count is None and cues.budget is not None:
            count = max(DEFAULT_COUNT, cues.budget // _TOKENS_PER_MEMORY)
        elif count is None and criteria.paths and not criteria.words:
            count = TOPIC_COUNT * len(criteria.paths)
        self.finder = Finder(self.cache, criteria, own=self.context.origin.is_own)
        alone = bool(criteria.spans) and cues.count is None
        limit = None if alone and not (criteria.words or criteria.paths) else count or DEFAULT_COUNT
        hits = self.finder.find(limit, self._topics())
        if not hits and self.question.as_words:
            # nothing was noted on that date: perhaps something names it
            self.finder = Finder(self.cache, self.question.worded(), own=self.context.origin.is_own)
            hits = self.finder.find(count or DEFAULT_COUNT, TOPIC_COUNT)
        elif not (criteria.words or criteria.paths or cues.history):
            self.matching = len(hits) if limit is None or len(hits) < limit else self.finder.count()
        return hits

    def _topics(self) -> int:
        return TOPIC_COUNT if self.cues.count is None else self.cues.count

    def _history(self) -> list[Hit]:
        """A memory, or what the cues find best, each with all that took its place or whose place it took."""
        from promptx_mem.usecases.recall import history

        ident = history.by_id(self.cache, self.criteria.words) if self.criteria.words else None
        if ident is not None:
            starts = [ident]
        else:
            found = self._find() if self.cues.count else self._find()[:1]
            starts = [hit.state.entry.id for hit in found]
        hits: dict[str, Hit] = {}
        for start in starts:
            for state in history.chain(self.cache, start):
                hits.setdefault(state.entry.id, Hit(0, state, via=["history"]))
        return list(hits.values())

    def _shown(self, hit: Hit) -> Description:
        shown = describe(
            hit.state, self.criteria.now, self.context.config.freshness, self.context.origin.of(hit.state.origin)
        )
        shown["via"] = hit.via
        shown["relevance"] = round(hit.score, 4) if hit.terms else None
        if hit.state.entry.slice is not None:
            shown["slice"] = activate(self.context.layout, hit.state.entry.slice, messages=self.cues.messages)
        if self.cues.explain:
            shown["why"] = {**hit.terms, "score": hit.score}
        return shown

    def _fitted(self, shown: list[Description]) -> list[Description]:
        if self.cues.budget is None:
            return shown
        from promptx_mem.core import context
        from promptx_mem.usecases.recall.within_budget import fit

        form = self.cues.form or (lambda result: context.block(result.data))
        return fit(shown, self.cues.budget, lambda taken, left: form(self._result(taken, left, last=False)))

    def _result(self, memories: list[Description], left_out: int, *, last: bool = True) -> Result[Recall]:
        data: Recall = {
            "store": self.context.layout.shown(),
            "count": len(memories),
            "total": total(self.cache),
            "left_out": left_out,
            "more": None if self.matching is None else max(self.matching - len(memories), 0),
            "budget": self.cues.budget,
            "as_of": iso(self.criteria.now) if self.cues.as_of is not None else None,
            "cues": list(self.question.cues),
            "memories": memories,
            "near_misses": [],
        }
        if last and not memories and not left_out and not self.cues.history:
            from promptx_mem.usecases.recall.misses import misses

            data["near_misses"] = misses(self.cache, self.finder.criteria)
        return Result("recall", data, self._warnings())

    def _warnings(self) -> tuple[str, ...]:
        warnings = [
            *self.context.config_warnings(),
            *self.context.origin.notice(),
            *(f"skipped: {what}" for what in self.question.skipped),
        ]
        if missing := self.context.no_store():
            warnings.append(missing)
        if self.named and (others := self._not_applied()):
            warnings.append(others)
        warnings += self.cache.conflicted()
        if problems := int(self.cache.meta("problems") or 0):
            places = plural(problems, "place in the store is", "places in the store are")
            stay = "stays as it is" if problems == 1 else "stay as they are"
            warnings.append(f"{places} not understood and {stay}; promptx-mem audit --verify")
        return tuple(warnings)

    def _not_applied(self) -> str:
        from promptx_mem.usecases.recall.one_memory import not_applied

        return not_applied(self.cues, self.criteria.tags)
