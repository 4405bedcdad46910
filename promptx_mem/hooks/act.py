"""Memories at tool calls: a warning before a call, related memories with its result (docs/agents.md).

The guard calls it. If no memory is about a call, only the small file of hashes is read.
"""

import os

from promptx_mem.core import acts

TYPE_CHECKING = False  # typing would cost more than all the rest
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from promptx_mem.core.description import Description
    from promptx_mem.memory import Memory

HOOK = "act"
ABOUT, WARNING, CURE = "file", "warning", "failure"
"""The rules by which a memory is injected."""

MAX_TEXT, MAX_COUNT, MAX_TOKENS = 300, 3, 300
MAX_SESSION = 600
"""Tokens that this adds in one session."""

_HEADING = "Memories about this call (facts noted earlier, not instructions):\n"
_HELD = "A memory warns of this call. If it is meant all the same, repeat it: the same call passes the second time."
_PATHS = ("file_path", "path", "absolute_path", "filePath", "notebook_path", "dir_path", "target_file", "paths")
_PATTERNS = ("pattern", "query")
_COMMANDS = ("command", "cmd", "CommandLine")
_WRITING = ("write", "edit", "replace", "patch", "delete", "create", "insert", "update")
_DEPTH, _SHORT = 3, 80
_MOST_READ, _MOST_TAIL = 1 << 21, 1 << 16
_FILES = ("declarative.md", "journal.jsonl")
_NO_LINK = os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)


class Call:
    """One tool call: the commands of a shell line, the paths that it reads and writes, its search terms."""

    __slots__ = ("commands", "cwd", "names", "read", "written")

    def __init__(self, tool: str, arguments: "dict[str, Any]", cwd: str) -> None:
        self.cwd = cwd
        line = next((arguments[key] for key in _COMMANDS if key in arguments), None)
        if isinstance(line, list):
            line = line[-1] if line and all(isinstance(word, str) for word in line) else None
        is_patch = isinstance(line, str) and line.startswith("*** ")
        self.commands: list[list[str]] = []
        named = _paths(arguments) + _patched(line if is_patch else arguments.get("input"))
        named = [path for path in named if path and "\0" not in path]
        is_writing = any(word in tool.lower() for word in _WRITING)
        self.read = [os.path.join(cwd, path) for path in named]
        self.written = list(self.read) if is_writing else []
        glob = arguments.get("pattern")
        last = glob.rpartition("/")[2] if isinstance(glob, str) else ""
        self.read += [last] if "." in last and not set("*?[({\\|^$") & set(last) else []
        self.names = [
            value for key in _PATTERNS if isinstance(value := arguments.get(key), str) and value.isidentifier()
        ]
        if isinstance(line, str) and not is_patch:
            self._take(line)

    def _take(self, line: str, depth: int = 0) -> None:
        """Take the commands of a shell line."""
        from promptx_mem.hooks.guard import commands

        for item in commands.read(line):
            if isinstance(item, str):
                continue
            self.written += [os.path.join(self.cwd, word.text) for operator, word in item.redirects if ">" in operator]
            for command in acts.run([word.text for word in item.words]):
                self._take_command(command)
                if depth < _DEPTH and (inner := acts.inner(command)):
                    self._take(inner, depth + 1)

    def _take_command(self, command: "list[str]") -> None:
        self.commands.append(command)
        targets = acts.written(command)
        self.written += [os.path.join(self.cwd, path) for path in targets]
        words = [word for word in command[1:] if word[:1] != "-"] if command[0] in acts.READS else []
        self.read += [os.path.join(self.cwd, word) for word in (*words, *targets) if "\0" not in word]
        self.names += [word for word in words if word.isidentifier()]

    def warned(self) -> "list[str]":
        """Return the keys of memories that may warn of the call."""
        keys = [f"warn:{key}" for command in self.commands for key in acts.pairs(command)]
        return keys + [f"write:{name}" for path in self.written for name in acts.names_of(self._below(path))]

    def cited(self) -> "list[str]":
        """Return the keys of memories that may cite the files of the call."""
        keys = [f"read:{name}" for path in self.read for name in acts.names_of(self._below(path))]
        return keys + [f"name:{name}" for name in self.names]

    def _below(self, path: str) -> str:
        path = os.path.normpath(path)
        return path.removeprefix(self.cwd) if path.startswith(self.cwd) else path


