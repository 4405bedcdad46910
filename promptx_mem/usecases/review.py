"""review: lists pending reviews, and applies the decisions of a person or the calling agent."""

import contextlib
import datetime
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from promptx_mem import session
from promptx_mem.core.directives import DECISIONS, LAST_ROUND, Decision, ReviewKind, parse_answer
from promptx_mem.core.journal import ALIASED, CONTRADICTED
from promptx_mem.core.labels import unique
from promptx_mem.core.life import PendingReview as Open
from promptx_mem.core.life import pending_review as open_review
from promptx_mem.core.pasteable import usage
from promptx_mem.core.request import Request
from promptx_mem.core.slices import Reference, parse_reference
from promptx_mem.core.state import MEMBER, OWN, State, importance_at, is_unscored, lives
from promptx_mem.core.text import plural, shorten
from promptx_mem.core.times import DAY, epoch, iso
from promptx_mem.errors import BusyError, NotFoundError, PromptxMemError, Refused, StoreError, UsageError
from promptx_mem.judge import judge, prompts
from promptx_mem.judge.judge import CommandJudge, JudgeError, appointed
from promptx_mem.judge.prompts import Question as Asked
from promptx_mem.record import Any, NamedTuple, NotRequired, TypedDict, cast
from promptx_mem.result import Result
from promptx_mem.search import current, importance, pairs
from promptx_mem.search.cache import Cache
from promptx_mem.store import files
from promptx_mem.usecases import citations, rollup
from promptx_mem.usecases.change import LockedStore, accept, set_aliases, with_lock
from promptx_mem.usecases.context import Context
from promptx_mem.usecases.judging import MAX_FAILURES, note_failure

Fields = Mapping[str, Any]
"""The fields of one answer; empty if the answer is not an object."""

MOST_NAMED = 50
"""Aliases are requested only for this number of the most important memories."""

KINDS = {"keep": "kept", "promote": "promoted", "delete": "deleted"}
BOTH, NEWER, OLDER = "both", "newer", "older"
"""Decisions about two memories that could contradict each other."""

MOST_TURNS = 20
"""Maximum number of turns (messages with their answers) in a prompt."""

DUE_DAYS = 30
"""Number of days after which a memory should be scored again."""

UNSCORED, SUMMARY, CONTRADICTION, CITATION = "unscored", "summary", "contradiction", citations.REVIEW
"""Kinds of reviews: an unscored memory, a conversation's summary, two contradicting memories, failed citations."""

MEMBER_REVIEW = "member"
"""The kind of review for a team member's memory: does it count as the user's own? Such reviews are never listed."""


class Question(TypedDict):
    """A pending review. For example, the memory fades, could become core, is unscored, or lacks a summary.

    If two memories could contradict each other, `id` is the older and `other` the newer one. If there are
    `problems` (failed citations), `correct` is the usage line of the command that corrects the memory.
    """

    id: str
    scope: str
    text: str
    review: str
    importance: float
    at: str
    other: str | None
    other_text: str | None
    other_at: str | None
    problems: list[str]
    correct: str | None


class Due(TypedDict):
    """A memory that was scored or verified more than 30 days ago."""

    id: str
    score: float
    days: int
    text: str


class Answer(TypedDict):
    """The result of one answer, if several were given at once."""

    id: str
    ok: bool
    decision: NotRequired[str]
    note: NotRequired[str]
    error: NotRequired[str]
    hint: NotRequired[str]


class Review(TypedDict, total=False):
    """The answer of `review`: the pending reviews, or the results of answers."""

    store: str
    count: int
    reviews: list[Question]
    prompt: str
    asked: int
    answers: list[Answer]
    due: list[Due]
    more: int
    id: str
    text: str
    note: str | None
    as_prompt: bool
    review: str
    decision: str | None
    lives: bool | None
    category: str
    importance: float


