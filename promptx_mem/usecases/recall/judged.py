"""recall --judge: the judge keeps or drops each result (source 004's evaluator); a failure drops nothing."""

from typing import TYPE_CHECKING

from promptx_mem.core.description import Recall
from promptx_mem.errors import ConfigError, StoreError
from promptx_mem.judge import answers, prompts
from promptx_mem.judge.failure import JudgeError
from promptx_mem.judge.judge import COMMAND, appointed
from promptx_mem.result import Result
from promptx_mem.usecases.judge_failure import note_failure

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context


def evaluate(context: "Context", result: Result[Recall]) -> Result[Recall]:
    """Drop what the judge says is of no use for the cues; what it does not mention stays."""
    memories = result.data["memories"]
    if not memories:
        return result
    try:
        answer = appointed().ask(prompts.evaluation(result.data["cues"], memories))
        if answer is None:
            return _unjudged(result, f"no judge is configured ({COMMAND}, or llm.command in the user's settings)")
        verdicts = _verdicts(answer, {memory["id"] for memory in memories})
    except JudgeError as error:
        _note(context, error)
        return _unjudged(result, error.message)
    except (ConfigError, StoreError) as error:  # reading goes on
        return _unjudged(result, error.message)
    rest = [memory for memory in memories if verdicts.get(memory["id"], True)]
    dropped = len(memories) - len(rest)
    data: Recall = {**result.data, "memories": rest, "count": len(rest), "dropped": dropped}
    warnings = (f"the judge dropped {dropped} of {len(memories)}",) if dropped else ()
    return result._replace(data=data, warnings=(*result.warnings, *warnings))


def _verdicts(answer: str, ids: set[str]) -> dict[str, bool]:
    verdicts = answers.read_verdicts(answer, ids)
    if not verdicts:
        raise JudgeError("the judge said of no memory whether to keep it", code="judge_garbage")
    return verdicts


def _unjudged(result: Result[Recall], why: str) -> Result[Recall]:
    return result._replace(warnings=(*result.warnings, f"nothing was dropped: {why}"))


def _note(context: "Context", error: JudgeError) -> None:
    """Note the failure where the store can be written: a recall reads, and must not fail by that."""
    import contextlib

    from promptx_mem.errors import PromptxMemError

    with contextlib.suppress(PromptxMemError):
        note_failure(context, error)
