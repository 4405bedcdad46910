"""The context that hooks add to a prompt."""

import json
import os
from pathlib import Path
from typing import Any

from promptx_mem.hooks import run
from tests.cli import program

_EVENTS = {"start": "SessionStart", "prompt": "UserPromptSubmit", "compact": "PreCompact"}


def context(action: str, host: str = "claude", more: tuple[str, ...] = (), session: str = "s1", **event: Any) -> str:
    """Return the context that a hook adds at an event in the working directory, in this process."""
    whole = {"hook_event_name": _EVENTS[action], "session_id": session, "cwd": os.getcwd(), **event}
    answer = run.reply(action, json.dumps(whole).encode(), host, more)
    return str(answer.get("hookSpecificOutput", {}).get("additionalContext") or answer.get("additional_context", ""))


def context_in(
    folder: Path, action: str, prompt: str = "", session: str = "s", env: dict[str, str] | None = None, **event: Any
) -> str:
    """Return the context that the program adds at an event in a folder."""
    given = {"hook_event_name": _EVENTS[action], "session_id": session, "cwd": str(folder), "prompt": prompt}
    whole = given | event
    ran = program.run("hook", action, cwd=folder, stdin=json.dumps(whole), env=env, session=None)
    assert (ran.status, ran.err) == (0, "")
    return str(json.loads(ran.out or "{}").get("hookSpecificOutput", {}).get("additionalContext", ""))
