"""The write that a tool call would make: by a file tool, a shell, or another memory program."""

import os

from promptx_mem.hooks import command_in, shell_line
from promptx_mem.hooks.guard.commands import Attempt, Line, is_inside, patched

TYPE_CHECKING = False  # importing typing would take longer than everything else
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_RUNS = frozenset({"bash", "shell", "powershell", "terminal", "command", "cmd", "process", "exec", "execute", "run"})
"""Words in the names of tools that run commands."""

_VERBS = frozenset({
    "create", "add", "save", "store", "write", "update", "delete", "remove", "remember", "insert", "put", "append",
    "edit", "forget", "upsert", "record", "memorize", "replace", "move", "patch", "rename", "clear", "set", "learn",
    "retain", "ingest", "cognify", "apply", "rewrite", "editor", "multiedit",
})  # fmt: skip
"""Words in the names of tools that write."""

_RECORDS = frozenset({"update", "delete", "remove", "set", "patch", "move", "rename", "clear"})
"""Verbs in the names of tools that change or remove existing records."""

_REMOVES = frozenset({"delete", "remove", "forget", "clear"})
"""Verbs in the names of tools that store no new fact."""

_PATHS = ("path", "file", "dest", "source")
"""Parts of argument names. If the name of an argument contains one of these parts, the value is a path."""

_NEW = (
    "content", "contents", "new_string", "newString", "newText", "new_str", "text", "file_text", "fact", "memory",
    "observations", "observation", "data", "note", "value", "thingToRemember", "engrams", "memories", "messages",
    "facts", "entities", "edits", "episode_body", "newStr", "CodeContent", "code_edit",
)  # fmt: skip
"""Names of arguments that contain the text to write."""

_OLD = ("old_string", "oldString", "oldText", "old_str")
_GRAPH = frozenset({"entities", "relations", "observations"})
_SERVERS = frozenset({
    "memory", "memories", "mem0", "openmemory", "memorybank", "supermemory", "mem", "brain", "hindsight", "letta",
    "zep", "graphiti", "cognee", "langmem", "promptx",
})  # fmt: skip
"""Words in the names of MCP servers that store memories."""

_NOUNS = _SERVERS | _GRAPH | {
    "fact", "facts", "note", "notes", "episode", "interaction", "archival", "core", "user", "bank", "knowledge", "to",
    "a", "the", "this", "that", "it", "new", "my", "all",
}  # fmt: skip
_MACHINE = frozenset({"address", "addr", "pid", "offset"})
"""Names of arguments of tools that write to the RAM of a machine or process."""


def attempt(tool: str, arguments: "dict[str, Any]", cwd: str, root: str | None) -> Attempt | None:
    """Return the write to a store or another memory program that a tool call would make; None if it would make none."""
    server, _, name = tool.removeprefix("MCP:").removeprefix("mcp__").removeprefix("mcp_").rpartition("__")
    if "promptx-mem" in tool.replace("_", "-") or arguments.get("command") == "view":
        return None
    words = _words(name)
    command = command_in(arguments)
    if command and _RUNS.intersection(words):
        return _shell(tool, command, arguments, cwd, root)
    if not _VERBS.intersection(words):
        what = str(arguments.get("action", arguments.get("command")))
        writes = words == ["memory"] and _VERBS.intersection(_words(what))
        return _memory_tool_attempt(tool, arguments) if writes else None
    if found := _file(tool, arguments, cwd, root):
        return found
    server_words = ["unknown"] if tool.startswith("MCP:") else _words(server)
    return _memory_tool_attempt(tool, arguments) if _remembers(words, server_words, arguments) else None


def _words(name: str) -> list[str]:
    """Split a tool's name, such as `add_observations`, `add-memory` or `addMemory`, into words."""
    spaced = "".join(f" {char.lower()}" if char.isupper() else char for char in name)
    return spaced.replace("_", " ").replace("-", " ").replace("power shell", "powershell").split()


