"""Reviews by the judge, which decides pending ones in up to 3 rounds each, while nothing is locked."""

from promptx_mem.core.directives import LAST_ROUND, Decision, parse_answer
from promptx_mem.core.directives import Review as ReviewKind
from promptx_mem.core.state import Review, State, importance_at, may_go_first
from promptx_mem.core.state import review as open_review
from promptx_mem.core.text import plural
from promptx_mem.judge import prompts
from promptx_mem.judge.judge import CallingAgent, Judge, JudgeError, appointed
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.result import Result
from promptx_mem.search import current, memories
from promptx_mem.usecases.change import LockedStore, hold
from promptx_mem.usecases.judging import MAX_FAILURES, note_failure
from promptx_mem.usecases.review import CLOSEST, CONTRADICTION, KINDS, contradictions
from promptx_mem.usecases.review import Review as Answer
from promptx_mem.usecases.review import decide as review

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context

_SEARCH_RESULTS = 5


class Tally:
    """Counts of a run: reviews answered each way, and why others were not."""

    def __init__(self) -> None:
        self.kept = 0
        self.promoted = 0
        self.deleted = 0
        self.of_two = 0
        self.failed = 0
        self.why = ""

    def summary(self) -> list[str]:
        """Return lines about the run; none if nothing was asked."""
        counts = {"promoted": self.promoted, "kept": self.kept, "deleted": self.deleted}
        parts = [f"{count} {name} by the judge" for name, count in counts.items() if count]
        if self.of_two:
            parts.append(f"{plural(self.of_two, 'contradiction')} answered by the judge")
        return parts + ([f"{self.failed} left open: {self.why}"] if self.failed else [])


def ask_judge(context: "Context", most: int) -> Tally:
    """Ask about up to `most` pending reviews, the longest waiting first; an error leaves a review pending.

    Those of the user store need a person.
    """
    tally = Tally()
    judge = appointed()
    if isinstance(judge, CallingAgent) or most <= 0 or context.layout.is_user:
        return tally
    now = context.now().timestamp()
    in_a_row = 0
    for state, question in _waiting(context, now)[:most]:
        try:
            decision = decide(context, judge, state, question)
        except JudgeError as error:
            tally.failed += 1
            tally.why = error.message
            note_failure(context, error, state.entry.id)
            in_a_row += 1
            if in_a_row >= MAX_FAILURES:
                break
            continue
        in_a_row = 0
        if question.kind == CONTRADICTION:
            tally.of_two += _settle(context, state, question, decision)
            continue
        kind = _answer(context, state, question, decision)
        if kind is not None:
            setattr(tally, kind, getattr(tally, kind) + 1)
    return tally


def decide(context: "Context", judge: Judge, state: State, question: Review) -> Decision:
    """Return the judge's decision about one memory. Raises JudgeError; none in the last round is KEEP."""
    kind: ReviewKind = "fading"
    if question.kind == "promotion":
        kind = "promotion"
    elif question.kind == CONTRADICTION:
        kind = "contradiction"
    searches: list[tuple[str, list[State]]] = []
    replies: list[str] = []
    for round_ in range(1, LAST_ROUND + 1):
        prompt = _prompt(context, state, question, searches, round_, replies)
        reply = judge.ask(prompt)
        if reply is None:
            raise JudgeError("there is no judge to ask")
        replies.append(reply)
        answer = parse_answer(reply, round=round_, review=kind)
        if answer.search is not None:
            searches.append((answer.search, _search(context, state, answer.search)))
        elif answer.decision is not None:
            return answer.decision
    return "both" if kind == "contradiction" else "keep"


def _waiting(context: "Context", now: float) -> list[tuple[State, Review]]:
    """Return the reviews for the judge; a memory that may replace a user's own one is left to others."""
    with current.open_current(context.layout) as cache:
        asked = [(state, open_review(state, now)) for state in memories.open_reviews(cache, now)]
        pairs = [
            (older, question)
            for older, question in contradictions(cache, now)
            if question.other is not None and may_go_first(question.other, older)
        ]
    return [(state, question) for state, question in asked if question is not None] + pairs


def _settle(context: "Context", subject: State, question: Review, decision: Decision) -> int:
    """Write the answer about two contradicting memories; 0 if the question is no longer open."""
    assert question.other is not None
    with current.open_current(context.layout) as cache:
        now = context.now().timestamp()
        still = any(
            (older.entry, one.other and one.other.entry) == (subject.entry, question.other.entry)
            for older, one in contradictions(cache, now)
        )
    if still:
        review(context, subject.entry.id, decision)
    return int(still)


def _prompt(
    context: "Context",
    state: State,
    question: Review,
    searches: list[tuple[str, list[State]]],
    round_: int,
    replies: list[str],
) -> str:
    now = context.now().timestamp()
    with current.open_current(context.layout) as cache:
        near = memories.closest(cache, state.entry.text, now, without=state.entry.id, count=CLOSEST)
    return prompts.review_round(state, question, importance_at(state, now), near, searches, round_, replies)


def _search(context: "Context", state: State, words: str) -> list[State]:
    now = context.now().timestamp()
    with current.open_current(context.layout) as cache:
        return memories.closest(cache, words, now, without=state.entry.id, count=_SEARCH_RESULTS)


def _answer(context: "Context", subject: State, question: Review, decision: Decision) -> str | None:
    """Write an answer under the lock; None if the question has changed."""
    kind = KINDS[decision]

    def work(store: LockedStore) -> Result[Answer]:
        state = store.lookup.state(subject.entry.id)
        same = state is not None and state.entry.text == subject.entry.text
        if state is None or not same or open_review(state, context.now().timestamp()) != question:
            return Result("review", {"decision": None})
        store.commit("review", [store.event(kind, state)], verdict=kind, id=state.entry.id, why=question.kind)
        return Result("review", {"decision": kind})

    return hold(context, work).data["decision"]
