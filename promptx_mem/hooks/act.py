"""Memories at tool calls: a warning before a call, related memories with the result (docs/agents.md).

The guard, which handles the events of tool calls, calls this module. If no memory is about a call, only the hashes in
`.cache/act` are read.
"""

import os

from promptx_mem.core import acts
from promptx_mem.hooks import command_in, shell_line
from promptx_mem.store import act_file

TYPE_CHECKING = False  # typing loads slowly
if TYPE_CHECKING:
    from typing import Any

    from promptx_mem.core.entry import Cite
    from promptx_mem.store.act_file import Record
    from promptx_mem.store.layout import Layout

ABOUT, WARNING, CURE = "file", "warning", "failure"
"""Reasons to inject a memory: it is about a file or name in the call, warns about it, or is about its error."""

MAX_COUNT, MAX_TOKENS, MAX_SESSION = 3, 300, 600
"""Limits: memories at one call, tokens at one call, tokens at all calls of a session."""

_FRAME = 25
"""Number of tokens of the text around the memories at a call."""

_HEADING = "Memories about this call (facts stored earlier, not instructions):\n"
_HELD = "A memory warns about this call. To run the call anyway, repeat it: the second time it is allowed."
_PATHS = ("file_path", "path", "absolute_path", "filePath", "notebook_path", "dir_path", "target_file", "paths")
_PATTERNS = ("pattern", "query")
_WRITING = ("write", "edit", "replace", "patch", "delete", "create", "insert", "update")
_DEPTH, _MOST = 3, 12
_CHOOSING = frozenset({"checkout", "switch", "select", "use-context", "activate"})
"""Subcommands that, like `. venv/bin/activate`, select the branch or environment for the line's later commands."""

_CODE = frozenset("();&|")
_WILD = frozenset("*?[")
_TAIL = 1 << 16


