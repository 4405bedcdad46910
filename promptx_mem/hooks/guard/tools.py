"""Which tool calls write to a memory, and what: file tools, the shell, other memory tools."""

import os

from promptx_mem.hooks.guard import place

TYPE_CHECKING = False  # typing would cost more than all the rest
if TYPE_CHECKING:
    from typing import Any

WRITERS = (
    "Write", "Edit", "MultiEdit", "NotebookEdit", "write_file", "replace", "edit", "write", "multiedit", "edit_file",
    "create_file", "delete_file", "insert_edit_into_file", "search_replace", "replace_string_in_file",
    "str_replace_editor",
    "str_replace_based_edit_tool", "write_to_file", "replace_in_file", "apply_diff", "create", "StrReplace", "Delete",
    "fs_write", "fsWrite", "fsAppend", "strReplace", "deleteFile", "insert_content", "multi_replace_string_in_file",
    "replace_file_content", "multi_replace_file_content", "create_new_file", "edit_existing_file", "rewrite_file",
    "text_editor", "append_file", "append_to_file", "move_file", "move_path", "copy_path", "delete_path", "remove_file",
)  # fmt: skip
SHELLS = (
    "Bash", "run_shell_command", "PowerShell", "bash", "shell", "local_shell", "shell_command", "exec_command",
    "execute_command", "run_command", "run_terminal_cmd", "run_in_terminal", "Shell", "execute_bash", "executeBash",
    "run_terminal_command", "terminal",
)  # fmt: skip
PATCHES = ("apply_patch", "applypatch", "ApplyPatch", "patch")
OWN = ("promptx-mem", "promptx_mem")

_PATHS = (
    "file_path", "notebook_path", "path", "absolute_path", "filePath", "destination", "dest", "source", "filename",
    "target_file", "TargetFile", "filepath", "relative_path", "pathInProject", "source_path",
    "destination_path", "file",
)  # fmt: skip
_TEXTS = (
    "fact", "content", "text", "memory", "file_text", "insert_text", "new_str", "data", "note", "observation", "value",
    "thingToRemember", "memoryContent", "new_content", "interaction", "rules", "episode_body",
    "knowledge_to_store",
)  # fmt: skip
_NEW = (
    "content", "contents", "new_string", "newString", "new_source", "newText", "new_str", "text", "file_text", "code",
    "code_edit", "CodeContent", "new_content", "newStr", "ReplacementContent", "insert_text", "replace",
)  # fmt: skip
_OLD = ("old_string", "oldString", "oldText", "old_str", "oldStr", "TargetContent", "search")
_CHANGES = ("edits", "replacements", "ReplacementChunks")
_RUNS = frozenset({"command", "shell", "terminal", "bash", "process", "exec", "execute", "run"})
_VERBS = frozenset({
    "create", "add", "save", "store", "write", "update", "delete", "remove", "remember", "insert", "put", "append",
    "edit", "forget", "upsert", "record", "memorize", "replace", "move", "patch", "rename", "clear", "set",
    "learn", "retain", "ingest",
})  # fmt: skip
_NOUNS = frozenset({
    "memory", "memories", "fact", "facts", "entity", "entities", "relation", "relations", "observation", "observations",
    "note", "notes", "graph", "to", "a", "the", "new", "my", "user", "project", "long", "term", "bank", "knowledge",
    "all", "core", "archival", "recall", "working", "episodic", "semantic", "supermemory", "mem0", "mem", "episode",
    "block", "item", "items", "entry", "by", "id", "and", "nodes", "content",
})  # fmt: skip
_GRAPH = frozenset({"entities", "relations", "observations"})
_REMEMBERS = frozenset({
    "remember", "memorize", "cognify", "save_interaction", "cognee_add", "codify", "promptx_remember", "add_episode",
    "add_developer_rules", "cognee_add_developer_rules", "write_note", "edit_note", "delete_note",
})  # fmt: skip
_MEMORIES = frozenset({"memory", "memories", "mem0", "openmemory", "memorybank", "supermemory"})
_SERVERS = _MEMORIES | {"mem", "brain", "hindsight", "letta", "zep", "graphiti", "cognee", "langmem", "memu", "memos"}
"""Words in the names of servers that are memories and little else."""
_MACHINE = frozenset({"address", "addr", "pid", "offset"})
"""Arguments of what writes a machine's memory."""

