"""The guard: denies a tool call that writes memories by another way, and says how to do it right.

One event on stdin, one answer on stdout, exit 0 always. It runs before every tool call of an agent, so what it lets
through loads os and sys alone; only a denial loads the rules of the store. When it fails itself the call goes through.
"""

import os

from promptx_mem.hooks import exchange
from promptx_mem.hooks.guard import place
from promptx_mem.private import is_private
from promptx_mem.processes import note_host

TYPE_CHECKING = False  # typing would cost more than all the rest
if TYPE_CHECKING:
    import datetime
    from typing import Any

    from promptx_mem.hooks.guard.look import Call, Look
    from promptx_mem.hooks.host import Event
    from promptx_mem.hooks.hosts import Host

CLAUDE, GEMINI, CURSOR = "PreToolUse", "BeforeTool", "preToolUse"
EVENTS = (CLAUDE, GEMINI, CURSOR)
"""What hosts call the moment before a tool call."""

AFTER = ("PostToolUse", "PostToolUseFailure", "AfterTool")
"""And the moment after it, also after one that failed."""


READING = frozenset({
    "Read", "Glob", "Grep", "LS", "NotebookRead", "WebFetch", "WebSearch", "TodoWrite", "read_file", "read_many_files",
    "list_directory", "glob", "search_file_content", "grep_search", "web_fetch", "google_web_search", "read", "grep",
    "list", "webfetch", "update_plan", "view_image",
})  # fmt: skip
"""Tools of hosts that cannot write: no store is compared for them."""


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
    if not isinstance(tool, str) or tool in READING or name not in (*EVENTS, *AFTER) or not isinstance(arguments, dict):
        return {}
    cwd = event.get("cwd") or _first(event.get("workspace_roots"))
    cwd = cwd if isinstance(cwd, str) and os.path.isabs(cwd) else os.getcwd()
    root = place.find(cwd)
    if name in AFTER:
        return _compare(event, cwd, root, caller, more)
    from promptx_mem.hooks.guard import tools

    attempt = tools.attempt(tool, arguments, cwd, root)
    if attempt is None or attempt.area == place.CONFIG_AREA:
        _look(event, root)
    if attempt is None:
        return {}
    import datetime

    from promptx_mem import session as sessions
    from promptx_mem.hooks import hosts
    from promptx_mem.hooks.guard import advice

    host = hosts.named(caller, name)
    if attempt.area == place.CONFIG_AREA:
        return _decide(host, "ask", advice.settings(attempt.path or ""), more)
    now = datetime.datetime.now().astimezone()
    session = sessions.of_event(event.get(host.session), now)
    names = sessions.answerable(session)
    line = advice.command(attempt, cwd, root, None if host.variables else session)
    fields = {
        "verdict": "denied",
        "why": "other_tool",
        "tool": attempt.tool[:60],
        "file": os.path.basename(attempt.path or ""),
        "lines": advice.recorded(attempt),
        "advice": line,
        "x": 1,
    }
    noted = root is not None and note(root, names, now, fields)
    count = _violations(root, names, now) if noted and root is not None else 0
    reason = advice.reason(attempt, line, session=session, violations=count)
    return _decide(host, "deny", reason, more)


def _look(event: "dict[str, Any]", root: str | None) -> None:
    """Look at the stores in use before a call that may go on."""
    from promptx_mem.hooks.guard import look

    session = look.word(event.get("session_id") or event.get("conversation_id"))
    for store in _stores(root):
        if event.get("hook_event_name") == CURSOR:  # it has no event after a call
            look.end(store, session, "", lambda *_: "")
        look.begin(store, session, look.word(event.get("tool_use_id")))


def _stores(root: str | None) -> "list[str]":
    """The project's store and the user's."""
    return list(dict.fromkeys(filter(None, (root, place.user_store_in_use()))))


def _compare(
    event: "dict[str, Any]", cwd: str, root: str | None, caller: str, more: "tuple[str, ...]"
) -> "dict[str, Any]":
    """The answer after a call: what else than our own commands changed a store in use during it."""
    call = event.get("tool_use_id") or "-"
    said = changed_during(event.get("session_id"), call, event["tool_name"], event["tool_input"], cwd, root)
    if not said:
        return {}
    from promptx_mem.core.text import printable_lines
    from promptx_mem.hooks import hosts

    ways = hosts.ways(hosts.named(caller, event["hook_event_name"]), more)
    text = ways.room.cut(ways.named(printable_lines(said)))
    return {hosts.NESTED: {"hookEventName": event["hook_event_name"], "additionalContext": text}}


def changed_during(
    session: object, call: str, tool: str, arguments: "dict[str, Any]", cwd: str, root: str | None
) -> str:
    """What is said of changes during a call of a session; during all its open calls where `call` is empty."""
    from promptx_mem.hooks.guard import look

    stores = _stores(root)
    known = look.known_root(cwd)  # a store that is gone is not found
    if known and not os.path.isdir(known):
        stores.append(known)
    name = look.word(session)

    def answer(found: "Look", one: "Call", now: "dict[str, str]") -> str:
        import datetime

        from promptx_mem import session as sessions
        from promptx_mem.hooks.guard import compare

        moment = datetime.datetime.now().astimezone()
        own = sessions.of_event(session, moment)

        def noted(store: str, fields: "dict[str, Any]") -> int:
            names = sessions.answerable(own)
            is_noted = note(store, names, moment, fields)
            return _violations(store, names, moment) if is_noted and fields["x"] else 0

        return compare.answer(found, one, now, compare.Event(own, tool, arguments, cwd, noted))

    parts = [look.end(store, name, look.word(call) if call else "", answer) for store in dict.fromkeys(stores)]
    return "\n\n".join(filter(None, parts))


def settle(event: "Event") -> str:
    """End the open calls of a session, and return what is said of changes during them.

    If the session begins, the files of settings with our hooks are compared from now on.
    """
    from promptx_mem.hooks.guard import look

    cwd = os.getcwd()
    root = place.find(cwd)
    said = changed_during(event.session, "", "", {}, cwd, root)
    if event.name not in ("UserPromptSubmit", "BeforeAgent"):
        from promptx_mem.hooks import hosts, setup

        name = next(name for name, host in hosts.HOSTS.items() if host is event.host)
        settings = {f"{look.HOST}{scope}": setup.target(name, scope).path for scope in event.host.places}
        for store in _stores(root)[:1]:
            look.watch(store, look.word(event.session), settings)
    return said


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


def note(root: str, names: "tuple[str, ...]", now: "datetime.datetime", fields: "dict[str, Any]") -> bool:
    """Record a denial or a change under the session's names, whose own is the last; return whether it is on record."""
    from promptx_mem.errors import PromptxMemError
    from promptx_mem.store import audit, layout

    record: dict[str, Any] = {"at": now.isoformat(timespec="seconds"), "s": names[-1], "cmd": "guard"}
    record |= {key: value for key, value in fields.items() if value}
    more = {"by": list(names)} if len(names) > 1 else {}
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
