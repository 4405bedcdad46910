"""The guard (source 000): denies a tool call that writes memories by another way, and says how to do it right.

One event on stdin, one answer on stdout, exit 0 always. It runs before every tool call of an agent, so it loads os,
sys and time alone, never opens the store, and lets the call through when it fails itself.
"""

import os
import time

from promptx_mem.hooks import exchange, place, tools

TYPE_CHECKING = False  # typing would cost more than all the rest
if TYPE_CHECKING:
    from typing import Any

MAX_EVENT = 2_000_000
"""Bytes: what is larger than any memory is no memory, and reading it would keep the agent waiting."""

MAX_SESSION = 100
CLAUDE, GEMINI = "PreToolUse", "BeforeTool"
_RACES = 3


def main() -> int:
    """Answer one event. The exit status is always 0: only the answer denies."""
    said = answer()
    try:
        if said:
            os.write(1, (exchange.dumps(said) + "\n").encode())
    except OSError as error:
        _complain(f"stdout cannot be written: {error.strerror}")
    return 0


def answer() -> "dict[str, Any]":
    """The answer to the event on stdin; `{}`, and a line on stderr, where the guard itself fails."""
    try:
        return _answer(_read())
    except Exception as error:  # noqa: BLE001 - a guard that fails must not stop the agent
        _complain(f"let through, since the guard failed: {type(error).__name__}: {error}")
        return {}


def _read() -> bytes:
    chunks, size = [], 0
    while chunk := os.read(0, 1 << 20):
        size += len(chunk)
        if size <= MAX_EVENT:
            chunks.append(chunk)
    if size > MAX_EVENT:
        raise ValueError(f"the event has {size} bytes, more than {MAX_EVENT}")
    return b"".join(chunks)


def _answer(data: bytes) -> "dict[str, Any]":
    event = exchange.loads(data)
    if not isinstance(event, dict):
        raise TypeError("the event is not a JSON object")
    host, tool, given = event.get("hook_event_name"), event.get("tool_name"), event.get("tool_input")
    if host not in (CLAUDE, GEMINI) or not isinstance(tool, str) or not isinstance(given, dict):
        return {}
    cwd = event.get("cwd")
    cwd = cwd if isinstance(cwd, str) and os.path.isabs(cwd) else os.getcwd()
    root = place.find(cwd)
    found = tools.attempt(tool, given, cwd, root)
    if found is None:
        return {}
    from promptx_mem.hooks import remedy

    if found.area == place.CONFIG_AREA:
        return _decide(host, "ask", remedy.settings(found.path or ""))
    session = session_name(event.get("session_id"))
    facts = [remedy.Fact(text, tags) for text, tags in found.facts] or remedy.facts(found.new, found.old)
    noted = root is not None and note(root, session, found.tool, sum(len(fact.text) for fact in facts))
    reason = remedy.reason(
        found.tool,
        found.path,
        facts,
        removes=found.removes,
        session=session,
        noted=noted,
        name=session if host == GEMINI else None,
    )
    return _decide(host, "deny", reason)


def _decide(host: str, decision: str, reason: str) -> "dict[str, Any]":
    if host == GEMINI:  # it knows no "ask"
        return {"decision": "deny", "reason": reason}
    answer = {"hookEventName": CLAUDE, "permissionDecision": decision, "permissionDecisionReason": reason}
    return {"hookSpecificOutput": answer}


def session_name(given: object) -> str:
    """The name under which `remember` will look for violations: the same order and form as in session.name."""
    for value in (os.environ.get("PROMPTX_MEM_SESSION"), given, os.environ.get("CLAUDE_CODE_SESSION_ID")):
        if isinstance(value, str) and value.strip():
            from promptx_mem.hooks.remedy import printable

            return printable(value.strip())[:MAX_SESSION]
    return time.strftime("day:%Y-%m-%d")


def note(root: str, session: str, tool: str, length: int) -> bool:
    """Note one violation; whether it is on record."""
    record = {"s": session, "cmd": "guard", "verdict": "denied", "why": "other_tool"}
    return append(root, record | {"tool": tool[:60], "len": length, "x": 1})


def append(root: str, record: "dict[str, Any]") -> bool:
    """Append a record to audit.jsonl, with the time. It takes no lock, so it looks whether rotation has lost it."""
    zone = time.strftime("%z")
    at = time.strftime("%Y-%m-%dT%H:%M:%S") + f"{zone[:3]}:{zone[3:5]}"
    line = exchange.dumps({"at": at, **record}, ascii_only=False)
    data = escape(line).encode() + b"\n"
    path = os.path.join(root, place.AUDIT)
    try:
        for number in range(_RACES):
            if _append(path, data, os.stat(root).st_mode & 0o666 | 0o600, again=number > 0):
                return True
    except OSError as error:
        _complain(f"nothing could be noted in {place.AUDIT}: {error.strerror}")
    return False


def escape(line: str) -> str:
    r"""Write as \u what store/audit writes so: `<`, `>`, `&` and what does not print."""
    from promptx_mem.hooks.remedy import invisible

    def spelled(char: str) -> str:
        if invisible(char):
            return exchange.dumps({"": char})[5:-2]
        return f"\\u{ord(char):04x}" if char in "<>&" else char

    return "".join(map(spelled, line))


def _append(path: str, data: bytes, mode: int, *, again: bool) -> bool:
    """Append in one write; False where the file was replaced meanwhile, so that the line may be lost."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    before = os.umask(0o177 & ~mode)
    try:
        fd = os.open(path, flags | os.O_CREAT, mode)
    finally:
        os.umask(before)
    try:
        status = os.fstat(fd)
        if status.st_mode & 0o170000 != 0o100000:
            raise OSError(0, "audit.jsonl is not a regular file")
        if again and data in os.pread(fd, status.st_size, 0):  # rotation has carried it over
            return True
        if status.st_size and os.pread(fd, 1, status.st_size - 1) != b"\n":
            data = b"\n" + data
        os.write(fd, data)
        now = os.lstat(path)
    finally:
        os.close(fd)
    return (now.st_dev, now.st_ino) == (status.st_dev, status.st_ino)


def _complain(message: str) -> None:
    """One line on stderr; nothing where that is closed."""
    line = "".join(char if char.isprintable() else "\ufffd" for char in message)
    try:
        os.write(2, f"promptx-mem guard: {line[:500]}\n".encode("utf-8", "replace"))
    except OSError:
        return
