"""Events of a host, and the answers to them. The differences between hosts are in `hosts`.

In most hosts exit status 2 blocks the agent, so it is never used.
"""

import datetime
import os

from promptx_mem.core.shell import MARKS, quote
from promptx_mem.hooks import hosts, read_event
from promptx_mem.record import TYPE_CHECKING, Any, NamedTuple
from promptx_mem.store.hosts import of_host

if TYPE_CHECKING:
    from promptx_mem.memory import Memory


class Event(NamedTuple):
    """The event that a host passes on stdin. Fields that are missing or of another type are empty.

    `source` is the reason why a session starts. `agent` is the kind, or else the id, of the subagent that the event
    concerns; empty in the main session.
    """

    name: str
    session: str
    cwd: str
    prompt: str
    source: str
    agent: str
    transcript: str
    agent_id: str
    ways: hosts.Caller

    @property
    def host(self) -> hosts.Host:
        return self.ways.host

    def record(self, now: datetime.datetime) -> str:
        """Return the name under which hooks record this session. A subagent has a separate name."""
        if self.session:
            return of_host(self.session, self.agent_id)
        from promptx_mem.session import of_event

        return of_event("", now)


def read(data: bytes, host: str = "", more: tuple[str, ...] = ()) -> Event:
    """Read an event. `host` and `more` are the arguments in the hook's entry.

    Raises EventError.
    """
    fields = read_event(data)

    def text(key: str) -> str:
        return value if isinstance(value := fields.get(key), str) else ""

    ways, name = hosts.Caller(host, more), text("hook_event_name")
    of_subagent = name == "SubagentStart" or any(text(key) for key in ways.host.subagent)
    prompt = text("prompt")  # Gemini CLI puts the hooks' text before the first message
    while prompt.startswith("<hook_context>") and "</hook_context>" in prompt:
        prompt = prompt.partition("</hook_context>")[2].lstrip()
    return Event(
        name=name,
        session=text("session_id"),
        cwd=text("cwd"),
        prompt=prompt,
        source=text("source"),
        agent=(text("agent_type") or text("agent_id")) if of_subagent else "",
        transcript=text("transcript_path"),
        agent_id=text("agent_id"),
        ways=ways,
    )


def is_of_agent(event: Event) -> bool:
    """Return whether an agent wrote the prompt: the event is from a subagent, or from a host that an agent started."""
    # Codex, a host with two variables, can put the id of another thread into one of them.
    named = os.environ.get(event.host.own[0]) if len(event.host.own) == 1 else None
    if event.agent or event.host.is_in_another() or (named and named != event.session):
        return True
    from promptx_mem.processes import is_below_another_host

    return is_below_another_host()


def session_to_give(event: Event, now: datetime.datetime) -> str | None:
    """Return the session's name for printed commands; None if the host passes the name, or if the name is unknown."""
    from promptx_mem.session import of_event

    return of_event(event.session, now) if event.session and not event.host.variables else None


def session_option(name: str | None) -> str:
    """Return the option that passes a session's name in a printed command; '' without a name."""
    return f" --session {quote(name, MARKS)}" if name else ""


def context(event: Event, text: str) -> dict[str, Any]:
    """Return an answer that adds text to the model's context, in the host's format; `{}` without a text."""
    return event.ways.adding(event.name, text)


def with_trusted_stores(memory: "Memory") -> "Memory | None":
    """Return a Memory with only the trusted stores, since hooks inject only from these; None if there is none."""
    every = memory.context.both()
    contexts = [context for context in every if context.layout.exists() and context.origin.is_own]
    if contexts and len(contexts) < len(every):
        import copy

        memory = copy.copy(memory)
        memory.context = contexts[0].alone()
    return memory if contexts else None
