"""An event of a host, and how an answer to it must look; what differs between hosts stands in `hosts`.

Exit status 2 blocks in most of them, so nothing here ever exits with it.
"""

import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from promptx_mem import session
from promptx_mem.hooks import exchange, hosts
from promptx_mem.hooks.hosts import Host

if TYPE_CHECKING:
    from promptx_mem.memory import Memory

MAX_EVENT = 2_000_000
MAX_CONTEXT = 9_000
"""Characters: what a hook adds to a prompt is cut by the host at 10,000."""


class Event(NamedTuple):
    """What a host says on stdin; keys that are missing or of another type are empty.

    `source` is why a session starts, `agent` the kind of a subagent.
    """

    host: Host
    name: str
    session: str
    cwd: str
    prompt: str
    source: str
    agent: str
    transcript: str = ""


def read(data: bytes, host: str = "") -> Event:
    """Read an event of a host; which one, its own entry says, or else the event. Raises ValueError where it is none."""
    if len(data) > MAX_EVENT:
        raise ValueError(f"the event has {len(data)} bytes, more than {MAX_EVENT}")
    fields = exchange.loads(data)
    if not isinstance(fields, dict):
        raise ValueError("the event is not a JSON object")  # noqa: TRY004 - bad data, whatever its type

    def text(key: str) -> str:
        return value if isinstance(value := fields.get(key), str) else ""

    caller = hosts.named(host, text("hook_event_name"))
    roots = fields.get("workspace_roots")
    root = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""
    return Event(
        host=caller,
        name=text("hook_event_name"),
        session=text(caller.session),
        cwd=text("cwd") or root,
        prompt=_typed(text("prompt")),
        source=text("source") or text("trigger"),
        agent=text("agent_type"),
        transcript=text("transcript_path"),
    )


def _typed(prompt: str) -> str:
    """What a person typed: before a session's first message Gemini CLI puts what the hooks added at its start."""
    while prompt.startswith("<hook_context>") and "</hook_context>" in prompt:
        prompt = prompt.partition("</hook_context>")[2].lstrip()
    return prompt


def session_to_give(event: Event, now: datetime.datetime) -> str | None:
    """The session that commands must be told, where the host names it to none of them; None where they know it."""
    return session.of_event(event.session, now) if event.session and not event.host.variables else None


def context(event: Event, text: str) -> dict[str, Any]:
    """An answer that adds text to what the agent reads, in the host's form; nothing where it takes none."""
    if not text or not event.host.context:
        return {}
    if event.host.context == hosts.CURSOR:
        return {hosts.CURSOR: text[:MAX_CONTEXT]}
    return {hosts.NESTED: {"hookEventName": event.name, "additionalContext": text[:MAX_CONTEXT]}}


def own(memory: "Memory") -> "Memory | None":
    """A Memory of the stores that are there and the user's own: all that may be given unasked. None where none is."""
    every = memory.context.both()
    contexts = [context for context in every if context.layout.exists() and context.origin.is_own]
    if len(contexts) == len(every):
        return memory
    if not contexts:
        return None
    import copy

    narrowed = copy.copy(memory)
    narrowed.context = contexts[0].alone()
    return narrowed
