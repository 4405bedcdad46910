"""Judge: who decides what no rule can (source 003): a model command, or the calling agent."""

import os
from typing import TYPE_CHECKING, Protocol

from promptx_mem.errors import ConfigError, PromptxMemError

if TYPE_CHECKING:
    from promptx_mem.store.config import Config

COMMAND = "PROMPTX_MEM_LLM"
"""Names the judge's command; it goes before `llm.command`, and where it is empty there is no judge."""

INSIDE = "PROMPTX_MEM_JUDGING"
"""Set for the judge's own process: what that calls of us asks no judge again, and its hooks stay silent."""


class JudgeError(PromptxMemError):
    """The judge gave no answer; whatever it was asked stays open. `code` says why."""

    exit_status = 1
    code = "judge_failed"


class Judge(Protocol):
    """Answers prompts."""

    def ask(self, prompt: str) -> str | None:
        """Return the answer; None where nobody can be asked now. Raises JudgeError."""


class CallingAgent:
    """Nobody is asked: the agent that called gets the prompt, and answers with `review` or `monitor`."""

    def ask(self, prompt: str) -> str | None:  # noqa: ARG002 - the Protocol's
        return None


def appointed(config: "Config") -> Judge:
    """The judge that PROMPTX_MEM_LLM or `llm.command` names, else the calling agent. Raises ConfigError.

    A command that came with a repository is not run (`refusal` says so): who clones one has not agreed to that.
    """
    command = _command(config)
    if command is None or os.environ.get(INSIDE) or refusal(config):
        return CallingAgent()
    from promptx_mem.judge.command import CommandJudge

    return CommandJudge(command, config.llm_timeout)


def refusal(config: "Config") -> tuple[str, ...]:
    """A warning where `llm.command` would be asked, but is not since git tracks the settings; else none."""
    if not config.llm_command or COMMAND in os.environ or os.environ.get(INSIDE):
        return ()
    from promptx_mem.store.tracked import is_tracked

    if not is_tracked(config.path):
        return ()
    why = f"git tracks {config.path}, so it came with the repository"
    return (f"llm.command is not run: {why}; a judge that the user trusts goes into {COMMAND}",)


def _command(config: "Config") -> tuple[str, ...] | None:
    given = os.environ.get(COMMAND)
    if given is None:
        return config.llm_command or None
    import shlex

    try:
        return tuple(shlex.split(given)) or None
    except ValueError as error:
        raise ConfigError(
            f"{COMMAND}={given!r} is not a command line ({error})", hint="quotes must be closed"
        ) from None
