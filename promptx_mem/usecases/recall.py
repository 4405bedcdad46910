"""recall: by words, topics, dates, tags; without a cue, what matters most now (SPEC 3)."""

import sqlite3
from typing import TYPE_CHECKING, Any, NamedTuple

from promptx_mem.core.text import plural
from promptx_mem.result import Result
from promptx_mem.search import current
from promptx_mem.usecases import recall_ask
from promptx_mem.usecases.recall_find import Finder, Hit
from promptx_mem.usecases.recall_show import activate, describe, iso

if TYPE_CHECKING:
    from promptx_mem.memory import Memory
    from promptx_mem.search.cache import Cache
    from promptx_mem.search.rows import Progress
    from promptx_mem.usecases.recall_ask import Ask
    from promptx_mem.usecases.recall_fit import Form

DEFAULT_COUNT = 10
TOPIC_COUNT = 5
"""Results of a topic that stands alone (source 004)."""

CONTEXT_BUDGET = 2_000
_TOKENS_PER_MEMORY = 30
_BROKEN = (sqlite3.Error, ValueError, LookupError, TypeError, AttributeError, ArithmeticError)
"""What a damaged cache raises; the store itself is read by code that raises none of these."""


class Cues(NamedTuple):
    """What to look for. Words and topics widen, everything else narrows.

    `count` None: 10, 5 for a topic alone, everything for a date alone. `budget` is tokens of what `form` renders (the
    context block where it is None). `lenient` skips a bad date and reports it: for cues taken from a text.
    `touch` False: nothing is noted in `.recalled`. `judge`: the judge may drop results.
    """

    text: str = ""
    topics: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    type: str | None = None
    category: str | None = None
    session: str | None = None
    min_score: float | None = None
    since: str | None = None
    until: str | None = None
    as_of: str | None = None
    archived: bool = False
    history: bool = False
    count: int | None = None  # type: ignore[assignment] # tuples have a method of that name
    budget: int | None = None
    form: "Form | None" = None
    messages: bool = True
    touch: bool = True
    explain: bool = False
    lenient: bool = False
    judge: bool = False


def recall(memory: "Memory", cues: Cues, progress: "Progress | None" = None) -> Result:
    """Find memories. Reading notes nothing in the store but the day's recalls. Raises UsageError, NotFoundError."""
    ask = recall_ask.read(cues, memory.now(), memory.config.aliases)
    cache = _open(memory, cues, ask, progress)
    try:
        try:
            asked = _Recall(memory, cues, ask, cache)
            result = asked.run()
        except _BROKEN:
            if cues.as_of is not None:
                raise
            cache.close()
            from promptx_mem.search.build import rebuild

            cache = rebuild(memory.layout, progress)
            asked = _Recall(memory, cues, ask, cache)
            result = asked.run()
    finally:
        cache.close()
    if cues.judge and not asked.named:
        from promptx_mem.usecases.recall_judge import evaluate

        result = evaluate(memory, result)
    _note(memory, cues, result)
    return result


def _open(memory: "Memory", cues: Cues, ask: "Ask", progress: "Progress | None") -> "Cache":
    if cues.as_of is None:
        return current.open_current(memory.layout, progress)
    from promptx_mem.usecases.recall_as_of import cache_at

    return cache_at(memory.layout, ask.now, progress)


def _note(memory: "Memory", cues: Cues, result: Result) -> None:
    ids = [found["id"] for found in result.data["memories"] if found["lives"]]
    if ids and cues.touch and not cues.explain and cues.as_of is None:
        from promptx_mem.store import recalled

        recalled.note(memory.layout, memory.now().date().isoformat(), ids)


