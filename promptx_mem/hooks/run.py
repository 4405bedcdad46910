"""Entry point of the hooks that hosts call at messages and at a session's start and end. It never stops the agent."""

import os
import sys
import time

from promptx_mem.core import json_text
from promptx_mem.hooks import MAX_EVENT, complain
from promptx_mem.places import is_private, state_folder
from promptx_mem.processes import record_host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from promptx_mem.hooks.host import Event


JUDGING = "PROMPTX_MEM_JUDGING"
RUNS = "runs"
"""A folder in the user's state folder. Its files record when each host's hooks last ran and last failed."""

_LONGEST = 300
ACTIONS = ("prompt", "start", "stop", "compact", "end")


def main(action: str, caller: str = "", *more: str) -> int:
    """Read an event on stdin, and answer it on stdout. The exit status is always 0: any other could stop the agent.

    `caller` is the host, `more` are the options in the host's hook entry (see `hosts.Caller`).
    """
    answer(action, caller, more, write=True)
    return 0


def answer(action: str, caller: str = "", more: "tuple[str, ...]" = (), *, write: bool = False) -> "dict[str, Any]":
    """Return the answer to the event on stdin; with `write`, print it. Print and record an error, and return `{}`."""
    try:
        record(action, caller)
        out = reply(action, sys.stdin.buffer.read(MAX_EVENT + 1) if sys.stdin else b"", caller, more)
        if out and write:
            os.write(1, (json_text.dumps(out, space=" ") + "\n").encode())
    except Exception as error:  # noqa: BLE001 - the agent continues after any error
        complain(f"hook {action}", error)
        record(action, caller, error)
        return {}
    return out


def reply(action: str, data: bytes, caller: str = "", more: "tuple[str, ...]" = ()) -> "dict[str, Any]":
    """Return the answer to an event; `{}` if there is nothing to answer. Errors are not caught.

    The end of an agent's turn is never answered: in a headless call a hook's text would replace the agent's answer.
    Empty prompts are ignored, since Qwen Code sends one after every round of tools.
    """
    record_host()
    # If promptx-mem started the host as its judge, this is not a conversation.
    if is_private() or os.environ.get(JUDGING):
        return {}
    from promptx_mem.hooks import host

    event = host.read(data, caller, more)
    if event.cwd and os.path.isdir(event.cwd):
        os.chdir(event.cwd)
    if action == "prompt" and not event.prompt.strip():
        return {}
    from promptx_mem.memory import hurried

    with hurried():
        return _answer(event, action)


def _answer(event: "Event", action: str) -> "dict[str, Any]":
    if action == "prompt":
        from promptx_mem.hooks import prompt

        return prompt.answer(event, _unreported(event))
    from promptx_mem.hooks import session

    session.save_messages(event, action)
    if action in ("stop", "end"):
        return {}
    return session.compact(event) if action == "compact" else session.start(event, _unreported(event))


def _unreported(event: "Event") -> str:
    """Return a report of changes to the store during tool calls, if no hook ran after these calls.

    At a session's start, also let the guard compare the host's settings files.
    """
    from promptx_mem.hooks import calls

    return "" if event.agent or not event.session else calls.end_open_calls(event)


def record(action: str, caller: str, error: Exception | None = None) -> None:
    """Record for `status`, in the user's state folder, when a hook ran; with `error`, when and why it failed."""
    folder = state_folder()
    if folder is None or is_private():
        return
    name = caller if caller.isalnum() else "claude"
    why = "" if error is None else f" {type(error).__name__}: {error}"[:_LONGEST].replace("\n", " ")
    line = f"{time.strftime('%Y-%m-%dT%H:%M:%S')} {action}{why}\n"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        os.makedirs(os.path.join(folder, RUNS), mode=0o700, exist_ok=True)
        path = os.path.join(folder, RUNS, name + (".error" if error else ""))
        with open(os.open(path, flags, 0o600), "wb") as file:
            file.write(line.encode("utf-8", "replace"))
    except (OSError, ValueError):  # a hook continues without this record
        return
