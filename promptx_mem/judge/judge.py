"""Judge: who decides what no rule can (source 003): a model command, or the calling agent."""

import os
from typing import Protocol

from promptx_mem.errors import ConfigError
from promptx_mem.judge.failure import INSIDE

COMMAND = "PROMPTX_MEM_LLM"
"""Names the judge's command, before `llm.command` in the user's settings; where it is empty there is no judge."""


class Judge(Protocol):
    """Answers prompts."""

    def ask(self, prompt: str) -> str | None:
        """Return the answer; None where nobody can be asked now. Raises JudgeError."""


class CallingAgent:
    """Nobody is asked: the agent that called gets the prompt, and answers with `review` or `monitor`."""

    def ask(self, prompt: str) -> str | None:  # noqa: ARG002 - the Protocol's
        return None


def appointed() -> Judge:
    """The judge that PROMPTX_MEM_LLM or the user's own settings name, else the calling agent.

    No store can name one: whoever clones a repository has not agreed to run what it says. Raises ConfigError where
    the settings are wrong, StoreError where they cannot be read.
    """
    words = os.environ.get(COMMAND)
    if os.environ.get(INSIDE) or (words is not None and not words.strip()):
        return CallingAgent()
    from promptx_mem.store import settings

    config = settings.load()
    command = config.llm_command if words is None else _split(words)
    if not command:
        return CallingAgent()
    from promptx_mem.judge.command import CommandJudge

    return CommandJudge(command, config.llm_timeout)


def _split(words: str) -> tuple[str, ...]:
    import shlex

    try:
        return tuple(shlex.split(words))
    except ValueError as error:
        raise ConfigError(
            f"{COMMAND}={words!r} is not a command line ({error})", hint="quotes must be closed"
        ) from None