class _Recall:
    def __init__(self, memory: "Memory", cues: Cues, ask: "Ask", cache: "Cache") -> None:
        self.memory = memory
        self.cues = cues
        self.ask = ask
        self.cache = cache
        self.named = False
        self.matching: int | None = None
        """How many memories match, where that is cheaply known."""

    def run(self) -> Result:
        hits = self._history() if self.cues.history else self._by_id() or self._find()
        shown = [self._shown(hit) for hit in hits]
        fitted = self._fitted(shown)
        return self._result(fitted, len(shown) - len(fitted))

    def _by_id(self) -> list[Hit]:
        if self.ask.words[:2].lower() != "m_":
            return []
        from promptx_mem.usecases import recall_by_id

        hits = recall_by_id.find(self.cache, self.ask.words)
        if hits:
            self.named, self.matching = True, len(hits)
        return hits[: self.cues.count or DEFAULT_COUNT]

    def _find(self) -> list[Hit]:
        cues, ask = self.cues, self.ask
        count = cues.count
        if count is None and cues.budget is not None:
            count = max(DEFAULT_COUNT, cues.budget // _TOKENS_PER_MEMORY)
        elif count is None and ask.paths and not ask.words:
            count = TOPIC_COUNT * len(ask.paths)
        self.finder = Finder(self.cache, ask)
        alone = bool(ask.spans) and cues.count is None
        limit = None if alone and not (ask.words or ask.paths) else count or DEFAULT_COUNT
        hits = self.finder.find(limit, self._topics())
        if not hits and ask.as_words:
            # nothing was noted on that date: perhaps something names it
            self.finder = Finder(self.cache, ask.worded())
            hits = self.finder.find(count or DEFAULT_COUNT, TOPIC_COUNT)
        elif not (ask.words or ask.paths or cues.history):
            self.matching = len(hits) if limit is None or len(hits) < limit else self.finder.count()
        return hits

    def _topics(self) -> int:
        return TOPIC_COUNT if self.cues.count is None else self.cues.count

    def _history(self) -> list[Hit]:
        """A memory, or what the cues find best, each with all that took its place or whose place it took."""
        from promptx_mem.usecases import recall_history

        ident = recall_history.by_id(self.cache, self.ask.words) if self.ask.words else None
        if ident is not None:
            starts = [ident]
        else:
            found = self._find() if self.cues.count else self._find()[:1]
            starts = [hit.state.entry.id for hit in found]
        hits: dict[str, Hit] = {}
        for start in starts:
            for state in recall_history.chain(self.cache, start):
                hits.setdefault(state.entry.id, Hit(0, state, via=["history"]))
        return list(hits.values())

    def _shown(self, hit: Hit) -> dict[str, Any]:
        shown = describe(hit.state, self.ask.now, self.memory.config.freshness)
        shown["via"] = hit.via
        shown["relevance"] = round(hit.score, 4) if hit.terms else None
        if hit.state.entry.slice is not None:
            shown["slice"] = activate(self.memory.layout, hit.state.entry.slice, messages=self.cues.messages)
        if self.cues.explain:
            shown["why"] = {**hit.terms, "score": hit.score}
        return shown

    def _fitted(self, shown: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if self.cues.budget is None:
            return shown
        from promptx_mem.core import context
        from promptx_mem.usecases.recall_fit import fit

        form = self.cues.form or (lambda result: context.block(result.data))
        return fit(shown, self.cues.budget, lambda taken, left: form(self._result(taken, left, last=False)))

    def _result(self, memories: list[dict[str, Any]], left_out: int, *, last: bool = True) -> Result:
        ask = self.ask
        data = {
            "store": self.memory.layout.shown(),
            "count": len(memories),
            "total": self._total(),
            "left_out": left_out,
            "more": None if self.matching is None else max(self.matching - len(memories), 0),
            "budget": self.cues.budget,
            "as_of": iso(ask.now) if self.cues.as_of is not None else None,
            "cues": list(ask.cues),
            "memories": memories,
            "near_misses": [],
        }
        if last and not memories and not left_out and not self.cues.history:
            from promptx_mem.usecases.recall_misses import near_misses

            data["near_misses"] = near_misses(self.cache, self.finder.ask, self.finder)
        return Result("recall", data, self._warnings())

    def _warnings(self) -> tuple[str, ...]:
        warnings = [*self.memory.config_warnings(), *(f"skipped: {what}" for what in self.ask.skipped)]
        if missing := self.memory.no_store():
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
        from promptx_mem.usecases.recall_by_id import not_applied

        return not_applied(self.cues, self.ask.tags)

    def _total(self) -> int:
        """How many memories the store knows, ended ones included; the index's blocks know, and counting takes long."""
        return int(self.cache.db.execute("SELECT coalesce(sum(docs), 0) FROM lex_blocks").fetchone()[0])


def with_context(cues: Cues) -> Cues:
    """The same cues for a prompt: 2,000 tokens unless they say otherwise, the block of `core.context`."""
    budget = CONTEXT_BUDGET if cues.budget is None else cues.budget
    count = DEFAULT_COUNT if cues.count is None and cues.budget is None else cues.count
    return cues._replace(budget=budget, form=None, count=count)
