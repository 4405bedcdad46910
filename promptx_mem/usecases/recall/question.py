"""The question of a recall: its cues, the search criteria made from them, and the stores to search."""

import contextlib
from collections.abc import Callable

from promptx_mem.core.description import Description, Recall
from promptx_mem.core.entry import CATEGORIES, TYPES
from promptx_mem.core.text import clean, plural, printable, shorten
from promptx_mem.core.times import may_name_date
from promptx_mem.errors import ConfigError, StoreError, UsageError
from promptx_mem.places import may_have_settings
from promptx_mem.record import TYPE_CHECKING, NamedTuple
from promptx_mem.result import Result
from promptx_mem.search import current
from promptx_mem.search.finder import Finder
from promptx_mem.search.query import Criteria
from promptx_mem.search.ranking import Hit
from promptx_mem.store import checks, files

if TYPE_CHECKING:
    import datetime
    from collections.abc import Collection, Mapping

    from promptx_mem.core.topics import Path
    from promptx_mem.search.cache import Cache, Progress
    from promptx_mem.usecases.context import Context

DEFAULT_COUNT = 10
TOPIC_COUNT = 5
"""Default number of results per topic if there are no words (source 004)."""

CONTEXT_BUDGET = 2_000

Form = Callable[[Result[Recall]], str]
"""A function that renders an answer, so that its tokens can be counted."""


class Cues(NamedTuple):
    """The cues of a recall. Words and topics add results; every other cue filters them."""

    # Words, "a phrase", -word and #tags. A text that is only a date or an id means memories of that date or id.
    text: str = ""
    # Alternative queries, such as translations. The one that matches best counts.
    otherwise: tuple[str, ...] = ()
    # Topic paths as people write them, such as a->b.
    topics: tuple[str, ...] = ()
    # Days or spans in which a memory was created.
    dates: tuple[str, ...] = ()

    # Tags (with or without #) that a memory must have.
    tags: tuple[str, ...] = ()
    # The memory's type: user, feedback, project or reference.
    type: str | None = None
    # The memory's category: fact, core, episode or system.
    category: str | None = None
    # The session in which the memory was stored.
    session: str | None = None
    # The minimum score, 0 to 10.
    min_score: float | None = None
    # Only memories created on this day or later.
    since: str | None = None
    # Only memories created on this day or earlier.
    until: str | None = None

    # A time in the past. The answer shows the memories as they were at that time.
    as_of: str | None = None
    # Include ended memories.
    archived: bool = False
    # If there are no words, order by time, newest first, instead of by importance.
    newest: bool = False

    # The maximum number of memories. None: 10; 5 per topic if there are no words; all for only a date.
    count: int | None = None  # type: ignore[assignment] # tuples have a method of that name
    # The maximum number of tokens that `form` renders. None: no maximum.
    budget: int | None = None
    # The function that will render the answer. None: `core.prompt_block`.
    form: Form | None = None
    # Show the messages of conversations that are found.
    messages: bool = True
    # Add the memories nearest in meaning, by vectors that the extra `meaning` computes.
    meaning: bool = False
    # Use only stored vectors, and compute none.
    stored_vectors: bool = False
    # Show every term of the ranking. Such a recall is not recorded.
    explain: bool = False

    # Record the shown memories in `.recalled`.
    touch: bool = True
    # Skip and report an invalid date instead of raising an error, for cues taken from a text.
    lenient: bool = False
    # The recall is automatic, so only relevant memories are returned.
    unasked: bool = False
    # The text is a prompt: return only memories that it clearly means. Rules and preferences that share a content
    # word with it are added even above `count`, which can be 0.
    prompt: bool = False
    # The kind of task, "general" or "agent", if the prompt is a task. Then a memory must share more words with it.
    task: str = ""
    # Let the judge remove results.
    judge: bool = False


def with_context(cues: Cues) -> Cues:
    """Return the cues for an answer that `core.prompt_block` renders. The default budget is 2,000 tokens."""
    budget = CONTEXT_BUDGET if cues.budget is None else cues.budget
    count = DEFAULT_COUNT if cues.count is None and cues.budget is None else cues.count
    return cues._replace(budget=budget, form=None, count=count)