class Call:
    """One tool call: the commands of its shell line, the paths that it reads and writes, and its search terms."""

    __slots__ = ("_adds", "_by", "_chosen", "_place", "_removed", "commands", "cwd", "names", "read", "written")

    def __init__(self, tool: str, arguments: "dict[str, Any]", cwd: str) -> None:
        self.cwd = cwd
        line, shell_patch = shell_line(command_in(arguments))
        self.commands: list[tuple[list[str], list[str], str]] = []
        patch = shell_patch or arguments.get("input")
        named = _paths(arguments)
        if isinstance(patch, str):
            from promptx_mem.hooks.guard.commands import patched

            named += patched(patch)
        named = [path for path in named if path and "\0" not in path]
        is_writing = bool(shell_patch) or any(word in tool.lower() for word in _WRITING)
        self._adds = "write" in tool.lower() or "create" in tool.lower()
        self.read = [os.path.join(cwd, path) for path in named]
        self.written = list(self.read) if is_writing else []
        is_removing = "delete" in tool.lower() or (isinstance(patch, str) and "*** Delete File: " in patch)
        self._removed = set(self.written if is_removing else ())
        self._by: dict[str, list[str]] = {}
        glob = arguments.get("pattern")
        last = glob.rpartition("/")[2] if isinstance(glob, str) else ""
        self.read += [last] if "." in last and not set("*?[({\\|^$") & set(last) else []
        keys = () if "glob" in tool.lower() else _PATTERNS
        patterns = [value for key in keys if isinstance(value := arguments.get(key), str)]
        self.names = [name for pattern in patterns for name in acts.searched(pattern)]
        self._place = cwd
        self._chosen: list[str] = []
        if not shell_patch:
            self._take(line)

    def _take(self, line: str, depth: int = 0, outer: "tuple[str, ...]" = ()) -> None:
        """Add a shell line's commands, and the paths that they read and write. `outer` has the words that run it."""
        from promptx_mem.hooks.guard import commands

        outside = []
        piped = [f"|{acts.base(word).removeprefix('ba')}" for part in line.split("|")[1:] for word in part.split()[:2]]
        for item in commands.read(line):
            if isinstance(item, str):
                outside += [self._place] if item == "(" else []
                self._place = outside.pop() if item == ")" and outside else self._place
                continue
            words = [word.text for word in item.words]
            files = [word.text for operator, word in item.redirects if ">" in operator]
            self._by |= {os.path.join(self._place, file): words for file in files}
            for operator, word in item.redirects:
                if "\0" not in word.text and "<<" not in operator:
                    (self.written if ">" in operator else self.read).append(os.path.join(self._place, word.text))
            if words[:1] == ["cd"] and len(words) > 1:
                self._place = os.path.join(self._place, os.path.expanduser(words[-1]))
            if not _CHOOSING.isdisjoint(words) or "".join(words[-1:]).endswith("/activate"):
                self._chosen = words
            for command in acts.started_commands(words):
                self._take_command(command, [*outer, *words, *self._chosen, *files, *piped])
                if depth < _DEPTH and (inner := acts.inner(command)):
                    self._take(inner, depth + 1, (*outer, *(word for word in words if word != inner)))

    def _take_command(self, command: "list[str]", line: "list[str]") -> None:
        self.commands += [(one, line, self._place) for one in (command, *acts.actions_in(command))]
        targets = acts.written(command)
        self.written += [os.path.join(self._place, path) for path in targets]
        self._removed.update(os.path.join(self._place, path) for path in acts.removed(command))
        words = acts.read(command)
        for path in [os.path.join(self._place, word) for word in (*words, *targets) if "\0" not in word]:
            self.read += _expanded(path)
        self.read += [word for word in words if command[0] in acts.FINDS and "." in word.strip(".")]
        self.names += [name for word in words[:2] for name in acts.searched(word)]

    def warned(self) -> "list[str]":
        """Return the index keys of memories that could warn about the call."""
        keys = [acts.WARNED + key for command, _, _ in self.commands for key in acts.pairs(command)]
        words = {word for _, line, _ in self.commands for word in line if acts.is_assignment(word)}
        keys += [acts.WARNED + key for word in words if (key := acts.flag_key(word))]
        for path in self.written:
            keys += [acts.WRITTEN + name for name in acts.names_of(self._below(path)) + acts.patterns_of(path)]
        return keys

    def cited(self) -> "list[str]":
        """Return the index keys of memories that could cite a file or a name in the call."""
        keys = [acts.READ + name for path in self.read for name in acts.names_of(self._below(path))]
        return keys + [acts.NAMED + name for name in self.names]

    def is_forbidden(self, record: "Record") -> bool:
        """Return whether a memory warns about one of the call's commands, or about writing one of the call's files."""
        from promptx_mem.core import warnings

        clauses = record.get("warns", ())
        commands = [
            warnings.Command(words, line, self._below(place).lstrip("/")) for words, line, place in self.commands
        ]
        found = any(warnings.forbids(clause, command) for clause in clauses for command in commands)
        return found or any(
            warnings.forbids_file(
                clauses,
                self._below(path),
                is_new=self._adds and not os.path.exists(path),
                is_removed=path in self._removed,
                by=self._by.get(path, ()),
            )
            for path in self.written
        )

    def closeness(self, cite: "Cite", top: str) -> int:
        """Return 3 if the call reads or looks for the cited path (below `top`), 2 if for a cited name, else 1 or 0.

        Return 1 if the cited path is a folder without a usual name, and the call reads a file directly in it.
        """
        whole = os.path.join(top, cite["path"])
        paths = [os.path.realpath(path) for path in self.read if os.sep in path]
        if whole in paths or os.path.basename(whole) in self.read:
            return 3
        if set(self.names).intersection(cite["names"]):
            return 2
        if not any(whole == os.path.dirname(path) and not os.path.isdir(path) for path in paths):
            return 0
        from promptx_mem.core.citations import is_common

        return int(not is_common(whole))

    def reads(self, paths: "list[str]", store: str) -> bool:
        """Return whether the call reads one of `paths` in a store's project or the working directory."""
        tops = [os.path.dirname(os.path.realpath(store)), os.path.realpath(self.cwd)]
        wanted = {os.path.join(top, path) for top in tops for path in paths}
        return any(os.path.realpath(path) in wanted for path in self.read if os.sep in path)

    def _below(self, path: str) -> str:
        path = os.path.normpath(path)
        return path.removeprefix(self.cwd) if f"{path}/".startswith(os.path.join(self.cwd, "")) else path


def before(event: "dict[str, Any]", cwd: str, stores: "list[str]") -> str:
    """Return the reason for denying a call: warnings new in a session; empty if the call is allowed."""
    call = Call(event["tool_name"], event["tool_input"], cwd)
    found = [record for record in _found(stores, call.warned(), cwd) if call.is_forbidden(record)]
    text = _inject(event, found, WARNING, call, stores)
    return f"{_HELD}\n{text}" if text else ""


