"""One of the stores in a recall, with the question as its own settings read it."""

import contextlib

from promptx_mem.core.description import Description, describe
from promptx_mem.core.text import plural
from promptx_mem.core.times import epoch
from promptx_mem.errors import ConfigError, StoreError
from promptx_mem.places import may_have_settings
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.search import current
from promptx_mem.search.cache import is_any_contradicted, total, unknown
from promptx_mem.search.finder import Finder
from promptx_mem.search.ranking import Hit
from promptx_mem.store import files, intent
from promptx_mem.usecases.recall.question import Question, is_id, may_mean_talks, read_question

if TYPE_CHECKING:
    from promptx_mem.core.state import State
    from promptx_mem.search.cache import Cache
    from promptx_mem.search.criteria import Criteria, Progress
    from promptx_mem.usecases.context import Context
    from promptx_mem.usecases.recall.misses import Miss
    from promptx_mem.usecases.recall.question import Cues

SURE = len("m_") + 4
"""Least characters of an id prefix that could also be a word in a text."""

_MOST = 10_000
_MOST_LINKED = 1_000
_OTHERS = ("topics", "dates", "type", "category", "session", "min_score", "since", "until")


def find(cache: "Cache", words: str) -> list[Hit]:
    """Return the memories with this id or id prefix; none if the text is not an id of this store."""
    prefix = words.lower()
    if not is_id(prefix):
        return []
    from promptx_mem.search.memories import is_in_a_text

    states = [cache.state(ident) for ident in cache.matching(prefix, _MOST)]
    hits = [Hit(0, state, via=["id"]) for state in states if state is not None and state.end != "purged"]
    return [] if hits and len(prefix) < SURE and is_in_a_text(cache, prefix) else hits


def not_applied(cues: "Cues", tags: tuple[str, ...]) -> str:
    """Name the cues and filters that a search by id ignores; empty if there are none."""
    fields = [name for name in _OTHERS if getattr(cues, name) not in (None, ())]
    names = ["--" + name.removesuffix("s").replace("_", "-") for name in fields] + [f"#{tag}" for tag in tags]
    return f"an id is looked up by itself: {', '.join(names)} had no effect" if names else ""


def chain(cache: "Cache", ident: str) -> "list[State]":
    """Return a memory with all it replaced and all that replaced it, oldest first, the active one last."""
    from promptx_mem.search import history

    states: dict[str, State] = {}
    waiting = [ident]
    while waiting and len(states) < _MOST_LINKED:
        current = waiting.pop()
        state = cache.state(current) if current not in states else None
        if state is None or state.end == "purged":
            continue
        states[current] = state
        waiting += [*state.superseded_by, *history.superseded(cache, current)]
    # a restored one is newer than its line
    return sorted(
        states.values(), key=lambda state: (not state.superseded_by, epoch(state.entry.at or ""), state.entry.id)
    )