MAX_BUDGET = 1_000_000
_ALL_TIMES = ((0.0, float("inf")),)
"""The span of a recall with `newest` and without a date."""

MOST_CUES = 100
"""Maximum number of cues of one kind in a recall."""


class Question(NamedTuple):
    """The parsed cues of a recall. `as_words` is a date or time that is also searched as words.

    If `is_date`, a memory found by `as_words` must contain the date. `is_date` is False for usual words such as 周一.
    """

    criteria: Criteria
    cues: tuple[str, ...]
    skipped: tuple[str, ...] = ()
    as_words: str = ""
    is_date: bool = False


def read_question(cues: "Cues", clock: "datetime.datetime", aliases: "Mapping[str, str]") -> Question:
    """Parse cues at the time `clock`. Raises UsageError that names the invalid cue."""
    if cues.count is not None and cues.count < (not cues.prompt):
        raise UsageError(f"-n {cues.count} is not a number of results", hint="give 1 or more")
    if cues.budget is not None and not 1 <= cues.budget <= MAX_BUDGET:
        raise UsageError(f"--budget {cues.budget} is not a number of tokens", hint=f"give 1 to {MAX_BUDGET}")
    if cues.min_score is not None and not 0 <= cues.min_score <= 10:
        raise UsageError(f"--min-score {cues.min_score:g} is not a score", hint="give a number from 0 to 10")
    text, tags = _words(cues, aliases)
    given = {"tags": tags, "topics": cues.topics, "dates": cues.dates, "alternative queries": cues.otherwise}
    for names, some in given.items():
        if len(some) > MOST_CUES:
            raise UsageError(f"{len(some)} {names} are too many", hint=f"give at most {MOST_CUES} in one recall")
    paths: tuple[Path, ...] = ()
    if cues.topics:
        from promptx_mem.core.topics import demand_path

        paths = tuple(demand_path("topic", clean(path)) for path in cues.topics)
    otherwise = tuple(words for phrase in cues.otherwise if (words := " ".join(clean(phrase).split())))
    labels = [
        *((text,) if text else ()),
        *(f"or {words}" for words in otherwise),
        *(f"#{tag}" for tag in tags),
        *(f"topic {'->'.join(path)}" for path in paths),
        *(f"date {printable(date)}" for date in cues.dates),
    ]
    criteria = Criteria(
        now=clock.timestamp(),
        today=clock.date().isoformat(),
        words=text or " ".join(otherwise[:1]),
        otherwise=otherwise,
        paths=paths,
        spans=_ALL_TIMES[: cues.newest],
        tags=tags,
        type=choice("type", cues.type, TYPES),
        category=choice("category", cues.category, CATEGORIES),
        session=None if cues.session is None else printable(cues.session.strip()),
        min_score=cues.min_score,
        ended=cues.archived,
        newest=cues.newest,
        scored=cues.unasked,
        talks=not cues.unasked and bool(text or paths),
    )
    if not (cues.dates or cues.since or cues.until or cues.as_of or may_be_date(text)):
        return Question(criteria, tuple(labels))
    from promptx_mem.usecases.recall import dates

    # a prompt such as `Monday` can be an answer; `hook prompt` gives the dates of a prompt as `dates`
    only, times = "" if cues.dates or paths or cues.unasked else text, (cues.since, cues.until, cues.as_of)
    criteria, skipped, as_words, is_date = dates.dated(criteria, cues.dates, only, times, clock, lenient=cues.lenient)
    return Question(criteria, tuple(labels), skipped, as_words, is_date)


_LONGEST_DATE = 40
_CHINESE_DATES = frozenset("天日晚夜早晨周期拜月季年时钟")
_ENGLISH_DATES = " yes tod ton las pas pre thi jan feb mar apr may jun jul aug sep oct nov dec ago "
_ENGLISH_DATES += "mon tue wed thu fri sat sun q1 q2 q3 q4 qua hal yea wit ear mid lat beg sta end "


