"""What `recall` answers: the shape of it, for whoever makes it, shows it or puts it into a prompt."""

from typing import Annotated, NotRequired, TypedDict


class Turn(TypedDict):
    """One raw message of a slice."""

    role: str
    text: str
    at: str | None


class Activation(TypedDict):
    """A slice with its raw messages; `left_out` says how many are missing in each gap."""

    ref: str
    date: str | None
    time: str | None
    summary: str | None
    messages: list[Turn]
    left_out: list[int]
    missing: bool


class Description(TypedDict):
    """A memory. `why` are the terms of its ranking, where they are asked for."""

    id: str
    text: str
    tags: list[str]
    score: float
    duration: str
    at: str
    category: str
    type: str | None
    topic: str | None
    origin: str
    source: str
    verified: bool
    session: str | None
    importance: float
    lives: bool
    ends_at: str | None
    end: str | None
    superseded_by: list[str]
    supersedes: str | None
    age: str
    freshness: str | None
    slice: Activation | None
    via: NotRequired[list[str]]
    relevance: NotRequired[float | None]
    why: NotRequired[dict[str, float]]


class Recall(TypedDict):
    """The answer. `more` is null where it would take long to count; `format` is the command line's."""

    store: str
    count: int
    total: int
    left_out: int
    more: Annotated[int | None, 0]
    dropped: NotRequired[int]
    budget: int | None
    as_of: str | None
    format: NotRequired[str | None]
    cues: list[str]
    memories: list[Description]
    near_misses: list[str]
