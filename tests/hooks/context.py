"""What a hook gives to a model, in this process."""

import json
import os
from typing import Any

from promptx_mem.hooks import run
from promptx_mem.hooks.hosts import HOSTS

_EVENTS = {"start": "SessionStart", "prompt": "UserPromptSubmit", "compact": "PreCompact"}


def context(action: str, host: str = "claude", more: tuple[str, ...] = (), session: str = "s1", **event: Any) -> str:
    """Return the context that a hook adds at an event in the working directory."""
    whole = {"hook_event_name": _EVENTS[action], HOSTS[host].session: session, "cwd": os.getcwd(), **event}
    answer = run.reply(action, json.dumps(whole).encode(), host, more)
    return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))
