"""Entry: one memory as its line gives it. Problem: what could not be understood, and how to mend it."""

from typing import NamedTuple

CATEGORIES = ("system", "core", "fact", "episode")
TYPES = ("user", "feedback", "project", "reference")
SOURCES = ("user", "background_ai", "system")
DIMENSIONS = ("importance", "novelty", "relevance", "credibility", "granularity", "timeliness")

SHORT, MEDIUM, LONG, PERMANENT = "短期", "中期", "长期", "永久"

DEFAULT_SCORE = 8.0
"""Score of a line that a person wrote without one: it was written down on purpose (SPEC 1.1)."""


class Entry(NamedTuple):
    """One memory, before anything that happened to it later (see events.fold).

    `score` is 0-10 with one decimal. `duration` is canonical: 短期, 中期, 长期, 永久, an amount (`36h`, `30d`,
    `2w`) or an ISO date. `at` is RFC 3339 with offset; without an offset it is local time (PromptX wrote so);
    None where the line gives none. `profile` is (activation, diffusion, context_independence), each 0-1;
    `dims` follow DIMENSIONS. `salt` > 0 marks an id that was moved aside because an edited memory had taken it.
    `k` orders a line that supersedes among the events of its second.
    """

    text: str
    tags: tuple[str, ...] = ()
    score: float = DEFAULT_SCORE
    duration: str = LONG
    id: str = ""
    at: str | None = None
    topic: str | None = None
    related: tuple[str, ...] = ()
    profile: tuple[float, float, float] | None = None
    category: str = "fact"
    type: str | None = None
    source: str = "user"
    verified: bool = False
    session: str | None = None
    dims: tuple[float, ...] | None = None
    reason: str | None = None
    slice: str | None = None
    supersedes: str | None = None
    k: int | None = None
    salt: int = 0


class Problem(NamedTuple):
    """Something in a file that was not understood; it stays there byte for byte."""

    file: str
    line: int
    what: str
    mend: str
