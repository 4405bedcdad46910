"""review: what waits for a decision, and the decision of a person or the calling agent."""

from typing import TYPE_CHECKING, TypedDict

from promptx_mem.core.state import State, importance_at, lives
from promptx_mem.core.state import review as open_review
from promptx_mem.core.syntax import unique
from promptx_mem.errors import Refused, UsageError
from promptx_mem.judge import prompts
from promptx_mem.result import Result
from promptx_mem.search import current, memories
from promptx_mem.search.cache import Cache
from promptx_mem.usecases.change import Held, held

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context

KINDS = {"keep": "kept", "promote": "promoted", "delete": "deleted"}
CLOSEST = 5


class Question(TypedDict):
    """An open review, with the prompt that asks for its answer."""

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
    for one in context.both():
        with current.open_current(one.layout) as cache:
            items += [_item(one, cache, state, now) for state in memories.open_reviews(cache, now)]
        warnings += (*one.config_warnings(), *one.origin.notice())
    items.sort(key=lambda item: item["opened"])
    data: Review = {"store": context.layout.shown(), "count": len(items), "reviews": items, "as_prompt": as_prompt}
    return Result("review", data, unique(warnings))


def decide(context: "Context", ident: str, answer: str) -> Result[Review]:
    """Answer an open review. Raises Refused where none is open, UsageError for another answer."""
    if answer not in KINDS:
        raise UsageError(f"{answer!r} is no answer to a review", hint="keep, promote or delete")

    def work(store: Held) -> Result[Review]:
        now = context.now().timestamp()
        state = store.lookup.by_id(ident)
        question = open_review(state, now)
        if question is None:
            raise Refused(
                f"no review of {state.entry.id} is open",
                code="no_review",
                hint="promptx-mem review --list shows what waits; forget, boost and verify act at any time",
            )
        kind = KINDS[answer]
        if kind == "promoted" and question.kind == "fading":
            kind = "kept"  # a promotion is no answer to a fading review (source 003)
        store.commit("review", [store.event(kind, state)], verdict=kind, id=state.entry.id)
        after = store.after(state)
        data: Review = {
            "store": context.layout.shown(),
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

    return held(context, work)


def _item(context: "Context", cache: Cache, state: State, now: float) -> Question:
    question = open_review(state, now)
    assert question is not None
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
        "prompt": prompts.review(state, question, importance, near),
    }