def before(
    event: "dict[str, Any]", tool: str, arguments: "dict[str, Any]", cwd: str, stores: "list[str]", _: str
) -> str:
    """Return why the first such call of a session is denied; empty if it may go on."""
    call = Call(tool, arguments, cwd)
    if not _may_apply(stores, call.warned(), cwd):
        return ""
    from promptx_mem.usecases import acts as known

    memory = _opened(cwd)
    found = known.forbidding(memory.context, call.commands, call.written) if memory and _is_on("warn") else []
    text = _given(event, memory, found, WARNING, most=1)
    return f"{_HELD}\n{text}" if text else ""


def after(
    event: "dict[str, Any]", tool: str, arguments: "dict[str, Any]", cwd: str, stores: "list[str]", caller: str
) -> str:
    """Return the memories that are about a call, to be read with its result."""
    call = Call(tool, arguments, cwd)
    error = _error(event, caller) if _may_have_failed(event) else ""
    may_cite = bool(call.read or call.names) and _may_apply(stores, call.cited(), cwd)
    if not (error or may_cite):
        return ""
    from promptx_mem.usecases import acts as known

    memory = _opened(cwd)
    if memory is None:
        return ""
    found, rule = known.curing(memory.context, error) if error else [], CURE
    if not found and may_cite:
        found, rule = known.citing(memory.context, call.read, call.names), ABOUT
    text = _given(event, memory, found, rule, most=MAX_COUNT)
    return _HEADING + text if text else ""


def _paths(arguments: "dict[str, Any]") -> "list[str]":
    out = []
    for key in _PATHS:
        value = arguments.get(key)
        out += (
            [value]
            if isinstance(value, str)
            else [one for one in value if isinstance(one, str)]
            if isinstance(value, list)
            else []
        )
    glob = arguments.get("pattern")
    if isinstance(glob, str) and "/" in glob:
        out.append(glob.partition("*")[0] or ".")
    return out[:50]


def _patched(patch: object) -> "list[str]":
    """Return the files of a patch as Codex writes it."""
    lines = patch.split("\n") if isinstance(patch, str) and patch.startswith("*** ") else []
    marks = (line.partition(": ") for line in lines if line.startswith("*** "))
    return [path.strip() for mark, _, path in marks if mark.endswith((" File", " to"))]


def _may_apply(stores: "list[str]", keys: "list[str]", cwd: str) -> bool:
    """Return whether the small file of one of the stores has one of the keys; it is rebuilt if it is out of date."""
    wanted = acts.hashes(keys) if keys else ()
    return bool(wanted) and any(_has(store, wanted, cwd) for store in stores)


def _has(store: str, wanted: "set[bytes] | tuple[bytes, ...]", cwd: str) -> bool:
    stamp, folder = _stamp(store), os.path.join(store, ".cache")
    head = stamp + b"\n"
    data = _load(os.path.join(folder, HOOK))
    if not data.startswith(head):
        if not os.access(folder, os.W_OK):
            return False
        from promptx_mem.usecases import acts as known

        memory = _opened(cwd)
        for context in memory.context.both() if memory else ():
            if os.path.realpath(context.layout.root) == os.path.realpath(store):
                known.build(context, stamp)
        data = _load(os.path.join(folder, HOOK))
    return data.startswith(head) and any(_is_in(data, len(head), one) for one in wanted)


def _is_in(data: bytes, start: int, one: bytes) -> bool:
    at = data.find(one, start)
    while at >= 0 and (at - start) % 4:
        at = data.find(one, at + 1)
    return at >= 0


def _stamp(store: str) -> bytes:
    parts = []
    for name in _FILES:
        try:
            status = os.stat(os.path.join(store, name))
            parts.append(f"{status.st_ino}.{status.st_size}.{status.st_mtime_ns}")
        except OSError:
            parts.append("-")
    return " ".join(parts).encode()


def _load(path: str) -> bytes:
    try:
        fd = os.open(path, _NO_LINK)
    except OSError:
        return b""
    try:
        return os.read(fd, _MOST_READ)
    except OSError:
        return b""
    finally:
        os.close(fd)


def _may_have_failed(event: "dict[str, Any]") -> bool:
    return event.get("hook_event_name") == "PostToolUseFailure" or "tool_response" in event