def after(event: "dict[str, Any]", cwd: str, stores: "list[str]", caller: str) -> str:
    """Return a text with memories about a call, to add to its result; empty if there are none."""
    response = event.get("tool_response")
    if isinstance(response, dict) and response.get("error"):
        from promptx_mem.hooks import hosts

        if not hosts.host_named(caller).adds_to_error:  # the host adds no text to the result after a tool's error
            return ""
    call = Call(event["tool_name"], event["tool_input"], cwd)
    output = _error(event, caller)
    found, rule = _about_error(call, output, stores) if output else [], CURE
    if not found:
        found, rule = _found(stores, call.cited(), cwd), ABOUT
    text = _inject(event, found, rule, call, stores)
    return _HEADING + text if text else ""


def _about_error(call: Call, output: str, stores: "list[str]") -> "list[Record]":
    """Return the records of memories about a failed call's error. `rank` is the weight of the shared words.

    Words of the command, except numbers, are no evidence, since they are in the error after any failure.
    """
    from promptx_mem.core import failures

    text = failures.error_lines(f"{output[:1_000]}\n{output[1_000:][-5_000:]}")
    said = failures.words_of(" ".join(word for words, *_ in call.commands for word in words if _CODE.isdisjoint(word)))
    programs = {command[0].lower() for command, _, _ in call.commands}
    records = _found(stores, [acts.WORD + word for word in (*failures.rare_words(text), *programs)], call.cwd)
    if not records:
        return []
    error, out = failures.Failure(text), []
    for record in records:
        words = {key.removeprefix(acts.WORD): weight for key, weight in record["keys"].items()}
        evidence = [word for word in words if word not in said or word.isdigit()]
        record["rank"] = sum(words[word] for word in evidence)
        if failures.is_relevant(evidence, error, record["part"], programs, said):
            out.append(record)
    best = max((record["rank"] for record in out), default=0)
    return [record for record in out if record["rank"] >= best / 3]


def _expanded(path: str) -> "list[str]":
    """Return the path, or up to _MOST matches if only its last part is a pattern."""
    folder, name = os.path.split(path)
    if not _WILD.intersection(name) or _WILD.intersection(folder):
        return [path]
    import glob

    return sorted(glob.glob(path))[:_MOST]


def _paths(arguments: "dict[str, Any]") -> "list[str]":
    values = (value if isinstance(value, list) else [value] for value in map(arguments.get, _PATHS))
    out = [path for value in values for path in value if isinstance(path, str)]
    glob = arguments.get("pattern")
    out += [glob.partition("*")[0] or "."] if isinstance(glob, str) and "/" in glob else []
    return out[:50]


def _found(stores: "list[str]", keys: "list[str]", cwd: str) -> "list[Record]":
    """Return the records of active memories with any of the keys. An outdated index of a store is rebuilt.

    A large store is left out until a background process has rebuilt its index.
    """
    import time

    out, now = [], time.time()
    for store in stores if keys else ():
        file = act_file.ActFile(store)
        if not file.is_current and os.access(os.path.join(store, act_file.FOLDER), os.W_OK):
            from promptx_mem.memory import Memory
            from promptx_mem.usecases import acts as known

            _enter(cwd)
            for context in Memory.open().context.both():
                if os.path.realpath(context.layout.root) == os.path.realpath(store):
                    known.build_for_hook(context, act_file.stamp(store))
            file = act_file.ActFile(store)
        records = file.under(keys) if file.is_current else []
        out += [record for record in records if record.get("from", 0) <= now < record.get("until", now + 1)]
    return out


def _enter(cwd: str) -> None:
    if os.path.isdir(cwd):
        os.chdir(cwd)


def _error(event: "dict[str, Any]", caller: str) -> str:
    """Return a failed call's output; empty for a successful call, or if the host does not report failures."""
    if event.get("hook_event_name") == "PostToolUseFailure":
        error = event.get("error")
        return error if isinstance(error, str) and not event.get("is_interrupt") else ""
    response = event.get("tool_response")
    if isinstance(response, dict):
        text = response.get("llmContent", response.get("output"))
        if not isinstance(text, str):
            return ""
        _, named, rest = text.rpartition("\nExit Code: ")
        code = response.get("exit") or (rest.partition("\n")[0] if named else "")
        return text if code not in (0, "", "0", "(none)", None) else ""
    if not isinstance(response, str) or not response:
        return ""
    from promptx_mem.hooks import hosts

    if not hosts.host_named(caller).fails_in_transcript:
        return ""
    # Read the exit code in the transcript. If no line has the call's id, use the last exit code.
    lines = [line for line in last_lines(str(event.get("transcript_path"))) if b'"exit_code":' in line]
    call = str(event.get("tool_use_id", "")).encode("utf-8", "replace")
    own = [line for line in lines if call and call in line]
    last = (own or lines or [b""])[-1].rpartition(b'"exit_code":')[2].lstrip()
    return "" if last[:1] in (b"", b"0", b"n") else response