def waiting(
    context: Context, *, as_prompt: bool = False, room: int = prompts.MOST_TOKENS, how: str = "", every: bool = False
) -> Result[Review]:
    """List at most 7 pending reviews a day, or `every` one, the most important first.

    Citations are last, because only they have no deadline. Reviews answered today count too. Unscored memories are
    always listed, because they have no effect until a person answers.

    With `as_prompt`, list the reviews that an agent can answer. Add one prompt with as many reviews and turns as fit
    into `room` tokens.
    """
    now = context.moment
    items: list[tuple[Context, State, Open]] = []
    warnings: list[str] = []
    due: list[Due] = []
    problems: dict[str, list[str]] = {}
    prompt, asked, left = "", 0, prompts.MOST
    offered: list[str] = []
    project = _project(context)
    with contextlib.ExitStack() as stack:
        caches = {member: stack.enter_context(member.cache()) for member in context.both()}
        for member, cache in caches.items():
            found, failing = _pending(member, cache, now)
            items += [(member, *one) for one in found]
            problems |= failing
            if session.is_person() and (others := pairs.of_members(cache)):
                many = plural(others, "memory is from another member", "memories are from other members")
                own = "to accept one as yours, usage: promptx-mem review <id> keep"
                role = "to accept all of a role: promptx-mem sync --trust <role>"
                warnings.append(f"{many} (origin: member); {own}; {role}")
            due += _due(cache, now)
            left -= _answered(cache, context.now())
            warnings += cache.warnings()
            warnings += (*member.config_warnings(), *member.origin.notice())
        left = len(items) + len(due) if every else left
        items.sort(key=lambda item: (item[2].kind == CITATION, -_importance(item[1], item[2], now), item[2].opened))
        open_now = [item for item in items if not _needs_person(item[0], item[2])] if as_prompt else items
        rest_of_day = open_now[max(left, 0) :]
        shown = [*open_now[: max(left, 0)], *(item for item in rest_of_day if item[2].kind == UNSCORED)]
        if as_prompt:
            questions, rest = _prompt_questions(caches, shown, problems, now), len(open_now) - len(shown)
            prompt, asked = prompts.prompt(questions, rest, room, how) if questions else ("", 0)
            if project:
                from promptx_mem.usecases import monitor

                prompt += prompts.turns(monitor.turns_for_agent(project, MOST_TURNS), room, prompt, how)
                offer, offered = prompts.offer(_without_aliases(caches[project], now), room, prompt, how)
                prompt += offer
    if project and offered:
        _note_offer(project, offered)
    data: Review = {
        "store": context.path,
        "count": len(items),
        "reviews": [_question(*item, now, problems.get(item[1].entry.id, [])) for item in shown],
        "more": len(open_now) - len(shown),
        "as_prompt": as_prompt,
        "prompt": prompt,
        "asked": asked,
        "due": due[: max(left - len(shown), 0)],
    }
    return Result("review", data, unique(warnings))


def _pending(context: Context, cache: Cache, now: float) -> tuple[list[tuple[State, Open]], dict[str, list[str]]]:
    """Return all pending reviews of a store, and the messages about failed citations by memory id."""
    found = [*pairs.open_reviews(cache, now), *_contradictions(cache, now)]
    if not context.layout.is_user:  # in the user store, only the user's judge summarises
        found += _asking(SUMMARY, rollup.waiting(cache, now))
    found += _asking(UNSCORED, importance.unscored_memories(cache, now))
    failing = citations.failing(context, citations.unanswered(cache, now))
    # one answer settles all reviews of a memory except contradictions
    pending = {state.entry.id for state, question in found if question.kind != CONTRADICTION}
    found += _asking(CITATION, (state for state, _ in failing if state.entry.id not in pending))
    return found, {state.entry.id: told for state, told in failing}


def _asking(kind: str, states: Iterable[State]) -> list[tuple[State, Open]]:
    return [(state, Open(kind, state.first_at)) for state in states]


def _importance(state: State, question: Open, now: float) -> float:
    """Return the importance of a memory; of two memories in a question, the higher importance."""
    return max(importance_at(one, now) for one in (state, question.other) if one)


def _contradictions(cache: Cache, now: float) -> list[tuple[State, Open]]:
    """Return each memory that a newer one could contradict, with the pending question.

    If there are several newer ones, ask about the earliest first, and about the next one after the answer.
    """
    return list({pair.older.entry.id: _about(pair) for pair in reversed(pairs.waiting(cache, now))}.values())[::-1]


