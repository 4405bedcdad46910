"""Commands that agents' hosts call at events."""

import os

from promptx_mem.core.json_text import loads
from promptx_mem.places import STORE, USER_STORE, is_trusted, is_user_store, store_candidates, user_store

TYPE_CHECKING = False  # typing loads slowly
if TYPE_CHECKING:
    from typing import Any

MAX_EVENT = 2_000_000
"""Maximum size of a hook event in bytes. A larger event is an error."""


class EventError(ValueError):
    """A hook event that cannot be read. The message says why."""


def read_event(data: bytes) -> "dict[str, Any]":
    """Parse a hook event of at most MAX_EVENT bytes, with Cursor's fields under the usual names. Raises EventError."""
    if len(data) > MAX_EVENT:
        raise EventError(f"the event has more than {MAX_EVENT} bytes")
    try:
        value = loads(data)
    except (ValueError, RecursionError) as error:
        raise EventError(f"the event is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise EventError("the event is not a JSON object")
    roots = value.get("workspace_roots")
    value["cwd"] = value.get("cwd") or (roots[0] if isinstance(roots, list) and roots else None)
    value["session_id"] = value.get("session_id") or value.get("conversation_id")
    return value


def command_in(arguments: "dict[str, Any]") -> "Any":
    """Return the shell command in a tool call's arguments; None if there is none. It can be a list of words."""
    return next((arguments[key] for key in ("command", "cmd", "CommandLine") if key in arguments), None)


def shell_line(command: object) -> tuple[str, str]:
    """Return a shell command as one line, and the patch in it that Codex applies itself; '' if there is none."""
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        is_script = command[:1] == ["apply_patch"] or (len(command) > 2 and command[1][:1] == "-")
        command = command[-1] if is_script else " ".join(command)
    if not isinstance(command, str):
        return "", ""
    head, begin, rest = command.partition("*** Begin Patch")
    return command, begin + rest if begin and (not head or "apply_patch" in head) else ""


def complain(command: str, problem: str | Exception, effect: str = "") -> None:
    """Print `effect` and an error of a command as one line on stderr, unless stderr is closed."""
    from promptx_mem.core.text import printable

    is_named = isinstance(problem, Exception) and not isinstance(problem, EventError)
    message = effect + (f"{type(problem).__name__}: " if is_named else "") + str(problem)
    try:
        os.write(2, f"promptx-mem {command}: {printable(message)[:500]}\n".encode("utf-8", "replace"))
    except OSError:
        return


def stores_in_use(root: str | None) -> list[str]:
    """Return the paths of `root`, if any, and of the user store, if commands use it."""
    return list(dict.fromkeys(filter(None, (root, user_store_in_use()))))


def store_in_use(cwd: str) -> str | None:
    """Return PROMPTX_MEM_DIR, the nearest `.memory` (None if untrusted or a link) or, outside git, the user store."""
    override = os.environ.get(STORE)
    if override:
        path = os.path.join(cwd, os.path.expanduser(override))
        return path if os.path.isdir(path) else None
    for candidate, top in store_candidates(os.path.abspath(cwd)):
        if not candidate:
            return None if top else user_store_in_use()
        if os.path.lexists(candidate) and not is_user_store(candidate):
            is_own = not os.path.islink(candidate) and os.path.isdir(candidate) and is_trusted(os.stat(candidate))
            return candidate if is_own else None
    return None


def user_store_in_use() -> str | None:
    """Return the user store if it exists, and a variable names it or its owner is trusted; else None."""
    path = user_store()
    if path is None or not os.path.isdir(path):
        return None
    return path if os.environ.get(USER_STORE) or is_trusted(os.stat(path)) else None
