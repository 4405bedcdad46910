"""The two hosts' forms: which event this is, and how an answer to it must look.

Claude Code: https://code.claude.com/docs/en/hooks; Gemini CLI: https://geminicli.com/docs/hooks/reference.
Exit status 2 blocks in both, so nothing here ever exits with it.
"""

import datetime
import os
from typing import Any, NamedTuple

from promptx_mem import session
from promptx_mem.hooks import exchange

MAX_EVENT = 2_000_000
MAX_CONTEXT = 9_000
"""Characters: what a hook adds to a prompt is cut by the host at 10,000."""

GEMINI_EVENTS = frozenset({"BeforeAgent", "AfterAgent", "BeforeTool", "BeforeModel"})


class Event(NamedTuple):
    """What a host says on stdin; keys that are missing or of another type are empty."""

    name: str
    session: str
    cwd: str
    prompt: str


def read(data: bytes) -> Event:
    """Read an event. Raises ValueError where it is none."""
    if len(data) > MAX_EVENT:
        raise ValueError(f"the event has {len(data)} bytes, more than {MAX_EVENT}")
    fields = exchange.loads(data)
    if not isinstance(fields, dict):
        raise ValueError("the event is not a JSON object")  # noqa: TRY004 - bad data, whatever its type

    def text(key: str) -> str:
        return value if isinstance(value := fields.get(key), str) else ""

    return Event(text("hook_event_name"), text("session_id"), text("cwd"), _typed(text("prompt")))


def _typed(prompt: str) -> str:
    """What a person typed: before a session's first message Gemini CLI puts what the hooks added at its start."""
    while prompt.startswith("<hook_context>") and "</hook_context>" in prompt:
        prompt = prompt.partition("</hook_context>")[2].lstrip()
    return prompt


def is_gemini(event: Event) -> bool:
    """Whether Gemini CLI asks: by its own names, or where both share one, by its environment."""
    return event.name in GEMINI_EVENTS or bool(os.environ.get("GEMINI_SESSION_ID"))


def session_to_give(event: Event, now: datetime.datetime) -> str | None:
    """The session that commands must be told, since this host names it to none of them; None where they know it."""
    return session.of_event(event.session, now) if event.session and is_gemini(event) else None


def context(event: Event, text: str) -> dict[str, Any]:
    """An answer that adds text to what the agent reads; both hosts take the same form."""
    if not text:
        return {}
    return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": text[:MAX_CONTEXT]}}
