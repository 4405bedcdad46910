"""What a judge may fail with, and the mark by which its own process is known."""

from promptx_mem.errors import PromptxMemError

INSIDE = "PROMPTX_MEM_JUDGING"
"""Set for the judge's own process: what that calls of us asks no judge again, and its hooks stay silent."""


class JudgeError(PromptxMemError):
    """The judge gave no answer; whatever it was asked stays open. `code` says why."""

    exit_status = 1
    code = "judge_failed"