def may_be_date(words: str) -> bool:
    """Return whether a text could be or contain a date. Do not parse the date, because parsing takes milliseconds."""
    if any(map(str.isdecimal, words)) and may_name_date(words):  # also a day that does not exist, which is reported
        return True
    if not 0 < len(words) <= _LONGEST_DATE:
        return False
    if not _CHINESE_DATES.isdisjoint(words) or (words[:1].isdecimal() and not {"-", "/"}.isdisjoint(words[1:5])):
        return True
    return any(f" {word[:3]} " in _ENGLISH_DATES for word in words.lower().split())


_TALKS = (*"刚剛聊谈談讲講说說提讨討近做", "上次", "上一次", "上回", "这阵", "這陣", "这几", "這幾", "干了")
_TALKS += ("talk", "discuss", "chat", "conversation", "speak", "spoke", "say", "said", "mention", "time", "just", "ago")
_TALKS += ("previous", "recently", "lately", "these days", "session", "so far", "we do", "we work", "you do")


def may_mean_talks(words: str) -> bool:
    """Return whether a text could mean conversations or a time such as 上次."""
    lower = words.lower()
    return any(hint in lower for hint in _TALKS)


def _words(cues: "Cues", aliases: "Mapping[str, str]") -> tuple[str, tuple[str, ...]]:
    """Return the text without its `#tag` words, and all tags, which are filters."""
    if not (cues.tags or "#" in cues.text or "＃" in cues.text):
        return " ".join(clean(cues.text).split()), ()
    from promptx_mem.core.labels import normalise_tag

    tags = {name: normalise_tag(clean(name)) for name in cues.tags}
    for name, tag in tags.items():
        if tag is None:
            raise UsageError(f"{shorten(name, 40)!r} is not a tag", hint="letters, digits and _ - . /, without spaces")
    words = clean(cues.text).split()
    tags |= {word: tag for word in words if word[:1] in "#＃" and (tag := normalise_tag(word))}
    text = " ".join(word for word in words if word[:1] not in "#＃" or word not in tags)
    return text, tuple(dict.fromkeys(aliases.get(tag, tag) for tag in tags.values() if tag))


def choice(name: str, value: str | None, allowed: "Collection[str]") -> str | None:
    if value is not None and value not in allowed:
        raise UsageError(f"--{name} {shorten(value, 40)!r} is not known", hint=f"allowed: {', '.join(allowed)}")
    return value


