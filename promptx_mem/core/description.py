"""The data that `recall` returns."""

from promptx_mem.core import state as freshness
from promptx_mem.core.entry import Cite
from promptx_mem.core.state import NEVER, State, importance_at, is_unscored, is_unverified, lives
from promptx_mem.core.times import epoch, iso
from promptx_mem.record import Annotated, NotRequired, TypedDict


class Turn(TypedDict):
    """One message of a slice (a part of a stored conversation that has been summarised)."""

    role: str
    text: str
    at: str | None


class Activation(TypedDict):
    """A slice (a summarised part of a conversation) with its messages.

    `left_out` has the number of omitted messages in each gap. `missing`: the slice is not stored any more.
    """

    ref: str
    date: str | None
    time: str | None
    summary: str | None
    messages: list[Turn]
    left_out: list[int]
    missing: bool


class See(TypedDict):
    """A reference to another memory that could contradict this memory. `older`: this memory is the older of the two."""

    id: str
    older: bool


class Description(TypedDict):
    """A memory in an answer. `why`: parts of its rank score, if requested. `weak`: it matches little of the query."""

    id: str
    text: str
    tags: list[str]
    score: float
    duration: str
    at: str
    behind: bool
    category: str
    type: str | None
    topic: str | None
    origin: str
    scope: str
    unscored: bool
    source: str
    verified: bool
    unverified: bool
    session: str | None
    importance: float
    last_access: str
    lives: bool
    ends_at: str | None
    end: str | None
    superseded_by: list[str]
    supersedes: str | None
    age: str
    freshness: str | None
    slice: Activation | None
    cites: list[Cite]
    via: NotRequired[list[str]]
    relevance: NotRequired[float | None]
    weak: NotRequired[bool]
    see: NotRequired[list[See]]
    why: NotRequired[dict[str, float]]


def describe(state: State, now: float, config: freshness.Freshness, origin: str, scope: str) -> Description:
    """Return the description of a memory at the time `now`, as all JSON answers contain it."""
    entry, cites = state.entry, []
    if entry.cites:
        from promptx_mem.core import citations  # few memories have citations

        cites = citations.read(entry.cites)
    at = "" if entry.behind else entry.at
    if not at or epoch(at) - state.first_at >= 1.0:  # the text in the line is the same to a second
        at = iso(state.first_at)
    note = sentence(state.fresh_at, freshness.threshold_for(config, entry.type), now)
    return {
        "id": entry.id,
        "text": entry.text,
        "tags": list(state.tags),
        "score": state.score,
        "duration": state.duration,
        "at": at,
        "behind": entry.behind,
        "category": state.category,
        "type": entry.type,
        "topic": entry.topic,
        "origin": origin,
        "scope": scope,
        "unscored": is_unscored(state, now),
        "source": entry.source,
        "verified": state.verified,
        "unverified": is_unverified(state),
        "session": entry.session,
        "importance": round(importance_at(state, now), 3),
        "last_access": iso(state.accessed),
        "lives": lives(state, now),
        "ends_at": None if state.ends_at == NEVER else iso(state.ends_at),
        "end": None if lives(state, now) else state.end,
        "superseded_by": list(state.superseded_by),
        "supersedes": entry.supersedes,
        "age": freshness.age_text(now - state.fresh_at),
        "freshness": note or None,
        "slice": None,
        "cites": cites,
    }


def references(memory: Description) -> list[str]:
    """Return the references to show with a memory. "older: see ID" names the newest of the newer memories."""
    see = memory.get("see", ())
    newer = [f"older: see {one['id']}" for one in see if one["older"]]
    return newer[-1:] + [f"see also {one['id']}" for one in see if not one["older"]]


def warnings(memory: Description) -> list[str]:
    """Return a warning for each invalid citation of a memory."""
    if not memory["cites"]:
        return []
    from promptx_mem.core import citations

    return citations.failures(memory)


class Recall(TypedDict):
    """The data of `recall`. `more`: the number of further matching memories, or null if counting would take long."""

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
    hint: str


def sentence(modified: float, threshold: float | None, now: float) -> str:
    """Return a warning that a memory is old (in the words of source 002, docs/design.md), or an empty text."""
    age = freshness.old_age(modified, threshold, now)
    return age and (
        f"This memory is {age} old. Memories are point-in-time observations and may no"
        " longer reflect current state. Please verify with current context (re-read files, re-check"
        " configuration) before acting on this information."
    )
