"""recall --judge: the judge keeps or drops each result (source 004's evaluator); a failure drops nothing."""

from typing import TYPE_CHECKING

from promptx_mem.core.description import Recall
from promptx_mem.errors import ConfigError, StoreError
from promptx_mem.judge import answers, prompts
from promptx_mem.judge.failure import JudgeError
from promptx_mem.judge.judge import COMMAND, appointed
from promptx_mem.result import Result
from promptx_mem.usecases.judge_reviews import note_failure

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context


def evaluate(context: "Context", result: Result[Recall]) -> Result[Recall]:
    """Drop what the judge says is of no use for the cues; what it does not mention stays."""
    found = result.data["memories"]
    if not found:
        return result
    try:
        answer = appointed().ask(prompts.evaluation(result.data["cues"], found))
        if answer is None:
            return _unjudged(result, f"no judge is configured ({COMMAND}, or llm.command in the user's settings)")
        said = _verdicts(answer, {one["id"] for one in found})
    except JudgeError as error:
        _note(context, error)
        return _unjudged(result, error.message)
    except (ConfigError, StoreError) as error:  # reading goes on
        return _unjudged(result, error.message)
    kept = [one for one in found if said.get(one["id"], True)]
    dropped = len(found) - len(kept)
    data: Recall = {**result.data, "memories": kept, "count": len(kept), "dropped": dropped}
    warnings = (f"the judge dropped {dropped} of {len(found)}",) if dropped else ()
    return result._replace(data=data, warnings=(*result.warnings, *warnings))


def _verdicts(answer: str, ids: set[str]) -> dict[str, bool]:
    said = answers.kept(answer, ids)
    if not said:
        raise JudgeError("the judge said of no memory whether to keep it", code="judge_garbage")
    return said


def _unjudged(result: Result[Recall], why: str) -> Result[Recall]:
    return result._replace(warnings=(*result.warnings, f"nothing was dropped: {why}"))


def _note(context: "Context", error: JudgeError) -> None:
    """Note the failure where the store can be written: a recall reads, and must not fail by that."""
    import contextlib

    from promptx_mem.errors import PromptxMemError

    with contextlib.suppress(PromptxMemError):
        note_failure(context, error)