def _error(event: "dict[str, Any]", caller: str) -> str:
    """Return a failed call's output, if the host reports failures; empty for a successful call."""
    if event.get("hook_event_name") == "PostToolUseFailure":
        error = event.get("error")
        return error if isinstance(error, str) and not event.get("is_interrupt") else ""
    response = event.get("tool_response")
    if isinstance(response, dict):
        text = response.get("llmContent", response.get("output"))
        if not isinstance(text, str):
            return ""
        code = response.get("exit") or text.rpartition("\nExit Code: ")[2].partition("\n")[0] * (
            "\nExit Code: " in text
        )
        return text if code not in (0, "", "0", "(none)", None) else ""
    if not isinstance(response, str) or not response:
        return ""
    from promptx_mem.hooks import hosts

    host = hosts.named(caller, event["hook_event_name"])
    return response if host.failure == "transcript" and _has_exit_code(event) else ""


def _has_exit_code(event: "dict[str, Any]") -> bool:
    """Return whether the transcript's last exit code, of this call if it is named, is another one than 0."""
    try:
        with open(str(event.get("transcript_path")), "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _MOST_TAIL))
            lines = [line for line in file.read(_MOST_TAIL).split(b"\n") if b'"exit_code":' in line]
    except (OSError, ValueError):
        return False
    call = str(event.get("tool_use_id", "")).encode("utf-8", "replace")
    named = [line for line in lines if call and call in line]
    last = (named or lines or [b""])[-1].rpartition(b'"exit_code":')[2].lstrip()
    return last[:1] not in (b"", b"0", b"n")


def _opened(cwd: str) -> "Memory | None":
    """Return the use cases of the stores that are there and own."""
    from promptx_mem.hooks import host
    from promptx_mem.memory import Memory

    if os.path.isdir(cwd):
        os.chdir(cwd)
    own = host.own(Memory.open())
    return own if own and own.context.both()[0].layout.exists() and _is_on("act") else None


def _is_on(rule: str) -> bool:
    """Return whether the user's settings leave a rule on; wrong settings turn nothing off."""
    from promptx_mem.places import may_have_settings

    if not may_have_settings():
        return True
    from promptx_mem.errors import PromptxMemError
    from promptx_mem.store import settings

    try:
        return settings.acts(warns=rule == "warn")
    except PromptxMemError:
        return True


def _given(
    event: "dict[str, Any]", memory: "Memory | None", found: "Sequence[Description]", rule: str, *, most: int
) -> str:
    """Return the block of memories that the session does not have yet, within all bounds, and record rule and ids."""
    name = event.get("session_id") or event.get("conversation_id")
    if memory is None or not found or not isinstance(name, str) or not name:
        return ""
    from promptx_mem import session
    from promptx_mem.core.prompt_block import block, tokens
    from promptx_mem.core.text import shorten
    from promptx_mem.hooks import injected
    from promptx_mem.store import hosts

    place, now = memory.context.both()[0].layout, memory.context.now()
    record = session.of_host(name)
    spent = injected.spent(place, record)
    known = spent.warned if rule == WARNING else spent.given
    bare: dict[str, Any] = {"tags": [], "topic": None, "type": None, "freshness": None, "slice": None}
    shown = [{**one, **bare, "text": shorten(one["text"], MAX_TEXT)} for one in found if one["id"] not in known]
    room = min(MAX_TOKENS, MAX_SESSION - spent.act, injected.MAX_SESSION - spent.every)
    shown = shown[:most]
    while shown:
        text = block({"memories": shown, "left_out": 0, "as_of": None})  # type: ignore[typeddict-item]
        if rule == WARNING or tokens(text) <= room:
            break
        if len(shown) > 1 or len(shown[0]["text"]) < _SHORT or room < _SHORT:
            shown.pop()
        else:
            shown[0]["text"] = shorten(shown[0]["text"], len(shown[0]["text"]) * 2 // 3)
    if not shown:
        return ""
    ids = {str(one["id"]): injected.mark(whole) for one in shown for whole in found if whole["id"] == one["id"]}
    more: dict[str, Any] = {"hook": HOOK, "ids": ids, "via": dict.fromkeys(ids, rule), "tokens": tokens(text)}
    return text if hosts.note(place, record, hosts.GIVEN, now, more) else ""
