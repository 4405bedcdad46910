"""Which memories a page holds: all, or what every one of its filters leaves; a filter is a cue as recall takes it."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from promptx_mem.core.events import fold_all
from promptx_mem.core.paths import SEPARATOR, Path, parse_path
from promptx_mem.core.state import State, lives
from promptx_mem.search import current
from promptx_mem.search.cache import total
from promptx_mem.search.finder import Finder
from promptx_mem.store import members
from promptx_mem.usecases.export import passes
from promptx_mem.usecases.recall import one_memory
from promptx_mem.usecases.recall.cues import Cues
from promptx_mem.usecases.recall.question import Question, read_question

if TYPE_CHECKING:
    from promptx_mem.search.criteria import Criteria
    from promptx_mem.store.sources import Sources
    from promptx_mem.usecases.context import Context

States = dict[str, State]


def questions(context: "Context", filters: Iterable[str]) -> list[Question]:
    """Read each filter: a topic path where it holds `->`, else words, tags and dates. Raises UsageError."""
    now, aliases = context.now(), context.config.aliases
    return [
        read_question(
            Cues(topics=(cue,)) if SEPARATOR in cue else Cues(text=cue),
            now,
            aliases,
        )
        for cue in filters
    ]


def states(context: "Context", everything: "Sources") -> States:
    """Return every memory that was not purged, without those of conversations."""
    lines = [line.entry for line in everything.lines]
    folded = members.read(context.layout).mark(fold_all(lines, everything.events), lines)
    return {ident: state for ident, state in folded.items() if state.end != "purged" and state.category != "episode"}


def narrowed(context: "Context", states: States, questions: Iterable[Question]) -> States:
    """Return the memories that match all questions; with any question, only active ones."""
    for question in questions:
        states = _meet(context, states, question)
    return states


def _meet(context: "Context", states: States, question: Question) -> States:
    criteria = question.criteria
    if criteria.words:
        return _named(states, _by_words(context, criteria), criteria)
    rest = _named(states, states, criteria)
    if not rest and question.as_words:  # nothing was noted on that date: perhaps something names it
        criteria = question.worded()
        return _named(states, _by_words(context, criteria), criteria)
    return rest


def _named(states: States, ids: Iterable[str] | Mapping[str, State], criteria: "Criteria") -> States:
    """Of these ids what meets the filters; a topic is met at and below it: a page about one may go to somebody."""
    names = set(ids)
    return {
        ident: state
        for ident, state in states.items()
        if ident in names
        and lives(state, criteria.now)
        and passes(state, criteria)
        and all(_is_below(state, path) for path in criteria.paths)
    }


def _is_below(state: State, path: Path) -> bool:
    return parse_path(state.entry.topic or "")[: len(path)] == path


def _by_words(context: "Context", criteria: "Criteria") -> list[str]:
    """What recall finds and does not call weak: a page may go to somebody."""
    with current.open_current(context.layout) as cache:
        hits = one_memory.find(cache, criteria.words)
        if not hits:
            finder = Finder(cache, criteria, own=context.origin.is_own)
            hits = finder.find(max(total(cache), 1), 0)
        return [hit.state.entry.id for hit in hits if not hit.weak]