class StoreQuery:
    """A store during a recall: `finder` is its last search."""

    def __init__(self, context: "Context", cues: "Cues", progress: "Progress | None") -> None:
        self.context = context
        self.cues = cues
        self.question: Question = read_question(cues, context.now(), context.config.aliases)
        self.talks: Cache | None = None
        self.unread = ""
        """Why the user's settings are not read."""
        if self.question.criteria.words and (spellings := self._spellings()):
            criteria = self.question.criteria._replace(spellings=spellings)
            self.question = self.question._replace(criteria=criteria)
        self.cache = self._open(progress)
        try:
            self._begin(progress)
        except BaseException:  # an open cache delays writers
            self.close()
            raise

    def _begin(self, progress: "Progress | None") -> None:
        self.talks = self._open_talks(progress)
        if not self.cues.unasked and may_mean_talks(self.question.criteria.words):
            from promptx_mem.usecases.recall import messages as lately

            if request := lately.read(self.question.criteria.words):
                session, now = self.context.session, self.context.now()
                self.question = lately.narrowed(self.question, request, self.talks, session, now)
        self.finder = self.search(self.question.criteria)

    def _open_talks(self, progress: "Progress | None") -> "Cache | None":
        """Open the index of messages if the cues may find some."""
        criteria, where = self.question.criteria, self.context.layout
        asks = criteria.words or criteria.spans or criteria.since is not None
        if self.cues.as_of is not None or self.cues.newest or not asks or not any(map(files.status, where.talks)):
            return None
        if files.identity(where.purge) is not None:  # a purge is not finished: a message may have its text
            return None
        from promptx_mem.search import messages

        with contextlib.suppress(OSError, StoreError):
            return messages.open_index(where, progress)
        return None

    def _spellings(self) -> tuple[tuple[str, ...], ...]:
        """Return the abbreviations of the user, and those of a store of their own."""
        of_store = self.context.config.spellings
        if of_store and not self.context.origin.is_own:
            of_store = ()
        if not may_have_settings():
            return of_store
        from promptx_mem.store import settings

        try:
            return settings.groups() + of_store
        except (ConfigError, StoreError) as error:
            self.unread = f"{error.message} ({error.hint}); reading goes on without it"
            return of_store

    def _open(self, progress: "Progress | None") -> "Cache":
        if self.cues.as_of is None:
            return current.open_current(self.context.layout, progress)
        from promptx_mem.usecases.recall.dates import cache_at

        return cache_at(self.context.layout, self.question.criteria.now, progress)

    def close(self) -> None:
        """Close the caches."""
        self.cache.close()
        if self.talks is not None:
            self.talks.close()

    def update_index(self) -> None:
        """Update MEMORY.md if it is out of date."""
        if self.cues.as_of is None and (self.cache.is_new or intent.is_behind(self.context.layout)):
            from promptx_mem.usecases import index

            index.by_reader(self.context, self.cache)

    def search(self, criteria: "Criteria") -> Finder:
        """Start a search with these criteria."""
        self.finder = Finder(self.cache, criteria, own=self.context.origin.is_own, talks=self.talks)
        return self.finder

    def is_contradicted(self) -> bool:
        """Return whether any two memories of the store were ever suspected to contradict each other."""
        return is_any_contradicted(self.cache)

    def by_id(self) -> list[Hit]:
        """Return the memories that the text names by id or prefix."""
        return find(self.cache, self.question.criteria.words)

    def to_description(self, hit: Hit) -> Description:
        """Describe a found memory, with the details that its cues request."""
        context, state = self.context, hit.state
        origin = context.origin.of(state.origin)
        description = describe(state, self.question.criteria.now, context.config.freshness, origin, context.scope)
        description["via"] = hit.via
        description["weak"] = hit.weak
        if hit.see:
            description["see"] = [{"id": ident, "older": older} for ident, older in hit.see.items()]
        description["relevance"] = round(hit.score, 4) if hit.terms else None
        if state.entry.slice is not None:
            from promptx_mem.usecases.recall.messages import activate

            description["slice"] = activate(
                context.layout,
                state.entry.slice,
                messages=self.cues.messages,
                number=hit.message,
                words=self.question.criteria.words,
            )
        if self.cues.explain:
            description["why"] = {**hit.terms, "score": hit.score}
        return description

    def to_whole(self, hit: Hit) -> Description:
        """Describe a memory with every field, its events, and the memories that it replaced or that replaced it."""
        from promptx_mem.search import history
        from promptx_mem.usecases.export import whole

        state = hit.state
        ids = [ident for ident in (state.entry.was, state.entry.id) if ident]

        acts = {ident: sorted(history.events(self.cache, ident), key=lambda event: event.k) for ident in ids}
        everything = whole(self.context, state, self.question.criteria.now, acts)
        others = [Hit(0, other) for other in chain(self.cache, state.entry.id) if other.entry.id != state.entry.id]
        more = {**self.to_description(hit), "history": [self.to_description(other) for other in others]}
        everything.update(more)  # type: ignore[typeddict-item] # a part of it
        return everything

    def total(self) -> int:
        """Return the number of memories, ended ones included, and of conversations without a memory."""
        if self.talks is None:
            return total(self.cache)
        from promptx_mem.search import messages

        return total(self.cache) + messages.waiting(self.talks)

    def misses(self) -> "list[Miss]":
        """Return near misses for a search without results."""
        from promptx_mem.usecases.recall.misses import misses

        return misses(self.cache, self.finder.criteria)

    def notices(self) -> list[str]:
        """Return notices about the store, printed before the answer."""
        unread = [self.unread] if self.unread else []
        return [*self.context.config_warnings(), *unread, *self.context.origin.notice()]

    def problems(self) -> list[str]:
        """Return the problems in the store."""
        warnings = [*self.cache.conflicted(), *self.cache.long_texts(), *unknown(self.cache)]
        if problems := int(self.cache.meta("problems") or 0):
            places = plural(problems, "place in the store is", "places in the store are")
            stay = "stays as it is" if problems == 1 else "stay as they are"
            warnings.append(f"{places} not understood and {stay}; promptx-mem audit --verify")
        return warnings