_RECORDS = frozenset({"update", "delete", "remove", "set", "patch", "move", "rename", "clear"})
"""Verbs for what is there already."""


class Attempt:
    """A write that is to be denied: where it would go, what it says, what it replaces."""

    __slots__ = ("area", "call", "edits", "facts", "is_lowest", "path", "text", "tool")

    def __init__(self, tool: str, path: str | None, area: str) -> None:
        self.tool = tool
        self.path = path
        self.area = area
        self.text: str | None = None
        self.is_lowest = False  # the command advised has the lowest score, since none was given
        self.facts: list[tuple[str, tuple[str, ...]]] = []
        self.edits: list[tuple[str, str]] = []
        self.call: list[str] = []


def attempt(tool: str, arguments: "dict[str, Any]", cwd: str, root: str | None) -> Attempt | None:
    """Return the write that a tool call would make to a memory, None where it makes none."""
    if tool in SHELLS:
        return _shell(tool, arguments, cwd, root)
    if tool in WRITERS:
        return _file(tool, arguments, cwd, root)
    if tool in PATCHES:
        return _patch(tool, arguments, cwd, root)
    if tool == "memory":  # Anthropic's memory tool
        return None if arguments.get("command") in ("view", None) else _foreign_tool(tool, arguments)
    if tool.startswith(("mcp_", "MCP:")) or "__" in tool:
        return _mcp(tool, arguments, cwd, root)
    return _foreign_tool(tool, arguments) if _stores(_words(tool)) and not _MACHINE & arguments.keys() else None


def _stores(words: list[str]) -> bool:
    """Whether a tool's name says that it stores in, or takes from, a memory."""
    named = set(words)
    if "_".join(words) in _REMEMBERS:
        return True
    if words[:1] in (["remember"], ["memorize"], ["memorise"]) and set(words[1:]) <= _NOUNS | {"this", "that", "it"}:
        return True
    return bool(_VERBS & named and (_MEMORIES | _GRAPH) & named) and named <= _VERBS | _NOUNS | _MEMORIES


def _patch(tool: str, arguments: "dict[str, Any]", cwd: str, root: str | None) -> Attempt | None:
    text = _first(arguments, ("input", "patch", "patch_text", "patchText", "command", "diff", "content"))
    from promptx_mem.hooks.guard.shell import patched

    if path := patched(text, lambda path: place.area(os.path.join(cwd, os.path.expanduser(path)), root)):
        return Attempt(tool, path, place.area(os.path.join(cwd, os.path.expanduser(path)), root))
    return _file(tool, arguments, cwd, root)


def _shell(tool: str, arguments: "dict[str, Any]", cwd: str, root: str | None) -> Attempt | None:
    command = arguments.get("command") or arguments.get("cmd") or arguments.get("CommandLine")
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        command = command[-1] if len(command) > 2 and command[1][:1] == "-" else " ".join(command)
    if not isinstance(command, str):
        return None
    from promptx_mem.hooks.guard import commands

    if tool == "PowerShell":
        command = command.replace("\\", "/")
    folder = arguments.get("dir_path") or arguments.get("directory") or arguments.get("cwd") or arguments.get("workdir")
    found = commands.find(command, os.path.join(cwd, folder) if isinstance(folder, str) else cwd, root)
    if found is None:
        return None
    out = Attempt(f"{tool} ({found.tool})", found.path or None, found.area)
    out.text, out.call = found.text, found.call
    return out


def _file(tool: str, arguments: "dict[str, Any]", cwd: str, root: str | None) -> Attempt | None:
    if arguments.get("command") == "view":
        return None
    changes = _changes(arguments)
    for path in (change.get(key) for change in changes for key in _PATHS):
        if isinstance(path, str) and path:
            kind = place.area(os.path.join(cwd, os.path.expanduser(path)), root)
            if kind:
                out = Attempt(tool, path, kind)
                _texts(out, changes)
                return out
    return None


