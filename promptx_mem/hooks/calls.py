"""Begin and end of tool calls. Before a call the state of the stores is recorded; after the call it is compared."""

import fcntl
import os
import time

from promptx_mem.hooks import command_in, store_in_use, stores_in_use
from promptx_mem.places import guard_folder, is_trusted, store_candidates

TYPE_CHECKING = False  # typing loads slowly
if TYPE_CHECKING:
    from typing import Any

    from promptx_mem.hooks.guard.look import Snapshot
    from promptx_mem.hooks.host import Event

LOOK_FILE = ".look"
NAMELESS = "-"
"""Placeholder for the missing name of a session or a call."""

_TRIES, _PAUSE = 40, 0.005
_SEPARATORS = str.maketrans(dict.fromkeys("'\"`;|&<>()=,[]{}\\", " "))
_NO_LINK = os.O_CLOEXEC | os.O_NOFOLLOW


def changed_during(event: "dict[str, Any]", cwd: str, root: str | None) -> str:
    """End a call of a session. Return the report of other programs' changes to the stores, if any.

    If the event is not about a call, end all open calls of the session.
    """
    stores = compared(root, event["tool_input"], cwd)
    known = recorded_store(cwd)  # `store_in_use` does not find a store that is gone
    if known and not os.path.isdir(known):
        stores.append(known)
    parts = [_end(store, event, cwd) for store in dict.fromkeys(stores)]
    return "\n\n".join(filter(None, parts))


def compared(root: str | None, arguments: "dict[str, Any]", cwd: str) -> list[str]:
    """Return the stores in use, and those of the folders that the words of a shell command name."""
    words = str(command_in(arguments) or "")[:2_000].translate(_SEPARATORS).split()
    named = (os.path.join(cwd, os.path.expanduser(word.partition("/.memory")[0])) + "/.memory" for word in words)
    found = (os.path.normpath(path) for path in named if os.path.isdir(path) and is_trusted(os.stat(path)))
    return list(dict.fromkeys([*stores_in_use(root), *found]))


def end_open_calls(event: "Event") -> str:
    """End the open calls of a session. Return the report of other programs' changes during these calls.

    Except at a message, also begin to compare the settings files that can contain promptx-mem's hooks.
    """
    cwd = os.getcwd()
    root = store_in_use(cwd)
    fields = {"session_id": event.session, "tool_name": "", "tool_input": {}}
    said = changed_during(fields, cwd, root)
    if event.name not in ("UserPromptSubmit", "BeforeAgent"):
        for store in stores_in_use(root)[:1]:
            begin(store, fields, host=event.ways.name)
    return said


def begin(root: str, event: "dict[str, Any]", call: str = "", host: str = "") -> None:
    """Record the state before a call, or at a session's start (without `call`).

    With `host`, also record the host's settings files; before a call, only if no call is open and none is recorded.
    """
    look = _open(root, create=True)
    if look is not None:
        from promptx_mem.hooks.guard.look import HOST

        with look:
            settings = {}
            if host and (not call or not (look.calls or f"{HOST}{host}:hooks" in look.watched)):
                from promptx_mem.hooks import hosts, setup

                watched = setup.watched(host) if host in hosts.HOSTS else {}
                settings = {f"{HOST}{host}:{one}": path for one, path in watched.items()}
            look.begin(record_key(event["session_id"]), call, settings)


def _end(root: str, event: "dict[str, Any]", cwd: str) -> str:
    """Compare a store's files after a call. Return a report of changes by other programs; empty if there are none."""
    look = _open(root, create=False)
    if look is None:
        return ""
    with look:
        mine = [one for one in look.calls if one.session == record_key(event["session_id"])]
        if event["tool_name"]:
            mine = [one for one in mine if one.name in (record_key(event.get("tool_use_id")), NAMELESS)][:1]
        look.began = min((one.at for one in look.calls), default=0.0)
        look.calls = [one for one in look.calls if one not in mine]
        now, said = look.now(), ""
        if not mine or not look.at or now == look.at:
            return ""
        if look.at.keys() == now.keys() and not look.is_own(now):
            from promptx_mem.hooks.guard import compare

            said = compare.answer(look, mine[0], now, event, cwd)
            now = look.now()  # includes the changes that `answer` has made
        look.accept(now)
        return said


def recorded_store(cwd: str) -> str | None:
    """Return the nearest store in `cwd` or a parent that has a look, even if the store is gone."""
    for candidate, _ in store_candidates(os.path.abspath(cwd)):
        folder = guard_folder(candidate) if candidate else None
        if folder is None or os.path.exists(os.path.join(folder, LOOK_FILE)):
            return candidate if folder else None
    return None


def record_key(text: object) -> str:
    """Return the name of a session or a call in `guard.look`; NAMELESS if there is none."""
    return text[:120] if isinstance(text, str) and text else NAMELESS


def _open(root: str, *, create: bool) -> "Snapshot | None":
    """Open (or `create`) and lock the look of a store. Return None if this fails, or it stays locked for 0.2 s."""
    folder = guard_folder(root, create=create)
    if folder is None:
        return None
    try:
        if create:
            os.makedirs(folder, mode=0o700, exist_ok=True)
        fd = os.open(os.path.join(folder, LOOK_FILE), os.O_RDWR | _NO_LINK | (os.O_CREAT if create else 0), 0o600)
    except OSError:
        return None
    for _ in range(_TRIES):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            time.sleep(_PAUSE)
        else:
            from promptx_mem.hooks.guard.look import Snapshot

            return Snapshot(root, folder, fd)
    os.close(fd)
    return None
