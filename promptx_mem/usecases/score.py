"""score: evaluates dimensions without storing, and shows every term of the formula."""

import contextlib

from promptx_mem.core import request, scoring
from promptx_mem.core.request import Request
from promptx_mem.core.shell import GUIDE
from promptx_mem.data import word_lists
from promptx_mem.errors import BusyError, StoreError, UsageError
from promptx_mem.places import is_private
from promptx_mem.record import TypedDict
from promptx_mem.result import Result
from promptx_mem.store import audit
from promptx_mem.store.config import Config
from promptx_mem.store.writer import Writer
from promptx_mem.usecases import limits
from promptx_mem.usecases.context import MOMENT, Context


class Term(TypedDict):
    """A term of the formula: the weight of one dimension times its value."""

    dimension: str
    weight: float
    value: float
    product: float


class Score(TypedDict, total=False):
    """The answer of `score`: the evaluation, or only the guide."""

    score: float
    final_score: float
    profile: str
    explicit: bool
    terms: list[Term]
    divisor: float
    bonus: float
    verdict: str
    warned: bool
    guide: dict[str, list[str]] | None


def score(context: Context, dims: str | None, profile: str | None, *, explicit: bool, guide: bool) -> Result[Score]:
    """Evaluate dimensions (in a store, this counts for the day's limit), or return the questions to answer."""
    if guide:
        # The questions are from source 001 in docs/design.md. The lines under `guidelines` are from source 000.
        lists = word_lists("usecases/score_guide.txt")
        return Result("score", {"guide": {heading: questions.splitlines() for heading, questions in lists.items()}})
    if dims is None:
        example = "importance=9,novelty=7,relevance=9,credibility=8,granularity=8,timeliness=9"
        hint = f"for example: promptx-mem score {example}\n{GUIDE}"
        raise UsageError("the six dimensions are missing", code="no_dims", hint=hint)
    values, evaluation = _evaluated(dims, profile or context.config.profile, explicit=explicit)
    _count(context, evaluation.score)
    verdict = request.verdict(evaluation.score, policy=context.config.policy, explicit=explicit)
    warnings = context.config_warnings()
    if not (explicit or scoring.is_credible(values)):
        verdict, warnings = verdict._replace(stored=False, warned=False), (*warnings, scoring.NOT_CREDIBLE)
    data: Score = {
        "score": evaluation.score,
        "final_score": verdict.final_score,
        "profile": evaluation.profile,
        "explicit": explicit,
        "terms": [
            {"dimension": t.name, "weight": t.weight, "value": t.value, "product": t.product} for t in evaluation.terms
        ],
        "divisor": evaluation.divisor,
        "bonus": evaluation.bonus,
        "verdict": "stored" if verdict.stored else "refused",
        "warned": verdict.warned,
    }
    return Result("score", data, warnings)


def _evaluated(dims: str, profile: str, *, explicit: bool) -> tuple[tuple[float, ...], scoring.Evaluation]:
    try:
        values = scoring.parse_dims(dims)
        return values, scoring.evaluate(values, profile, explicit=explicit)
    except ValueError as error:
        raise UsageError(str(error), hint=GUIDE) from None


def agreed(asked: Request, dims: str, config: Config, score: float | None) -> tuple[tuple[float, ...], float]:
    """Return the dimensions of a request to remember, and their score.

    Raises UsageError for an error, Refused if `score` differs.
    """
    values, evaluation = _evaluated(dims, asked.profile or config.profile, explicit=asked.explicit)
    if score is not None and abs(score - evaluation.score) > request.MISMATCH + 1e-9:
        from promptx_mem.usecases import advice

        raise advice.mismatch(asked, score, evaluation.score)
    return values, evaluation.score


def _count(context: Context, result: float) -> None:
    """Record the evaluation in the audit log if the store exists and can be written. Raises Refused at the limit."""
    if not context.layout.exists() or context.config.problem is not None or is_private():
        return
    limits.check_day(audit.scorings(audit.read(context.layout), context.now()), context.now())

    def note(writer: Writer) -> None:
        now = context.now()
        count = audit.scorings(audit.read(writer.layout), now)
        limits.check_day(count, now)
        context.note(writer, "score", score=result, verdict="scored", n=count + 1)

    with contextlib.suppress(BusyError, StoreError):
        context.store.write(note, wait=MOMENT)
