"""The guard denies tool calls that plainly bypass the checks for memories. After a call it reports changes to stores.

It also injects memories. A host runs it before and after tool calls. To be quick, it imports little for an allowed
call. If it fails, the call is allowed.
"""

import os

from promptx_mem.core import json_text
from promptx_mem.hooks import MAX_EVENT, complain, read_event, store_in_use, stores_in_use
from promptx_mem.places import is_private
from promptx_mem.processes import record_host

TYPE_CHECKING = False  # importing typing would take longer than everything else
if TYPE_CHECKING:
    from typing import Any


CLAUDE, GEMINI = "PreToolUse", "BeforeTool"
EVENTS = (CLAUDE, GEMINI, "preToolUse")
"""Events that hosts send before a tool call."""

AFTER = ("PostToolUse", "PostToolUseFailure", "AfterTool", "postToolUse")
"""Events that hosts send after a tool call, even if the call failed."""

CONFIG = "config.yaml"
_SETTINGS = (
    f"Only the user may change {CONFIG}, the settings of the memory store. Ask the user to confirm or make this change."
)

READING = frozenset({
    "Read", "Glob", "Grep", "LS", "NotebookRead", "WebFetch", "WebSearch", "TodoWrite", "read_file", "read_many_files",
    "list_directory", "glob", "search_file_content", "grep_search", "web_fetch", "google_web_search", "read", "grep",
    "list", "webfetch", "update_plan", "view_image",
})  # fmt: skip
"""The hosts' tools that only read. After calls of these tools, no store is compared."""


def main(caller: str = "", *more: str) -> int:
    """Read an event on stdin, and print the answer. The exit status is always 0: only the answer denies a call.

    `caller` is the host, `more` are the options in the host's hook entry (see `hosts.Caller`).
    """
    reply = answer(caller, more)
    try:
        if reply:
            os.write(1, (json_text.dumps(reply) + "\n").encode())
    except OSError as error:
        complain("guard", f"stdout cannot be written: {error.strerror}")
    return 0


def answer(caller: str = "", more: "tuple[str, ...]" = ()) -> "dict[str, Any]":
    """Return the answer to the event on stdin. If the guard fails, print a line on stderr and return `{}`."""
    try:
        data = bytearray()
        while chunk := os.read(0, 1 << 20):
            data += chunk if len(data) <= MAX_EVENT else b""
        return _answer(bytes(data), caller, more)
    except Exception as error:  # noqa: BLE001 - a guard that fails must not stop the agent
        complain("guard", error, "the call was allowed, because the guard failed: ")
        return {}


def _answer(data: bytes, caller: str = "", more: "tuple[str, ...]" = ()) -> "dict[str, Any]":
    record_host()
    event = {} if is_private() else read_event(data)
    name, tool, arguments = event.get("hook_event_name"), event.get("tool_name"), event.get("tool_input")
    wanted = AFTER if isinstance(tool, str) and tool in READING else (*EVENTS, *AFTER)
    if not isinstance(tool, str) or name not in wanted or not isinstance(arguments, dict):
        return {}
    cwd = event["cwd"] if isinstance(event["cwd"], str) and os.path.isabs(event["cwd"]) else os.getcwd()
    root = store_in_use(cwd)
    if name in AFTER:
        said = ""
        if tool not in READING:
            from promptx_mem.hooks import calls

            said = calls.changed_during(event, cwd, root)
        return _text_answer(event, caller, more, said, _memories(event, cwd, root, caller))
    from promptx_mem.hooks.guard import before

    attempt = before.attempt(tool, arguments, cwd, root)
    if not attempt and (held := _memories(event, cwd, root, caller)):
        return _text_answer(event, caller, more, held)
    if attempt is None or os.path.basename(attempt.path) == CONFIG:
        from promptx_mem.hooks import calls

        for at, store in enumerate(calls.compared(root, arguments, cwd)):
            calls.begin(store, event, calls.record_key(event.get("tool_use_id")), caller * (not at))
    if attempt is None:
        return {}
    from promptx_mem.hooks import hosts
    from promptx_mem.hooks.guard import advice

    ways = hosts.Caller(caller, more)
    if os.path.basename(attempt.path) == CONFIG:
        return ways.denying(_SETTINGS, asks=True)
    from promptx_mem import session as sessions
    from promptx_mem.store import violations

    session = sessions.of_event(event["session_id"])
    line = advice.command(attempt, cwd, root, None if ways.host.variables else session)
    shown = [f"+ {violations.escaped(line)}" for line in "\n".join(attempt.lines).split("\n") if line.strip()]
    name = attempt.path[-200:] if attempt.where else os.path.basename(attempt.path)
    fields = {
        "verdict": "denied", "why": "other_tool", "tool": attempt.tool[:60], "file": name,
        "lines": violations.truncated(shown), "advice": line, "x": int(not attempt.resets),
    }  # fmt: skip
    place = root or (attempt.store if attempt.where else "")
    count = advice.noted(place, session, fields) if place else 0
    return ways.denying(ways.named(advice.reason(attempt, line, session, count)))


def _text_answer(event: "dict[str, Any]", caller: str, more: "tuple[str, ...]", *parts: str) -> "dict[str, Any]":
    """Return the hook's answer: a denial before a call, or added text after the call; `{}` without a text."""
    text, name = "\n\n".join(filter(None, parts)), event["hook_event_name"]
    if not text:
        return {}
    from promptx_mem.hooks import hosts

    ways = hosts.Caller(caller, more)
    return ways.adding(name, text) if name in AFTER else ways.denying(text)


def _memories(event: "dict[str, Any]", cwd: str, root: str | None, caller: str) -> str:
    """Return a text with memories about a call: before it, the reason to deny; after it, an addition to the result."""
    try:
        from promptx_mem.hooks import act

        is_after, stores = event["hook_event_name"] in AFTER, stores_in_use(root)
        return act.after(event, cwd, stores, caller) if is_after else act.before(event, cwd, stores)
    except Exception as error:  # noqa: BLE001 - the guard must continue without memories
        complain("guard", error, "no memories are injected: ")
        return ""