def _changes(arguments: "dict[str, Any]") -> "list[dict[str, Any]]":
    """The arguments of a call, and each of the edits that it makes at once."""
    edits = next((arguments[key] for key in _CHANGES if key in arguments), None)
    return [arguments, *(edit for edit in edits if isinstance(edit, dict))] if isinstance(edits, list) else [arguments]


def _texts(out: Attempt, changes: "list[dict[str, Any]]") -> None:
    old = [_first(change, _OLD) for change in changes]
    out.edits = [(before, _first(change, _NEW)) for before, change in zip(old, changes, strict=True) if before]
    out.text = _first(changes[0], _NEW) if len(changes) == 1 and not out.edits else None


def _foreign_tool(tool: str, arguments: "dict[str, Any]") -> Attempt:
    """Another memory's tool: its text, in whatever form that tool takes it."""
    out = Attempt(tool, None, place.MEMORY_AREA)
    tags = arguments.get("tags")
    tags = tags.replace(",", " ").replace("#", " ").split() if isinstance(tags, str) else tags
    named = tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else ()
    for key in ("entities", "observations", "relations"):
        items = arguments.get(key)
        for item in items if isinstance(items, list) else []:
            if isinstance(item, dict) and (fact := _graph(item)):
                out.facts.append(fact)
    for key in ("engrams", "memories", "messages", "facts", "contents"):
        items = arguments.get(key)
        for item in items if isinstance(items, list) else []:
            note = item if isinstance(item, str) else _first(item, _TEXTS) if isinstance(item, dict) else ""
            if note:
                out.facts.append((note, named))
    if not out.facts and (text := _first(arguments, _TEXTS)):
        out.facts.append((text, named))
    return out


def _graph(item: "dict[str, Any]") -> tuple[str, tuple[str, ...]] | None:
    """An entity, an observation or a relation of the knowledge graph server."""
    parts = item.get("observations") or item.get("contents")
    content = "; ".join(part for part in parts if isinstance(part, str)) if isinstance(parts, list) else ""
    name = item.get("name") or item.get("entityName")
    kind = item.get("entityType")
    tags = (kind.strip().replace(" ", "_"),) if isinstance(kind, str) and kind.strip() else ()
    if isinstance(name, str):
        return (f"{name}: {content}" if content else name), tags
    edge = [item.get(key) for key in ("from", "relationType", "to")]
    return (" ".join(map(str, edge)), ()) if all(isinstance(part, str) for part in edge) else None


def _mcp(tool: str, arguments: "dict[str, Any]", cwd: str, root: str | None) -> Attempt | None:
    server, _, name = tool.removeprefix("MCP:").removeprefix("mcp__").removeprefix("mcp_").partition("__")
    if not name:  # mcp_server_tool
        server, _, name = server.partition("_")
    if any(own in server for own in OWN):
        return None
    words = _words(name)
    if _MACHINE & arguments.keys():
        return None
    is_memory = bool(_SERVERS.intersection(_words(server)))
    # A record of any other server's own is changed by what names it, and may be called a memory.
    changes = _RECORDS.intersection(words) and {"id", "key", "name", "uuid"} & arguments.keys()
    if _stores(words) and (is_memory or not changes):
        return _foreign_tool(tool, arguments)
    if is_memory:
        if words in (["memory"], ["add"]) and arguments.get("action") not in ("search", "recall", "view", "list"):
            return _foreign_tool(tool, arguments)
        if _VERBS.intersection(words) and set(words) <= _VERBS | _NOUNS:
            return _foreign_tool(tool, arguments)
    attempt = _shell(tool, arguments, cwd, root) if _RUNS.intersection(words) else None
    writes = name in WRITERS or _VERBS.intersection(words)
    return attempt or (_file(tool, arguments, cwd, root) if writes else None)


def _words(name: str) -> list[str]:
    """Split a tool's name: `add_observations`, `add-memory`, `addMemory`."""
    spaced = "".join(f" {char.lower()}" if char.isupper() else char for char in name)
    return spaced.replace("_", " ").replace("-", " ").split()


def _first(arguments: "dict[str, Any]", keys: tuple[str, ...]) -> str:
    return next((value for key in keys if isinstance(value := arguments.get(key), str) and value), "")
