"""The record of a judge's failure."""

from typing import TYPE_CHECKING

from promptx_mem.judge.judge import JudgeError

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context

MAX_FAILURES = 3
"""Consecutive errors after which a judge is not asked again in this run."""


def note_failure(context: "Context", error: JudgeError, ident: str | None = None) -> None:
    """Record in the audit log that the judge gave no answer: the reason's code, never its output."""
    about = {"id": ident} if ident else {}
    context.store.write(lambda writer: context.note(writer, "judge", verdict="failed", why=error.code, **about))
