"""The judge's verdicts on the results of a recall, and the record of a judge's failure."""

import contextlib

from promptx_mem.core.description import Recall
from promptx_mem.errors import ConfigError, PromptxMemError, StoreError
from promptx_mem.judge import prompts
from promptx_mem.judge.judge import COMMAND, JudgeError, appointed, read_verdicts
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.result import Result

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context

MAX_FAILURES = 3
"""Number of errors after which a judge is not asked again in the same run."""


def note_failure(context: "Context", error: JudgeError, ident: str | None = None) -> None:
    """Record in the audit log, as an error code, why the judge gave no answer. The judge's output is not recorded."""
    about = {"id": ident} if ident else {}
    context.store.write(lambda writer: context.note(writer, "judge", verdict="failed", why=error.code, **about))


def evaluate(context: "Context", result: Result[Recall]) -> Result[Recall]:
    """Remove the memories that the judge rejects for the query. Without a judge or its answer, keep all and warn."""
    memories = result.data["memories"]
    if not memories:
        return result
    try:
        judge = appointed()
        if judge is None:
            return _unjudged(result, f"no judge is configured ({COMMAND}, or llm.command in the user's settings)")
        answer = judge.ask(prompts.evaluation(result.data["cues"], memories))
        verdicts = read_verdicts(answer, {memory["id"] for memory in memories})
    except (JudgeError, ConfigError, StoreError) as error:  # a recall works without the judge
        if isinstance(error, JudgeError):
            with contextlib.suppress(PromptxMemError):  # an error of the log must not fail a recall
                note_failure(context, error)
        return _unjudged(result, error.message)
    rest = [memory for memory in memories if verdicts.get(memory["id"], True)]
    dropped = len(memories) - len(rest)
    data: Recall = {**result.data, "memories": rest, "count": len(rest), "dropped": dropped}
    warnings = (f"the judge dropped {dropped} of {len(memories)} results",) if dropped else ()
    return result._replace(data=data, warnings=(*result.warnings, *warnings))


def _unjudged(result: Result[Recall], why: str) -> Result[Recall]:
    return result._replace(warnings=(*result.warnings, f"the judge was not used, so all results are shown: {why}"))
