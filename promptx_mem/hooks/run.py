"""The way in for the hooks of a session: read an event, answer it, and never stand in the agent's way."""

import json
import os
import sys
from typing import Any

from promptx_mem.hooks import host
from promptx_mem.private import is_private
from promptx_mem.processes import note_host

JUDGING = "PROMPTX_MEM_JUDGING"
ACTIONS = ("prompt", "start", "stop", "compact", "end")


def main(action: str, caller: str = "") -> int:
    """Answer one event on stdout. The exit status is always 0: another one could stop the agent."""
    try:
        answer = reply(action, sys.stdin.buffer.read(host.MAX_EVENT + 1) if sys.stdin else b"", caller)
        if answer:
            os.write(1, (json.dumps(answer) + "\n").encode())
    except Exception as error:  # noqa: BLE001 - whatever it is, the agent goes on
        complain(action, error)
    return 0


def reply(action: str, data: bytes, caller: str = "") -> dict[str, Any]:
    """The answer to an event, `{}` where there is none. Raises whatever goes wrong.

    The end of a turn is never answered: whatever a hook says there takes the place of the agent's answer in a headless
    call.
    """
    note_host()
    # Where the host is our own judge, its answer is awaited, and no conversation.
    if is_private() or os.environ.get(JUDGING):
        return {}
    event = host.read(data, caller)
    if event.cwd and os.path.isdir(event.cwd):
        os.chdir(event.cwd)
    if action in ("stop", "end", "compact", "start"):
        from promptx_mem.hooks import turns

        turns.take(event, action)
        if action in ("stop", "end"):
            return {}
    if action == "prompt":
        from promptx_mem.hooks import prompt

        return prompt.answer(event)
    from promptx_mem.hooks import session

    return session.compact(event) if action == "compact" else session.start(event)


def complain(action: str, error: Exception) -> None:
    """One line on stderr, nothing where that is closed."""
    line = "".join(char if char.isprintable() else "\ufffd" for char in f"{type(error).__name__}: {error}")
    try:
        os.write(2, f"promptx-mem hook {action}: {line[:500]}\n".encode("utf-8", "replace"))
    except OSError:
        return
