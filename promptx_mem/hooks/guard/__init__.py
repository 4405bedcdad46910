"""The guard: denies a tool call that writes memories by another way, and says how to do it right.

One event on stdin, one answer on stdout, exit 0 always. It runs before every tool call of an agent, so what it lets
through loads os and sys alone; only a denial loads the rules of the store. When it fails itself the call goes through.
"""

import os

from promptx_mem.hooks import exchange, place, tools
from promptx_mem.private import is_private
from promptx_mem.processes import note_host

TYPE_CHECKING = False  # typing would cost more than all the rest
if TYPE_CHECKING:
    import datetime
    from typing import Any

    from promptx_mem.hooks.hosts import Host

CLAUDE, GEMINI, CURSOR = "PreToolUse", "BeforeTool", "preToolUse"
EVENTS = (CLAUDE, GEMINI, CURSOR)
"""What hosts call the moment before a tool call."""


def main(caller: str = "", *more: str) -> int:
    """Answer one event of a host. The exit status is always 0: only the answer denies.

    `more` is what the host's entry says of it (`hosts.ways`).
    """
    reply = answer(caller, more)
    try:
        if reply:
            import json

            os.write(1, (json.dumps(reply) + "\n").encode())
    except OSError as error:
        _complain(f"stdout cannot be written: {error.strerror}")
    return 0


def answer(caller: str = "", more: "tuple[str, ...]" = ()) -> "dict[str, Any]":
    """The answer to the event on stdin; `{}`, and a line on stderr, where the guard itself fails."""
    try:
        return _answer(_read(), caller, more)
    except Exception as error:  # noqa: BLE001 - a guard that fails must not stop the agent
        _complain(f"let through, since the guard failed: {type(error).__name__}: {error}")
        return {}


def _read() -> bytes:
    chunks, size = [], 0
    while chunk := os.read(0, 1 << 20):
        size += len(chunk)
        if size <= exchange.MAX_EVENT:
            chunks.append(chunk)
    if size > exchange.MAX_EVENT:
        raise ValueError(f"the event has {size} bytes, more than {exchange.MAX_EVENT}")
    return b"".join(chunks)


def _answer(data: bytes, caller: str = "", more: "tuple[str, ...]" = ()) -> "dict[str, Any]":
    note_host()
    if is_private():
        return {}
    event = exchange.loads(data)
    if not isinstance(event, dict):
        raise TypeError("the event is not a JSON object")
    name, tool, arguments = event.get("hook_event_name"), event.get("tool_name"), event.get("tool_input")
    if name not in EVENTS or not isinstance(tool, str) or not isinstance(arguments, dict):
        return {}
    cwd = event.get("cwd") or _first(event.get("workspace_roots"))
    cwd = cwd if isinstance(cwd, str) and os.path.isabs(cwd) else os.getcwd()
    root = place.find(cwd)
    attempt = tools.attempt(tool, arguments, cwd, root)
    if attempt is None:
        return {}
    import datetime

    from promptx_mem import session as sessions
    from promptx_mem.hooks import hosts, remedy

    host = hosts.named(caller, name)
    if attempt.area == place.CONFIG_AREA:
        return _decide(host, "ask", remedy.settings(attempt.path or ""), more)
    now = datetime.datetime.now().astimezone()
    session = sessions.of_event(event.get(host.session), now)
    facts, edited = [remedy.fact_of(text, tags) for text, tags in attempt.facts], None
    if attempt.edits and attempt.path:
        from promptx_mem.hooks import edits

        edited = edits.facts(attempt.edits, os.path.join(cwd, attempt.path), root)
    facts = facts or (remedy.facts(attempt.new, attempt.old) if edited is None else edited)
    names = sessions.answerable(session)
    noted = root is not None and note(root, names, attempt.tool, sum(len(fact.text) for fact in facts), now)
    reason = remedy.reason(
        attempt.tool,
        attempt.path,
        facts,
        removes=attempt.removes and not edited,
        session=session,
        violations=_violations(root, names, now) if noted and root is not None else 0,
        name=None if host.variables else session,
    )
    return _decide(host, "deny", reason, more)


def _first(value: "Any") -> "Any":
    return value[0] if isinstance(value, list) and value else None


def _decide(host: "Host", decision: str, reason: str, more: "tuple[str, ...]") -> "dict[str, Any]":
    """The answer in the host's form; where it cannot ask its user, it denies."""
    from promptx_mem.core.text import printable_lines
    from promptx_mem.hooks import hosts

    ways = hosts.ways(host, more)
    reason = ways.room.cut(ways.named(printable_lines(reason)))
    decision = decision if host.asks else "deny"
    if host.denial == hosts.GEMINI:
        return {"decision": decision, "reason": reason}
    if host.denial == hosts.CURSOR:
        return {"permission": decision, "user_message": reason.partition("\n")[0], "agent_message": reason}
    answer = {"hookEventName": CLAUDE, "permissionDecision": decision, "permissionDecisionReason": reason}
    return {hosts.NESTED: answer}


def note(root: str, names: "tuple[str, ...]", tool: str, length: int, now: "datetime.datetime") -> bool:
    """Record one violation under the session's names, whose own is the last; return whether it is on record."""
    from promptx_mem.errors import PromptxMemError
    from promptx_mem.store import audit, layout

    record = {"at": now.isoformat(timespec="seconds"), "s": names[-1], "cmd": "guard", "verdict": "denied"}
    more = {"why": "other_tool", "tool": tool[:60], "len": length, "x": 1}
    more |= {"by": list(names)} if len(names) > 1 else {}
    try:
        return audit.append_unlocked(layout.at(root), {**record, **more})
    except (OSError, PromptxMemError) as error:
        _complain(f"nothing could be noted in {place.AUDIT}: {getattr(error, 'strerror', '') or error}")
    return False


def _violations(root: str, names: "tuple[str, ...]", now: "datetime.datetime") -> int:
    """Count those of the session by now."""
    from promptx_mem.store import audit, layout

    return audit.violations(audit.read(layout.at(root)), names, now)


def _complain(message: str) -> None:
    """One line on stderr; nothing where that is closed."""
    from promptx_mem.core.text import printable

    try:
        os.write(2, f"promptx-mem guard: {printable(message)[:500]}\n".encode("utf-8", "replace"))
    except OSError:
        return