def _about(pair: pairs.Pair) -> tuple[State, Open]:
    return pair.older, Open(CONTRADICTION, pair.opened, pair.newer)


def _without_aliases(cache: Cache, now: float) -> list[State]:
    """Return the user's most important memories without aliases, except those for which an agent was asked."""
    asked = pairs.offered_aliases(cache)
    states = (one.state for one in importance.facts(cache, now, MOST_NAMED))
    return [state for state in states if not state.entry.aka and state.origin == OWN and state.entry.id not in asked]


def _project(context: Context) -> Context | None:
    """Return the context of the project's store if that store is the user's own, else None."""
    own = (member for member in context.both() if not member.layout.is_user and member.origin.is_own)
    return next(own, None)


def _note_offer(context: Context, ids: Sequence[str]) -> None:
    """Record that an agent was asked for aliases of these memories, so that it is asked only once."""

    def work(store: LockedStore) -> Result[Review]:
        store.commit("review", [store.lookup.event(ALIASED, *ids, reason="offered")])
        return Result("review", {})

    with contextlib.suppress(OSError, StoreError, BusyError):  # if this is not recorded, an agent is asked again
        with_lock(context, work)


def _due(cache: Cache, now: float) -> list[Due]:
    """Return up to 7 active memories that should be scored again (source 000), the oldest first."""
    return [
        {
            "id": state.entry.id,
            "score": state.score,
            "days": int((now - state.fresh_at) // DAY),
            "text": shorten(state.entry.text, 60),
        }
        for state in pairs.due(cache, now - DUE_DAYS * DAY, now, prompts.MOST)
    ]


def _answered(cache: Cache, now: datetime.datetime) -> int:
    """Return how many reviews of a store were answered today."""
    today = now.replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
    events = pairs.events_of_kind(cache, *KINDS.values(), "confirmed", CONTRADICTED)
    return sum(event.verified is False or event.kind != CONTRADICTED for event in events if epoch(event.at) >= today)


def _prompt_questions(
    caches: Mapping[Context, Cache],
    items: list[tuple[Context, State, Open]],
    problems: Mapping[str, list[str]],
    now: float,
) -> list[Asked]:
    questions = []
    for member, state, question in items:
        importance = importance_at(state, now)
        if question.kind == SUMMARY:
            if content := rollup.read(member, state):
                questions.append(Asked(SUMMARY, state, importance, (), content[1]))
        else:
            near = pairs.closest(caches[member], state.entry.text, now, without=state.entry.id)
            near = [question.other] if question.other else near
            told = problems.get(state.entry.id, ()) if question.kind == CITATION else ()
            questions.append(Asked(question.kind, state, importance, near, problems=told))
    return questions


def _needs_person(context: Context, question: Open) -> bool:
    return context.layout.is_user or question.kind == UNSCORED


class Waiting(NamedTuple):
    """Pending reviews for an agent, pending reviews for a person, missing summaries, and unseen turns.

    A turn is a message with its answer. Unseen turns are not counted: `turns` is 1 if there is one, else 0.
    """

    reviews: int = 0
    of_person: int = 0
    summaries: int = 0
    turns: int = 0


def count(context: Context) -> Waiting:
    """Count the pending reviews of a store. All numbers are 0 if its cache would have to be rebuilt."""
    cache = current.open_if_current(context.layout)
    if cache is None:
        return Waiting()
    with cache:
        found, _ = _pending(context, cache, context.moment)
    if context.layout.is_user:
        return Waiting(of_person=len(found))
    kinds = Counter(question.kind for _, question in found)
    rest = len(found) - kinds[UNSCORED] - kinds[SUMMARY]
    counted = Waiting(rest, kinds[UNSCORED], kinds[SUMMARY])
    if not context.origin.is_own or not any(map(files.status, context.layout.talks)):
        return counted
    from promptx_mem.usecases import monitor

    return counted._replace(turns=len(monitor.turns_for_agent(context, 1)))


def decide(context: Context, ident: str, answer: str, newer: str | None = None) -> Result[Review]:
    """Answer a pending review. In a contradiction, `newer` can name the newer memory.

    Raises Refused if there is no such pending review, UsageError for an unknown answer.
    """
    word = _word(answer)
    if word is None:
        hint = "allowed: keep, promote, delete; for a contradiction: both, newer, older"
        raise UsageError(f"{answer!r} is not an answer to a review", hint=hint)

    def work(store: LockedStore) -> Result[Review]:
        state = store.lookup.by_id(ident)
        if word not in KINDS:
            return _resolve_contradiction(store, state, word, newer)
        question = _pending_review(store, state, word)
        kind = KINDS[word]
        if _needs_person(context, question) or question.kind == MEMBER_REVIEW:
            session.demand_person("this review", context.command("review", state.entry.id, word))
        if question.kind == UNSCORED and kind != "deleted":  # the gate's rules for a text that the user asked to store
            from promptx_mem.usecases import gate

            request = Request(state.entry.text, state.tags or (context.scope,), explicit=True)
            gate.check_request(gate.Attempt(context, request).read(), store.lookup)
        if question.kind in (UNSCORED, MEMBER_REVIEW) and kind != "deleted":
            kind = "confirmed"
        if kind == "promoted" and question.kind == "fading":
            kind = "kept"  # a fading memory cannot be promoted (source 003)
        if kind != "deleted" and session.is_person():
            accept(store, state)
        reason = CITATION if question.kind == CITATION else None
        store.commit("review", [store.event(kind, state, reason=reason)], verdict=kind, id=state.entry.id)
        return _decided(store, state, question.kind, kind)

    return with_lock(context, work)


def _decided(store: LockedStore, state: State, kind: str, decision: str) -> Result[Review]:
    now, after = store.context.moment, store.after(state)
    data: Review = {
        "store": store.context.path,
        "id": state.entry.id,
        "text": state.entry.text,
        "review": kind,
        "decision": decision,
        "lives": lives(after, now),
        "category": after.category,
        "importance": round(importance_at(after, now), 3),
    }
    return Result("review", data)


def _no_review(context: Context, ident: str, word: str) -> Refused:
    hint = "to list pending reviews and their answers: promptx-mem review --list"
    if word == "keep":
        hint += f"\nif it is still true: {context.command('verify', ident)}"
    return Refused(f"{ident} has no pending review that accepts {word}", code="no_review", hint=hint)


def _resolve_contradiction(store: LockedStore, state: State, answer: str, newer: str | None) -> Result[Review]:
    """Decide which of two contradicting memories is true. Raises Refused if no such question is pending.

    `state` is one of the two. With `newer`, only the pair with this newer memory counts, else the earliest pair.
    """
    context = store.context
    found = pairs.with_ids(store.cache, [state.entry.id], context.moment)
    found = [pair for pair in found if pair.older.entry.id == state.entry.id] or found
    pair = next((pair for pair in found if newer in (None, pair.newer.entry.id)), None)
    if pair is None:
        raise _no_review(context, state.entry.id, answer)
    if context.layout.is_user:
        session.demand_person("this review", context.command("review", state.entry.id, answer))
    records, note = [{"verdict": answer, "id": state.entry.id}], None
    if answer == BOTH:
        event = store.lookup.event(CONTRADICTED, pair.newer.entry.id, pair.older.entry.id, verified=False)
    else:
        loser, stays = (pair.older, pair.newer) if answer == NEWER else (pair.newer, pair.older)
        event = store.event("deleted", loser, reason=f"contradicts {stays.entry.id}")
        records.append({"verdict": "deleted", "id": loser.entry.id})
        back = context.command("restore", loser.entry.id)
        note = f"ended: {loser.entry.id} {shorten(loser.entry.text, 40)}; to bring it back: {back}"
    store.commit("review", [event], *records)
    result = _decided(store, state, CONTRADICTION, answer)
    return result._replace(data={**result.data, "note": note})


def _pending_review(store: LockedStore, state: State, answer: str) -> Open:
    """Return the pending review of one memory to which an answer belongs. Raises Refused if there is none.

    If no other is pending: for a member's memory (only keep), or for failed citations (only keep, delete).
    """
    now = store.context.moment
    if is_unscored(state, now) and lives(state, now):
        return Open(UNSCORED, state.first_at)
    if question := open_review(state, now):
        return question
    if state.origin.startswith(MEMBER):
        if answer == "keep":
            return Open(MEMBER_REVIEW, state.first_at)
    elif answer != "promote":
        citing = [one for one in citations.unanswered(store.cache, now) if one.entry.id == state.entry.id]
        if citations.failing(store.context, citing):
            return Open(CITATION, state.first_at)
    raise _no_review(store.context, state.entry.id, answer)


def _question(context: Context, state: State, question: Open, now: float, problems: list[str]) -> Question:
    other = question.other
    return {
        "id": state.entry.id,
        "scope": context.scope,
        "text": state.entry.text,
        "review": question.kind,
        "importance": round(importance_at(state, now), 3),
        "at": iso(state.first_at),
        "other": other and other.entry.id,
        "other_text": other and other.entry.text,
        "other_at": other and iso(other.first_at),
        "problems": problems,
        "correct": usage(Request("", update=state.entry.id)) if problems else None,
    }


EXAMPLE = '{"id": "<id>", "decision": "keep"}'


def apply_answers(context: Context, texts: str | Sequence[object], of: Callable[[str], Context]) -> Result[Review]:
    """Apply answers about memories, then answers about turns. `of(id)` returns the context of the store with the id.

    The last of several decisions about one question counts, because a model can revise its decision. Each line that
    begins like an answer but cannot be read gets an error. Raises UsageError if there are no answers.
    """
    texts = judge.without_thinking(texts) if isinstance(texts, str) else texts
    found = list(judge.located_objects(texts)) if isinstance(texts, str) else []
    items = [fields for fields, _, _ in found] if isinstance(texts, str) else texts
    if not items:
        hint = f"give one JSON object per line, such as {EXAMPLE}"
        raise UsageError("the input contains no answers", code="no_text", hint=hint)
    answers = {_question_of(fields): fields for fields in (item if isinstance(item, dict) else {} for item in items)}
    in_order = sorted(answers.values(), key=lambda fields: parse_reference(_ident(fields)) or Reference("", 0))
    results = [_apply_answer(context, fields, of) for fields in in_order]
    if isinstance(texts, str):
        results += _wrong_lines(texts, list(dict.fromkeys((start, stop) for _, start, stop in found)))
    data: Review = {"store": context.path, "answers": results}
    failed = sum(not result["ok"] for result in results)
    problem = f"{plural(failed, 'answer was', 'answers were')} not accepted; each line has the reason" if failed else ""
    return Result("review", data, (problem,) if problem else (), exit_status=1 if failed else 0)


def _wrong_lines(text: str, spans: Sequence[tuple[int, int]]) -> list[Answer]:
    """Return an error for each line outside the `spans` of answers that begins like a JSON object."""
    for start, stop in reversed(spans):
        text = text[:start] + "\n" * text.count("\n", start, stop) + text[stop:]
    wrong = [number for number, line in enumerate(text.split("\n"), 1) if line.lstrip().startswith(("{", '"'))]
    hint = f"such as {EXAMPLE}"
    return [{"id": "", "ok": False, "error": f"line {number} is not a JSON object", "hint": hint} for number in wrong]


def _question_of(fields: Fields) -> object:
    """Return a key for the question that a decision answers. Any other answer has its own key."""
    word = _word(fields.get("decision"))
    return (_ident(fields), word in KINDS) if word else id(fields)


def _ident(fields: Fields) -> str:
    ident = fields.get("id")
    return ident.strip() if isinstance(ident, str) else ""


def _word(answer: object) -> str | None:
    """Return the decision that an English or Chinese word means, or None."""
    return DECISIONS.get(answer.strip().strip("[]").lower()) if isinstance(answer, str) else None


def _apply_answer(context: Context, fields: Fields, of: Callable[[str], Context]) -> Answer:
    if not (ident := _ident(fields)):
        return {"id": "", "ok": False, "error": "the answer has no id", "hint": f"for example: {EXAMPLE}"}
    try:
        if (turn := parse_reference(ident)) is not None:
            from promptx_mem.usecases import monitor

            if (project := _project(context)) is None:
                raise NotFoundError(f"no turn {turn} is pending")
            done = monitor.answer(project, turn, _texts(fields, "directives"))
            return {"id": ident, "ok": True, "decision": done}
        return _record_answer(of(ident), ident, fields)
    except PromptxMemError as error:
        return {"id": shorten(ident, 40), "ok": False, "error": error.message, "hint": error.hint or ""}


def _texts(fields: Fields, key: str) -> list[str]:
    """Return a list of texts in an answer. Raises UsageError for any other value."""
    texts = fields.get(key)
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise UsageError(f"{key} is not a list of texts", hint=f'such as {{"id": "<id>", "{key}": ["<text>"]}}')
    return texts


def _record_answer(context: Context, ident: str, fields: Fields) -> Answer:
    answer = fields.get("decision")
    if isinstance(fields.get("summary"), str) and answer is None:
        state = rollup.find(context, ident)
        content = rollup.read(context, state) if state is not None else None
        if context.layout.is_user:
            session.demand_person("a summary in the user store", context.command("decay"))
        profile = judge.read_profile(fields, len(content[1]) if content else 2)
        if profile is None:
            raise UsageError("the summary is empty", hint="give one sentence about its topic")
        rollup.put(context, state.entry.id if state else ident, profile)
        return {"id": ident, "ok": True, "decision": SUMMARY}
    if answer is None and fields.get("aka") is not None:
        state = rollup.find(context, ident)
        aliases = (*(state.entry.aka if state else ()), *_texts(fields, "aka"))
        return {"id": ident, "ok": True, "decision": set_aliases(context, ident, aliases).data["verdict"]}
    if not isinstance(answer, str):
        raise UsageError("there is no decision, summary or aka", hint=f"for example: {EXAMPLE}")
    data = decide(context, ident, answer).data
    done: Answer = {"id": ident, "ok": True, "decision": str(data["decision"])}
    return {**done, "note": note} if (note := data.get("note")) else done


def ask_judge(context: Context, most: int) -> list[str]:
    """Ask the judge about up to `most` pending reviews, contradictions last. Return lines about the answers.

    After an error, a review stays pending. The judge is not asked about the user store, where a person must answer, nor
    about pairs in which the newer memory is not allowed to replace the older one.
    """
    appointee = appointed()
    if appointee is None or context.layout.is_user:
        return []
    answered, in_a_row, failures, now = 0, 0, list[str](), context.moment
    with context.cache() as cache:
        of_two = [_about(pair) for pair in pairs.waiting(cache, now) if pair.is_ordered]
        asked = (pairs.open_reviews(cache, now) + of_two)[:most]
    for state, question in asked:
        try:
            decision = _decision(context, appointee, state, question)
        except JudgeError as error:
            failures.append(error.message)
            note_failure(context, error, state.entry.id)
            if (in_a_row := in_a_row + 1) == MAX_FAILURES:
                break
            continue
        in_a_row = 0
        with contextlib.suppress(Refused, NotFoundError):  # somebody has answered the review meanwhile
            decide(context, state.entry.id, decision, question.other and question.other.entry.id)
            answered += 1
    lines = [f"the judge answered {plural(answered, 'review')}"] if answered else []
    return lines + ([f"{plural(len(failures), 'review')} not answered: {failures[-1]}"] if failures else [])


def _decision(context: Context, appointee: CommandJudge, state: State, question: Open) -> Decision:
    """Return the judge's decision. Without one, return "both" for a contradiction, else "keep". Raises JudgeError."""
    kind = cast("ReviewKind", question.kind)
    importance = importance_at(state, context.moment)
    near = _near(context, state, state.entry.text)
    searches: list[tuple[str, list[State]]] = []
    replies: list[str] = []
    for round_ in range(1, LAST_ROUND + 1):
        reply = appointee.ask(prompts.review_round(state, question, importance, near, searches, round_, replies))
        replies.append(reply)
        answer = parse_answer(reply, round=round_, review=kind)
        if answer.search is not None:
            searches.append((answer.search, _near(context, state, answer.search)))
        elif answer.decision is not None:
            return answer.decision
    return "both" if kind == "contradiction" else "keep"


def _near(context: Context, state: State, words: str) -> list[State]:
    """Return the memories closest to some words, except the memory `state`."""
    with context.cache() as cache:
        return pairs.closest(cache, words, context.moment, without=state.entry.id)
