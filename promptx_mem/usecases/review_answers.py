"""review --answers: the answers to all that waits, in one call; each is taken or refused by itself."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from promptx_mem import session
from promptx_mem.core.text import plural, shorten
from promptx_mem.errors import NotFoundError, PromptxMemError, UsageError
from promptx_mem.judge import answers
from promptx_mem.result import Result
from promptx_mem.usecases import review, summaries
from promptx_mem.usecases.review import Answer, Review

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context

MOST = 1_000
"""Answers of one call."""

_CHINESE = {
    "提升": "promote", "保留": "keep", "删除": "delete", "都保留": review.BOTH, "新": review.NEWER, "旧": review.OLDER
}  # fmt: skip

EXAMPLE = '{"id": "<id>", "decision": "keep"}'


def take(context: "Context", texts: str | Sequence[object], of: "Callable[[str], Context]") -> Result[Review]:
    """Take answers, in their order; `of` gives the store that has an id.

    Raises UsageError where there is none, or more than 1,000.
    """
    items = list(answers.objects(texts)) if isinstance(texts, str) else texts
    if not items:
        raise UsageError("there is no answer in it", code="no_text", hint=f"a JSON object a line, such as {EXAMPLE}")
    if len(items) > MOST:
        raise UsageError(f"{len(items)} answers are too many", hint=f"{MOST} at most in one call")
    results = [_take(item, of) for item in items]
    data: Review = {
        "store": context.layout.display(),
        "count": 0,
        "reviews": [],
        "more": 0,
        "as_prompt": False,
        "prompt": "",
        "asked": 0,
        "answers": results,
    }
    failed = sum(not result["ok"] for result in results)
    problem = f"{plural(failed, 'answer was', 'answers were')} not taken: each says why" if failed else ""
    return Result("review", data, (problem,) if problem else (), exit_status=1 if failed else 0)


def _take(item: object, of: "Callable[[str], Context]") -> Answer:
    fields: Mapping[str, Any] = item if isinstance(item, dict) else {}
    ident = fields.get("id")
    if not isinstance(ident, str) or not ident.strip():
        return {"id": "", "ok": False, "error": "there is no id", "hint": f"such as {EXAMPLE}"}
    ident = ident.strip()
    try:
        return {"id": ident, "ok": True, "decision": _decided(of(ident), ident, fields)}
    except PromptxMemError as error:
        return {"id": shorten(ident, 40), "ok": False, "error": error.message, "hint": error.hint or ""}


def _decided(context: "Context", ident: str, fields: Mapping[str, Any]) -> str:
    answer = fields.get("decision", fields.get("answer"))
    if isinstance(fields.get("summary"), str) and answer is None:
        state = summaries.find(context, ident)
        fallback = summaries.read(context, state) if state is not None else None
        if context.layout.is_user:
            session.demand_person("a summary in the user store", context.command("decay"))
        profile = answers.read_profile(fields, len(fallback.messages) if fallback else 2)
        if profile is None:
            raise UsageError("the summary is empty", hint="one sentence that says what it was about")
        summaries.put(context, state.entry.id if state else ident, profile)
        return review.SUMMARY
    if answer is None and isinstance(aliases := fields.get("aka"), list):
        from promptx_mem.usecases.edit import set_aliases

        return set_aliases(context, ident, tuple(map(str, aliases)) or ("",)).data["verdict"]
    if not isinstance(answer, str):
        raise UsageError("neither a decision nor a summary is given", hint=f"such as {EXAMPLE}")
    word = answer.strip().strip("[]【】").lower()
    data = review.decide(context, ident, _CHINESE.get(word, word)).data
    if not data["decision"]:
        raise NotFoundError(f"no review of {ident} is open")
    return data["decision"]