class StoreQuery:
    """A store during a recall. `finder` is the last search in it. `stack` closes the caches after the recall."""

    def __init__(
        self, context: "Context", cues: "Cues", progress: "Progress | None", stack: contextlib.ExitStack
    ) -> None:
        self.context = context
        self.cues = cues
        self.question: Question = read_question(cues, context.now(), context.config.aliases)
        self.unread = ""
        """The reason why the user's settings cannot be read; else empty."""
        criteria = self.question.criteria
        if criteria.words and (spellings := self._spellings()):
            criteria = criteria._replace(spellings=spellings)
            self.question = self.question._replace(criteria=criteria)
        self.cache = stack.enter_context(self._open(progress))
        if " -" in f" {criteria.words}" and not cues.unasked:
            from promptx_mem.search.passages import excluding

            criteria = excluding(self.cache, criteria)
            self.question = self.question._replace(criteria=criteria)
        self.talks = self._open_talks(progress)
        if self.talks is not None:
            stack.enter_context(self.talks)
        if not cues.unasked and may_mean_talks(criteria.words):
            from promptx_mem.usecases.recall import lately

            words, criteria = criteria.words, lately.with_filters(criteria, self.talks, context)
            if words and not criteria.words:
                as_words = self.question.as_words or words
                self.question = self.question._replace(criteria=criteria, as_words=as_words, is_date=True)
        self.search(criteria)

    def _open_talks(self, progress: "Progress | None") -> "Cache | None":
        """Open the index of messages; None if it is not needed or not readable."""
        criteria, where = self.question.criteria, self.context.layout
        asks = criteria.words or (not criteria.excluded and (criteria.spans or criteria.since is not None))
        if self.cues.as_of is not None or self.cues.newest or not asks or not any(map(files.status, where.talks)):
            return None
        if files.identity(where.purge) is not None:  # a message could still contain a purged text
            return None
        from promptx_mem.search import messages

        with contextlib.suppress(OSError, StoreError):
            return messages.open_index(where, progress)
        return None

    def _spellings(self) -> tuple[tuple[str, ...], ...]:
        """Return the abbreviations in the user's settings, and in the store's settings if the store is the user's."""
        of_store = self.context.config.spellings
        of_store = of_store if of_store and self.context.origin.is_own else ()
        if not may_have_settings():
            return of_store
        from promptx_mem.store import settings

        try:
            return settings.of(settings.ABBREVIATIONS, settings.FORMER_ABBREVIATIONS).spellings + of_store
        except (ConfigError, StoreError) as error:
            self.unread = f"{error.in_one_line()}; the abbreviations in it are ignored"
            return of_store

    def _open(self, progress: "Progress | None") -> "Cache":
        if self.cues.as_of is None:
            return current.open_current(self.context.layout, progress)
        from promptx_mem.usecases.recall.dates import cache_at

        return cache_at(self.context.layout, self.question.criteria.now, progress)

    def update_index(self) -> None:
        """Update MEMORY.md if it is out of date."""
        if self.cues.as_of is None and (self.cache.is_new or checks.is_index_outdated(self.context.layout)):
            from promptx_mem.usecases import index

            index.by_reader(self.context, self.cache)

    def search(self, criteria: "Criteria") -> Finder:
        """Start a search with these criteria, and keep it as `finder`."""
        self.finder = Finder(self.cache, criteria, own=self.context.origin.is_own, talks=self.talks)
        return self.finder

    def to_description(self, hit: Hit) -> Description:
        """Describe a found memory, with the details that the cues request."""
        context, state = self.context, hit.state
        description = context.describe(state, self.question.criteria.now)
        description["via"] = hit.via
        description["weak"] = hit.weak
        if hit.see:
            description["see"] = [{"id": ident, "older": older} for ident, older in hit.see.items()]
        description["relevance"] = round(hit.score, 4) if hit.terms else None
        if state.entry.slice is not None:
            from promptx_mem.usecases.recall.messages import activate

            words, messages = self.question.criteria.words, self.cues.messages
            part = activate(context.layout, state.entry.slice, messages=messages, number=hit.message, words=words)
            description["slice"] = part
        if self.cues.explain:
            description["why"] = {**hit.terms, "score": hit.score}
        return description

    def notices(self) -> list[str]:
        """Return notices about the store, printed before the answer. Some can be empty texts."""
        return [*self.context.config_warnings(), self.unread, *self.context.origin.notice()]

    def problems(self) -> list[str]:
        """Return warnings about problems in the files of the store."""
        warnings = self.cache.warnings()
        if problems := int(self.cache.meta("problems") or 0):
            lines = plural(problems, "line")
            warnings.append(f"{lines} of the store cannot be read; to list them: promptx-mem audit --verify")
        return warnings


Matches = list[tuple[StoreQuery, Hit]]
"""Found memories, each with the store in which it was found."""


def difference(matches: Matches, others: Matches) -> Matches:
    """Return the matches that are not among `others`."""
    known = {(query, hit.rowid) for query, hit in others}
    return [(query, hit) for query, hit in matches if (query, hit.rowid) not in known]


def open_stores(
    context: "Context", cues: Cues, progress: "Progress | None", stack: contextlib.ExitStack
) -> tuple[list[StoreQuery], str]:
    """Open the stores. Return them, and why the other store is left out, or an empty text. Raises the first's error."""
    queries: list[StoreQuery] = []
    if context.other is None or context.layout.exists():
        queries.append(StoreQuery(context, cues, progress, stack))
    if context.other is not None:
        try:
            queries.append(StoreQuery(context.other, cues, progress, stack))
        except (OSError, StoreError) as error:
            if not queries:
                raise
            return queries, f"{context.other.layout.display()} is left out: {error}"
    return queries, ""