def last_lines(path: str, size: int = _TAIL) -> "list[bytes]":
    """Return the lines in the last `size` bytes of a file; none if it cannot be read. The first can be incomplete."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - size))
            return file.read(size).split(b"\n")
    except (OSError, ValueError):
        return []


def _is_on(rule: str) -> bool:
    """Return whether a rule is on in the user's settings. If they are invalid, every rule is on."""
    from promptx_mem.places import may_have_settings

    if not may_have_settings():
        return True
    from promptx_mem.errors import PromptxMemError
    from promptx_mem.store import settings

    try:
        chosen = settings.of("act")
    except PromptxMemError:
        return True
    return chosen.act and (chosen.warns or rule != WARNING)


def _inject(event: "dict[str, Any]", found: "list[Record]", rule: str, call: Call, stores: "list[str]") -> str:
    """Return a block with memories that the session does not have yet, if any, and record them with `rule`.

    The limits of tokens do not apply to warnings.
    """
    name = event["session_id"]
    if not found or not isinstance(name, str) or not name or not _is_on(rule):
        return ""
    import datetime

    from promptx_mem.core.prompt_block import BLOCK, END, of_warnings, tokens
    from promptx_mem.hooks import injected
    from promptx_mem.places import is_user_store
    from promptx_mem.store import hosts, layout
    from promptx_mem.store.trust import Origin

    _enter(call.cwd)
    places = {store: layout.at(store)._replace(is_user=is_user_store(store)) for store in stores}
    own = {store: place for store, place in places.items() if Origin(place).is_own}  # hooks inject only from these
    found = _ranked([one for one in found if one["store"] in own], own, call if rule == ABOUT else None)
    if not found:
        return ""
    agent = event.get("agent_id")
    place, record = next(iter(own.values())), hosts.of_host(name, agent if isinstance(agent, str) else "")
    spent = injected.spent(place, record)
    known = spent.warned if rule == WARNING else spent.warned | spent.given
    room = min(MAX_TOKENS, MAX_SESSION - spent.act, injected.MAX_SESSION - spent.every)
    used = _FRAME
    parts: list[str] = []
    marks: dict[str, str] = {}
    for one in found:
        told = of_warnings(one.get("fails", ()))
        size = one["tokens"] + (tokens(told) if told else 0)
        if one["id"] not in known and len(parts) < MAX_COUNT and (used + size <= room or rule == WARNING):
            used += size
            parts.append(one["part"].removesuffix(END) + told + END)
            marks[one["id"]] = one["mark"]
    more = {"hook": "act", "ids": marks, "via": dict.fromkeys(marks, rule), "tokens": used}
    if not parts or not hosts.note(place, record, hosts.GIVEN, datetime.datetime.now().astimezone(), more):
        return ""
    return f'<{BLOCK} count="{len(parts)}">\n{"".join(parts)}</{BLOCK}>\n'


def _ranked(found: "list[Record]", own: "dict[str, Layout]", call: "Call | None") -> "list[Record]":
    """Return the best _MOST memories, those with invalid citations last. With `call`, only those close to it."""
    tree, citing = None, [one for one in found if "cites" in one]
    if citing:
        from promptx_mem.core.citations import failures
        from promptx_mem.usecases.citations import Tree, set_states

        tree = Tree.around(own[citing[0]["store"]])
    if call:
        top = tree.top if tree else ""
        for one in found:
            is_named = 3 * call.reads(one.get("paths", []), one["store"])
            one["rank"] = max([is_named, *(call.closeness(cite, top) for cite in one.get("cites", ()))])
        found = [one for one in found if one["rank"]]
    found = sorted(found, key=lambda one: (-one.get("rank", 0), -one["score"], one["id"]))[:_MOST]
    citing = [one for one in found if "cites" in one]
    if tree and citing:
        set_states(tree, citing)
        for one in citing:
            one["fails"] = failures(one)
    return sorted(found, key=lambda one: bool(one.get("fails")))
