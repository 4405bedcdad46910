"""The question whether something should be kept: once in a session of some length in which nothing was stored."""

import datetime
import os

from promptx_mem import session as sessions
from promptx_mem.core import pasteable
from promptx_mem.core.request import Request
from promptx_mem.hooks import host
from promptx_mem.store import audit, hosts
from promptx_mem.store.layout import Layout

AFTER = 10
"""Prompts of a person in a session before the one that the question is added to."""

_PROMPT = "prompt"


def ask(event: host.Event, layout: Layout, now: datetime.datetime, *, wait: bool) -> str:
    """Note a prompt of a person; the question where it is due, else ''. With `wait` it is left to a later prompt."""
    if not is_of_a_person(event):
        return ""
    name = event.record(now)
    before = [record.get("e") for record in hosts.events(layout, name)]
    if hosts.ASKED in before:
        return ""
    due = before.count(_PROMPT) >= AFTER and not audit.has_stored(
        audit.read(layout), sessions.of_event(event.session, now)
    )
    if not due or wait:
        hosts.note(layout, name, _PROMPT, now)
        return ""
    # What cannot be noted would be asked again and again.
    noted = hosts.note(layout, name, hosts.ASKED, now)
    return event.ways.named(_question(host.session_to_give(event, now))) if noted else ""


def is_of_a_person(event: host.Event) -> bool:
    """Return whether a person typed the prompt: no agent, no program that calls the host, no command or notice."""
    if host.is_of_agent(event):
        return False
    variable, begins = event.host.headless
    # What a host says of itself, its session's programs inherit, another host among them.
    is_caller = any(os.environ.get(name) == event.session for name in event.host.variables)
    if variable and is_caller and os.environ.get(variable, "").startswith(begins):  # `claude -p`
        return False
    prompt = event.prompt.lstrip()
    return bool(prompt) and not prompt.startswith(("/", "<"))


def _question(session: str | None) -> str:
    return (
        "Nothing was stored in this session yet. Beside what the user asks for now, is there something to keep: who "
        "the user is, what they like or decided, how they work, a result worth having again? Be selective, and prefer "
        "what lasts.\n"
        f"For each, {pasteable.usage(Request('', session=session))}\n"
        "If there is nothing, say nothing about this. It is asked once a session."
    )
