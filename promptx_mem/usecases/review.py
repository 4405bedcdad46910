"""review: what waits for a decision, and the decision of a person or the calling agent."""

from typing import TYPE_CHECKING, NamedTuple, TypedDict

from promptx_mem.core.state import Review as Open
from promptx_mem.core.state import State, importance_at, lives
from promptx_mem.core.state import review as open_review
from promptx_mem.core.syntax import unique
from promptx_mem.core.text import plural
from promptx_mem.errors import Refused, UsageError
from promptx_mem.judge import prompts
from promptx_mem.result import Result
from promptx_mem.search import current, memories
from promptx_mem.search.cache import Cache
from promptx_mem.usecases.change import LockedStore, hold
from promptx_mem.usecases.confirmation import demand_person, is_person

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context

KINDS = {"keep": "kept", "promote": "promoted", "delete": "deleted"}
CLOSEST = 5
CONFIRM = "confirm"
"""The question whether what an agent stored is to be given in every project."""


class Question(TypedDict):
    """An open review, with the prompt that asks for its answer; none where only a person may give it."""

    id: str
    scope: str
    text: str
    review: str
    opened: float
    importance: float
    category: str
    ends_at: float | None
    prompt: str


class Review(TypedDict, total=False):
    """What review answers: what waits, or what was decided of one memory."""

    store: str
    count: int
    reviews: list[Question]
    id: str
    text: str
    note: str | None
    as_prompt: bool
    review: str
    decision: str | None
    lives: bool | None
    category: str
    importance: float


def waiting(context: "Context", *, as_prompt: bool = False) -> Result[Review]:
    """List open reviews, the oldest first, each with the prompt that asks for it."""
    now = context.now().timestamp()
    items: list[Question] = []
    warnings: list[str] = []
    for member in context.both():
        with current.open_current(member.layout) as cache:
            items += [_item(member, cache, state, now) for state in memories.open_reviews(cache, now)]
            if member.layout.is_user:
                items += _unconfirmed(member, cache, now, warnings)
        warnings += (*member.config_warnings(), *member.origin.notice())
    items.sort(key=lambda item: item["opened"])
    data: Review = {"store": context.layout.display(), "count": len(items), "reviews": items, "as_prompt": as_prompt}
    return Result("review", data, unique(warnings))


class Waiting(NamedTuple):
    """How many memories wait for a decision, and how many for the user to confirm them."""

    reviews: int = 0
    confirmations: int = 0


def count(context: "Context") -> Waiting:
    """How much waits in a store; nothing where its cache would have to be made for that."""
    cache = current.open_if_current(context.layout)
    if cache is None:
        return Waiting()
    now = context.now().timestamp()
    with cache:
        unconfirmed = memories.waiting(cache, now) if context.layout.is_user else ()
        return Waiting(len(memories.open_reviews(cache, now)), len(unconfirmed))


def decide(context: "Context", ident: str, answer: str) -> Result[Review]:
    """Answer an open review. Raises Refused where none is open, UsageError for another answer."""
    if answer not in KINDS:
        raise UsageError(f"{answer!r} is no answer to a review", hint="keep, promote or delete")

    def work(store: LockedStore) -> Result[Review]:
        now = context.now().timestamp()
        state = store.lookup.by_id(ident)
        question = Open(CONFIRM, state.first_at) if state.is_waiting else open_review(state, now)
        if question is None:
            raise Refused(
                f"no review of {state.entry.id} is open",
                code="no_review",
                hint="promptx-mem review --list shows what waits; forget, boost and verify act at any time",
            )
        kind = KINDS[answer]
        if context.layout.is_user and (kind == "promoted" or (state.is_waiting and kind == "kept")):
            demand_person(context, f"promptx-mem review {state.entry.id} {answer} --scope user")
        if state.is_waiting and kind != "deleted":
            kind = "confirmed"
        if kind == "promoted" and question.kind == "fading":
            kind = "kept"  # a promotion is no answer to a fading review (source 003)
        store.commit("review", [store.event(kind, state)], verdict=kind, id=state.entry.id)
        after = store.after(state)
        data: Review = {
            "store": context.layout.display(),
            "count": 0,
            "reviews": [],
            "id": state.entry.id,
            "text": state.entry.text,
            "note": None,
            "review": question.kind,
            "decision": kind,
            "lives": lives(after, now),
            "category": after.category,
            "as_prompt": False,
            "importance": round(importance_at(after, now), 3),
        }
        return Result("review", data)

    return hold(context, work)


def _unconfirmed(context: "Context", cache: Cache, now: float, warnings: list[str]) -> list[Question]:
    """What a person is asked to confirm; to an agent that it is there, and no word of it."""
    waiting = memories.waiting(cache, now)
    if waiting and not is_person(context):
        many = plural(len(waiting), "memory of the user store waits", "memories of the user store wait")
        warnings.append(f"{many} for the user to confirm: promptx-mem review, at a terminal")
        return []
    return [_confirmation(context, cache, state, now) for state in waiting]


def _confirmation(context: "Context", cache: Cache, state: State, now: float) -> Question:
    return _question(context, cache, state, now, Open(CONFIRM, state.first_at))


def _item(context: "Context", cache: Cache, state: State, now: float) -> Question:
    question = open_review(state, now)
    assert question is not None
    return _question(context, cache, state, now, question)


def _question(context: "Context", cache: Cache, state: State, now: float, question: Open) -> Question:
    importance = importance_at(state, now)
    near = memories.closest(cache, state.entry.text, now, without=state.entry.id, count=CLOSEST)
    return {
        "id": state.entry.id,
        "scope": context.scope,
        "text": state.entry.text,
        "review": question.kind,
        "opened": question.opened,
        "importance": round(importance, 3),
        "category": state.category,
        "ends_at": None if state.ends_at == float("inf") else state.ends_at,
        "prompt": "" if question.kind == CONFIRM else prompts.review(state, question, importance, near),
    }