def _remembers(words: list[str], server: list[str], arguments: "dict[str, Any]") -> bool:
    """Return whether a tool stores or removes something in another memory program."""
    named = set(words)
    if not named <= _VERBS | _NOUNS or _MACHINE & arguments.keys():
        return False
    if _SERVERS.intersection(server) or (words[0] in ("remember", "memorize", "cognify") and server != ["unknown"]):
        return True
    # A tool of another server that changes a record by id or name writes to no memory, even if it is called `memory`.
    changes = server and _RECORDS & named and any(key.lower().endswith(("id", "key", "name")) for key in arguments)
    return bool((_SERVERS | _GRAPH) & named) and not changes


def _shell(tool: str, command: object, arguments: "dict[str, Any]", cwd: str, root: str | None) -> Attempt | None:
    line, patch = shell_line(command)
    folder = next((arguments[key] for key in ("dir_path", "directory", "cwd", "workdir") if key in arguments), "")
    cwd = os.path.join(cwd, folder) if isinstance(folder, str) else cwd
    if patch:
        words = line.removesuffix(patch).split()
        place = os.path.join(cwd, words[1]) if words[:1] == ["cd"] and len(words) > 1 else cwd
        written = _file(tool, {"input": patch}, place, root)
        if written or (isinstance(command, list) and not words):  # a shell runs a text, also one that begins so
            return written
    found = Line(cwd, root).find(line.replace("\\", "/") if tool == "PowerShell" else line)
    if found is not None:
        found.tool, found.lines = f"{tool} ({found.tool})", [found.text]
    return found


def _file(tool: str, arguments: "dict[str, Any]", cwd: str, root: str | None) -> Attempt | None:
    """Return the first write to a path in a store, if any. It comes from an argument, a list of edits, or a patch."""
    for path in (paths := list(_paths(arguments))):
        if is_inside(os.path.join(cwd, os.path.expanduser(path)), root):
            out = Attempt(tool, path)
            old = list(_texts(arguments, _OLD)) or _patch_lines(arguments, "-")
            out.lines = list(_texts(arguments, _NEW)) or _patch_lines(arguments, "+")
            new = out.lines or [""]
            if len(paths) == len(new) == 1 and len(old) <= 1:
                out.edit = (old[0], new[0]) if old and old[0] else None
                out.text = "" if out.edit else new[0]
            return out
    return None


def _paths(arguments: "dict[str, Any]") -> "Iterator[str]":
    for key, value in arguments.items():
        if isinstance(value, str) and any(part in key.lower() for part in _PATHS) and "text" not in key.lower():
            yield value
        elif isinstance(value, str):
            yield from patched(value)
        elif isinstance(value, list):
            for one in value:
                yield from _paths(one) if isinstance(one, dict) else ()


def _texts(value: "Any", keys: tuple[str, ...]) -> "Iterator[str]":
    """Yield the texts of the arguments with these names, at any depth."""
    for key, one in value.items() if isinstance(value, dict) else ():
        if key in keys and isinstance(one, str):
            yield one
        for item in one if isinstance(one, list) else ():
            if key in keys and isinstance(item, str):
                yield item
            yield from _texts(item, keys)


def _patch_lines(arguments: "dict[str, Any]", sign: str) -> list[str]:
    texts = [text for text in arguments.values() if isinstance(text, str) and text.startswith("*** ")]
    return [line[1:] for text in texts for line in text.split("\n") if line[:1] == sign]


def _memory_tool_attempt(tool: str, arguments: "dict[str, Any]") -> Attempt:
    out = Attempt(tool)
    out.lines = list(_texts(arguments, _NEW))
    tags = arguments.get("tags")
    tags = tags.replace(",", " ").replace("#", " ").split() if isinstance(tags, str) else tags
    out.tags = tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else ()
    named = {*arguments, *_words(f"{tool} {arguments.get('action')}")}
    is_new = not named & (_REMOVES | _GRAPH) and not any(key.startswith("old") for key in arguments)
    out.text = out.lines[0] if len(out.lines) == 1 and (is_new or out.tags) else ""
    return out
