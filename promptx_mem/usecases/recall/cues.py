"""What a caller of recall may ask for."""

from collections.abc import Callable
from typing import NamedTuple

from promptx_mem.core.description import Recall
from promptx_mem.result import Result

DEFAULT_COUNT = 10
TOPIC_COUNT = 5
"""Results of a topic that stands alone (source 004)."""

CONTEXT_BUDGET = 2_000

Form = Callable[[Result[Recall]], str]
"""How a result will be shown: what is shown is what is counted."""


class Cues(NamedTuple):
    """What to look for. Words and topics widen, everything else narrows."""

    # Words, "a phrase", -word and #tags; a text that is nothing but a date or an id is that date or that memory.
    text: str = ""
    # The same question asked otherwise, as in another language: the best of them counts.
    otherwise: tuple[str, ...] = ()
    # Topic paths as people write them, such as a->b.
    topics: tuple[str, ...] = ()
    # Days or spans in which a memory was noted.
    dates: tuple[str, ...] = ()

    # Tags that a memory must have, with or without #.
    tags: tuple[str, ...] = ()
    # The memory's type: user, feedback, project or reference.
    type: str | None = None
    # The memory's category: fact, core, episode or system.
    category: str | None = None
    # The session in which it was stored.
    session: str | None = None
    # The least score, 0 to 10.
    min_score: float | None = None
    # The first day on which it may have been noted.
    since: str | None = None
    # The last day on which it may have been noted.
    until: str | None = None

    # A moment: answer as it would have been answered then.
    as_of: str | None = None
    # Also what has ended.
    archived: bool = False
    # Without words, the newest first instead of the most important.
    newest: bool = False

    # How many memories at most. None: 10; 5 for a topic alone, everything for a date alone.
    count: int | None = None  # type: ignore[assignment] # tuples have a method of that name
    # How many tokens `form` may render at most. None: there is no bound.
    budget: int | None = None
    # How the answer will be rendered. None: as the block of `core.context`.
    form: Form | None = None
    # Show the raw messages of slices.
    messages: bool = True
    # Add the nearest by vectors of meaning, which the extra `meaning` computes.
    meaning: bool = False
    # Show every term of the ranking; such a recall is not noted.
    explain: bool = False

    # Note in `.recalled` what was shown.
    touch: bool = True
    # Skip a bad date and report it: for cues taken from a text.
    lenient: bool = False
    # Nobody asked for it: what is given must still have its place.
    unasked: bool = False
    # Add the rules and preferences that share a content word, beyond `count`, which may then be 0.
    rules: bool = False
    # Let the judge drop results.
    judge: bool = False


def with_context(cues: Cues) -> Cues:
    """The same cues for a prompt: 2,000 tokens unless they say otherwise, the block of `core.context`."""
    budget = CONTEXT_BUDGET if cues.budget is None else cues.budget
    count = DEFAULT_COUNT if cues.count is None and cues.budget is None else cues.count
    return cues._replace(budget=budget, form=None, count=count)
