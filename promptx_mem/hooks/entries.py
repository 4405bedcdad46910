"""promptx-mem's entries in the settings of a host (a program that runs agents): add, remove and compare them.

A settings file is parsed, changed and written with the same order and indentation. A file with comments is not changed.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from itertools import pairwise

from promptx_mem.core.json_text import loads
from promptx_mem.core.shell import PROGRAM, quote
from promptx_mem.hooks.hosts import BY_PATH
from promptx_mem.record import Any, NamedTuple

PROJECT = "project"
"""Placeholder for the project's path in the keys of `Table.server`."""

_HEAD = "for p in"
_TAIL = (
    '"$(command -v "$0")" ~/.local/bin/"$0"; '
    'do [ -x "$p" ] || continue; "$p" "$@"; [ $? -lt 126 ] && break; done; exit 0'
)
"""Shell code that runs the first promptx-mem that it finds. If there is none, nothing happens."""

LIMIT = "additionalContextLimit"
_SECTIONS = ("llm", "agents", "hooks", "act", "user_store")
"""Keys of the user's settings for programs that run, permissions of agents, and active features."""

_MARK = "// promptx-mem: "
BLANK = {"groups": {}, "flat": {"version": 1}}
"""The initial content of a settings file, by the value of `Table.shape`."""

JsonObject = dict[str, Any]


class Hook(NamedTuple):
    """One entry in a host's settings: the event, the subcommand of promptx-mem, and the hook's time limit in seconds.

    `turns`: the hook is installed only if conversations are saved. `context`: the entry requests the limit
    `Table.tokens`, if any.
    """

    event: str
    action: str
    seconds: int = 10
    matcher: str = ""
    turns: bool = False
    context: bool = False


class Table(NamedTuple):
    """The settings of a host. A field that does not apply is empty."""

    title: str
    # Programs that show that the host is installed.
    programs: tuple[str, ...]
    # Folder and name of the settings file with the hooks, in ~, or in the project with `in_project`.
    place: tuple[str, str]
    hooks: tuple[Hook, ...]
    # A file in the user's folder, and the keys in it that lead to the MCP servers.
    server: tuple[str, ...]
    in_project: bool = False
    # The environment variable that can name another place of the user's folder, and the path in that place.
    folder: str = ""
    # The format of hooks in the settings: `groups` of hooks, `flat` entries, or a `plugin` in a separate file.
    shape: str = "groups"
    # Number of units in a second, for the timeouts in the settings (1,000 for milliseconds).
    units: int = 1
    # The user's next step after hooks are written. PROGRAM stands for the names by which the host runs promptx-mem.
    after: str = "Start a new session."
    # Keys of the list of calls that need no approval, and the format of such a call.
    allows: tuple[str, ...] = ()
    rule: str = ""
    # Instead of `allows`: a file in the user's folder that only promptx-mem writes, with `rule`.
    policy: str = ""
    # Keys of the list of calls that always need an approval.
    asks_for: tuple[str, ...] = ()
    # If promptx-mem has a plugin: the file in the user's folder that enables it, and the key for plugins there.
    plugins: tuple[str, ...] = ()
    # The higher limit that a hook entry can request as `additionalContextLimit`, in tokens of four bytes.
    tokens: int = 0
    # True if the agent's commands run in a login shell, whose PATH can differ from that of the hooks.
    login_shell: bool = False
    # True if the host runs a hook only after the user has accepted the hook.
    asks_trust: bool = False


UNTRUSTED = "Codex skips these hooks until you accept them: start codex and accept the hooks of promptx-mem (/hooks)."
_CLAUDE_READS, _QWEN_READS = "Read|Grep|Glob|", "read_file|grep_search|glob|"
_GEMINI_READS = "read_file|read_many_files|search_file_content|grep_search|glob|"
"""Tools that only read. Memories about a file can be injected after a call of such a tool."""

_CLAUDE_TOOLS = "Bash|PowerShell|Write|Edit|MultiEdit|NotebookEdit|memory|mcp__.*"
_QWEN_TOOLS = "write_file|edit|run_shell_command|save_memory|mcp__.*"
_GEMINI_TOOLS = "write_file|replace|run_shell_command|save_memory|mcp_.*"

_FIRST = (Hook("SessionStart", "hook start"), Hook("UserPromptSubmit", "hook prompt"))
_LAST = (
    Hook("PreCompact", "hook compact"),
    Hook("Stop", "hook stop", turns=True),
    Hook("SessionEnd", "hook end", turns=True),
)

TABLES: dict[str, Table] = {
    "claude": Table(
        title="Claude Code",
        programs=("claude",),
        place=(".claude", "settings.local.json"),
        in_project=True,
        folder="CLAUDE_CONFIG_DIR",
        hooks=(
            Hook("SessionStart", "hook start"),
            Hook("SubagentStart", "hook start"),
            Hook("UserPromptSubmit", "hook prompt"),
            Hook("PreToolUse", "guard", 5, _CLAUDE_TOOLS),
            Hook("PostToolUse", "guard", 5, _CLAUDE_READS + _CLAUDE_TOOLS),
            # After a command with an exit status other than 0, the host sends only this event.
            Hook("PostToolUseFailure", "guard", 5, _CLAUDE_TOOLS),
            *_LAST,
        ),
        server=("../.claude.json", "projects", PROJECT, "mcpServers"),
        allows=("permissions", "allow"),
        rule="Bash({}:*)",
        asks_for=("permissions", "ask"),
        plugins=("settings.json", "enabledPlugins"),
    ),
    "gemini": Table(
        title="Gemini CLI",
        programs=("gemini",),
        place=(".gemini", "settings.json"),
        folder="GEMINI_CLI_HOME/.gemini",
        # There is no hook for PreCompress, which is sent before every request, even without a compaction.
        hooks=(
            Hook("SessionStart", "hook start"),
            Hook("BeforeAgent", "hook prompt"),
            Hook("BeforeTool", "guard", 5, _GEMINI_TOOLS),
            Hook("AfterTool", "guard", 5, _GEMINI_READS + _GEMINI_TOOLS),
            Hook("AfterAgent", "hook stop", turns=True),
            Hook("SessionEnd", "hook end", turns=True),
        ),
        units=1_000,
        server=("settings.json", "mcpServers"),
        policy="policies/promptx-mem.toml",
        # A policy, since `tools.allowed` would refuse every other command. With --yolo the rule has no effect.
        rule=(
            '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = {}\ndecision = "allow"\npriority = 100\n'
            'modes = ["default", "autoEdit"]\n'
        ),
    ),
    "qwen": Table(
        title="Qwen Code",
        programs=("qwen",),
        place=(".qwen", "settings.json"),
        folder="QWEN_HOME",
        hooks=(
            *_FIRST,
            Hook("PreToolUse", "guard", 5, _QWEN_TOOLS),
            Hook("PostToolUse", "guard", 5, _QWEN_READS + _QWEN_TOOLS),
            Hook("PostToolUseFailure", "guard", 5, _QWEN_TOOLS),
            *_LAST,
        ),
        units=1_000,
        server=("settings.json", "mcpServers"),
        allows=("permissions", "allow"),
        rule="run_shell_command({})",
    ),
    "codex": Table(
        title="Codex CLI",
        programs=("codex",),
        place=(".codex", "hooks.json"),
        folder="CODEX_HOME",
        tokens=8_000,
        login_shell=True,
        asks_trust=True,
        hooks=(
            Hook("SessionStart", "hook start", context=True),
            Hook("SubagentStart", "hook start", context=True),
            Hook("UserPromptSubmit", "hook prompt", context=True),
            Hook("PreToolUse", "guard", 5),
            Hook("PostToolUse", "guard", 5, context=True),
            Hook("PreCompact", "hook compact"),
            Hook("Stop", "hook stop", turns=True),
            Hook("SessionEnd", "hook end", 3, turns=True),
        ),
        after=(
            f"{UNTRUSTED} Until then `codex exec` skips them silently.\nTo run promptx-mem outside of Codex's sandbox, "
            "add to ~/.codex/rules/default.rules: prefix_rule(pattern=[PROGRAM, "
            '["recall", "list", "show", "remember"]], decision="allow")'
        ),
        server=("config.toml", "mcp_servers"),
        plugins=("config.toml", "plugins"),
    ),
    "cursor": Table(
        title="Cursor",
        programs=("cursor", "cursor-agent"),
        place=(".cursor", "hooks.json"),
        shape="flat",
        # There is no hook for messages: it could only stop a message, and headless calls do not run it.
        hooks=(
            Hook("sessionStart", "hook start"),
            Hook("preToolUse", "guard", 5, "Shell|Write|StrReplace|Delete|MCP:.*"),
            # The host's event for failed calls cannot add text, so the next successful call reports changes.
            Hook("postToolUse", "guard", 5, "Read|Grep|Glob|Shell|Write|StrReplace|Delete|MCP:.*"),
            Hook("preCompact", "hook compact"),
            Hook("stop", "hook stop", turns=True),
            Hook("sessionEnd", "hook end", turns=True),
        ),
        server=("mcp.json", "mcpServers"),
    ),
    "opencode": Table(
        title="OpenCode",
        programs=("opencode",),
        place=(".config/opencode", "plugins/promptx-mem.js"),
        folder="XDG_CONFIG_HOME/opencode",
        shape="plugin",
        # The plugin translates the host's events into these.
        hooks=(
            *_FIRST,
            Hook("PreToolUse", "guard", 5),
            Hook("PostToolUse", "guard", 5),
            *_LAST,
        ),
        server=("opencode.json", "mcp"),
        # Without rules for these keys, the host allows every shell command.
        allows=("permission", "bash"),
        rule="{} *",
    ),
}


class Setup(NamedTuple):
    """The hooks to install: the host, the program that they call, and whether they save conversations (`turns`).

    Without `program`, the hooks contain no paths of this machine, as in a plugin. `by_path`: printed commands contain
    the program's path, since a login shell does not find its name.
    """

    host: str
    turns: bool = False
    program: str = ""
    by_path: bool = False

    @property
    def table(self) -> Table:
        return TABLES[self.host]

    def hooks(self) -> list[Hook]:
        return [hook for hook in self.table.hooks if self.turns or not hook.turns]

    def command(self, hook: Hook) -> str:
        """Return the shell command of a hook."""
        program = f" {quote(self.program)}" if self.program else ""
        words = [hook.action, self.host]
        words += [str(self.table.tokens)] if hook.context and self.table.tokens else []
        words += [BY_PATH] if self.by_path else []
        return f"sh -c {quote(f'{_HEAD}{program} {_TAIL}')} {PROGRAM} {' '.join(words)}"

    def entries(self) -> dict[str, list[dict[str, Any]]]:
        """Return the entries to install, by event, in the host's format."""
        return {hook.event: [self._entry(hook)] for hook in self.hooks()}

    def _entry(self, hook: Hook) -> dict[str, Any]:
        matcher = {"matcher": hook.matcher} if hook.matcher else {}
        call: dict[str, Any] = {"command": self.command(hook), "timeout": hook.seconds * self.table.units}
        if hook.context and self.table.tokens:
            call[LIMIT] = self.table.tokens
        if self.table.shape == "flat":
            return {**call, **matcher}
        return {**matcher, "hooks": [{"type": "command", **call}]}


def program() -> str:
    """Return the path of promptx-mem: as called, beside Python, or in PATH; empty if not found. Links are kept."""
    for place in (sys.argv[0], os.path.join(os.path.dirname(sys.executable), PROGRAM), shutil.which(PROGRAM) or ""):
        if os.path.basename(place) == PROGRAM and os.access(place, os.X_OK):
            return os.path.abspath(place)
    return ""


def changed(text: str, change: Callable[[JsonObject], None], blank: JsonObject | None = None) -> str:
    """Apply `change` to settings and keep the indentation. Return the new text; '' if only `blank` is left.

    `blank` is the content of new settings. If `change` does nothing, return the text unchanged. Raises ValueError, also
    for values that cannot be written.
    """
    before, after = load(text), load(text)
    if not before:
        after |= blank or {}
    change(after)
    if after == before or (not before and after == (blank or {})):
        return text
    if after in ({}, blank):
        return ""
    indented = re.search(r"\n([ \t]+)\S", text)
    indent = None if before and "\n" not in text.strip() else indented[1] if indented else 2
    out = json.dumps(after, indent=indent, ensure_ascii=False, allow_nan=False)
    out.encode()  # a lone surrogate raises an error
    out += "\n" if not before or text.endswith("\n") else ""
    return out.replace("\n", "\r\n") if "\r\n" in text else out


def load(text: str) -> JsonObject:
    """Parse settings. Raise ValueError unless the text is empty or a JSON object without repeated keys."""
    try:
        data = json.loads(text, object_pairs_hook=_object) if text.strip() else {}
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno} is not valid JSON, or has a comment") from None
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None
    if not isinstance(data, dict):
        raise ValueError("the JSON is not an object")  # noqa: TRY004 - bad data of any type
    return data


def _object(pairs: list[tuple[str, Any]]) -> JsonObject:
    out = dict(pairs)
    if len(out) < len(pairs):
        raise ValueError("a key occurs twice")
    return out


def put(text: str, setup: Setup, more: Callable[[JsonObject], None] = lambda _: None, *, remove: bool = False) -> str:
    """Replace promptx-mem's hooks in settings; with `remove`, only remove them. Then apply `more`, except to a plugin.

    Return the settings; '' if nothing is left. Raises ValueError.
    """
    shape = setup.table.shape
    if shape == "plugin":
        if text and not text.startswith(_MARK):
            raise ValueError("another plugin has this name")
        return "" if remove else _plugin(setup)

    def change(data: JsonObject) -> None:
        remove_hooks(data)
        for event, groups in ({} if remove else setup.entries()).items():
            hooks = data.setdefault("hooks", {})
            if not isinstance(hooks, dict):
                raise ValueError("hooks is not an object")  # noqa: TRY004 - bad data of any type
            there = hooks.setdefault(event, [])
            if not isinstance(there, list):
                raise ValueError(f"{event} is not an array")  # noqa: TRY004 - bad data of any type
            there += groups
        more(data)

    return changed(text, change, BLANK[shape])


def remove_hooks(data: JsonObject) -> list[str]:
    """Remove all hooks of promptx-mem, and the groups and events that become empty. Return the events of the hooks."""
    hooks, found = data.get("hooks"), []
    if not isinstance(hooks, dict):
        return []
    for event, groups in list(hooks.items()):
        if not isinstance(groups, list):  # Gemini CLI keeps settings among the events
            continue
        hooks[event] = [rest for rest in map(_without_ours, groups) if rest is not None]
        found += [event] if hooks[event] != groups else []
        if groups and not hooks[event]:
            del hooks[event]
        if not hooks:
            del data["hooks"]
    return found


def _without_ours(group: Any) -> Any:
    """Return a group without promptx-mem's hooks; None if nothing is left of the group."""
    if is_ours(group):
        return None
    inner = group.get("hooks") if isinstance(group, dict) else None
    if not isinstance(inner, list) or not any(map(is_ours, inner)):
        return group
    left = [hook for hook in inner if not is_ours(hook)]
    return {**group, "hooks": left} if left else None


def is_ours(hook: Any) -> bool:
    """Return whether an entry runs the guard or a hook of promptx-mem."""
    command = hook.get("command") if isinstance(hook, dict) else None
    words = command.replace('"', "").split() if isinstance(command, str) else []
    return any(
        word.rpartition("/")[2] in ("promptx-mem", "promptx_mem") and following in ("guard", "hook")
        for word, following in pairwise(words)
    )


def add(data: JsonObject, keys: tuple[str, ...], name: str, value: Any = None) -> bool:
    """Add `name` to the list under nested keys. With `value`, add `name: value` to the object under them.

    Return False if `name` exists. Raises ValueError if a value under the keys has the wrong type.
    """
    at: Any = data
    for key in keys[:-1]:
        at = at.setdefault(key, {}) if isinstance(at, dict) else None
    kind = list if value is None else dict
    holder = at.setdefault(keys[-1], kind()) if isinstance(at, dict) else None
    if not isinstance(holder, kind):
        raise ValueError(f"{'.'.join(keys)} is not {'an array' if kind is list else 'an object'}")  # noqa: TRY004
    if name in holder:
        return False
    if isinstance(holder, list):
        holder.append(name)
    else:
        holder[name] = value
    return True


def remove_entry(data: JsonObject, keys: tuple[str, ...], name: str) -> None:
    """Remove `name` from the list or object under nested keys, then remove lists and objects that have become empty."""
    at = data.get(keys[0]) if keys else None
    if len(keys) > 1 and isinstance(at, dict):
        remove_entry(at, keys[1:], name)
    elif isinstance(at, list) and name in at:
        at.remove(name)
    elif isinstance(at, dict):
        at.pop(name, None)
    if at in ([], {}):
        del data[keys[0]]


def present(text: str, host: str) -> list[str]:
    """Return the events at which a host with these settings calls promptx-mem. Raises ValueError."""
    if TABLES[host].shape == "plugin":
        turns = "\nconst TURNS = true\n" in text
        return [hook.event for hook in Setup(host, turns).hooks()] if text.startswith(_MARK) else []
    return sorted(remove_hooks(load(text)))


def _plugin(setup: Setup) -> str:
    with open(os.path.join(os.path.dirname(__file__), "opencode.js"), encoding="utf-8") as file:
        text = file.read()
    named = text.replace('"PROGRAM", ', f"{json.dumps(setup.program)}, " if setup.program else "")
    return named.replace("TURNS = false", "TURNS = true") if setup.turns else named


def own_entries(data: bytes, *, is_yaml: bool) -> bytes:
    """Return the part of settings that the guard compares. Hosts and users can change all other parts.

    In a host's settings this part is the entries (if not JSON, the lines) that name promptx-mem. In the user's (YAML)
    it is `_SECTIONS`.
    """
    if is_yaml:
        return b"\n".join(_sections(data.decode("utf-8", "replace")))
    try:
        found = sorted(_own(loads(data), ()))
    except (ValueError, RecursionError):
        return b"\n".join(line for line in data.split(b"\n") if PROGRAM.encode() in line)
    return "\n".join(found).encode("utf-8", "surrogatepass")


def _own(value: object, at: tuple[str, ...]) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _own(item, (*at, str(key)))
    elif isinstance(value, list):
        for item in value:
            yield from _own(item, at)
    elif (isinstance(value, str) and (PROGRAM in value or "promptx_mem" in value)) or (at and PROGRAM in at[-1]):
        yield f"{'.'.join(at)}: {value}"


def _sections(text: str) -> Iterator[bytes]:
    inside = False
    for line in text.split("\n"):
        if line[:1].strip() and not line.startswith("#"):
            inside = line.partition(":")[0].strip("\"' ") in _SECTIONS
        if inside and line.strip():
            yield line.rstrip().encode()


SECONDS = 2
"""Time limit in seconds for a command in a login shell, since the user's startup files could block the shell."""

_SHELLS = ("bash", "zsh", "sh", "dash", "ksh")


def untrusted(text: str, path: str, config: str) -> list[str]:
    """Return the events at which Codex skips promptx-mem's hooks: the user did not accept them, or turned them off.

    `text` is the hooks.json at `path`. `config` is the user's config.toml, which lists the accepted hooks by file,
    event and position.
    """
    accepted = _accepted(config)
    events = set()
    for event, groups in loads(text)["hooks"].items():
        name = "".join(f"_{char.lower()}" if char.isupper() else char for char in event).lstrip("_")
        for at, group in enumerate(groups if isinstance(groups, list) else ()):
            hooks = group.get("hooks") if isinstance(group, dict) else None
            for place, hook in enumerate(hooks if isinstance(hooks, list) else ()):
                keys = {f"{file}:{name}:{at}:{place}" for file in (path, os.path.realpath(path))}
                if is_ours(hook) and not keys & accepted:
                    events.add(event)
    return sorted(events)


def trusted_plugin(config: str) -> list[str]:
    """Return the events for which Codex's user has accepted a hook of promptx-mem's plugin."""
    names = (key.split(":")[-3:][0] for key in _accepted(config) if key.startswith(f"{PROGRAM}@"))
    return ["".join(part.capitalize() for part in name.split("_")) for name in names]


def _accepted(config: str) -> set[str]:
    """Return the keys of the hooks that Codex's user accepted in any version and did not turn off."""
    try:
        states = tomllib.loads(config)["hooks"]["state"].items()
        return {key for key, state in states if state.get("trusted_hash") and state.get("enabled") is not False}
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        return set()


def in_login_shell() -> bool:
    """Return whether a login shell finds promptx-mem by its name. True if the shell does not answer in two seconds."""
    own = os.environ.get("SHELL", "")
    shells = (own if os.path.basename(own) in _SHELLS else "", "/bin/bash", "/bin/sh")
    process = subprocess.Popen(  # noqa: S603 - the user's own shell, with a command of ours
        [next(shell for shell in shells if os.access(shell, os.X_OK)), "-lc", f"command -v {PROGRAM}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return process.wait(SECONDS) == 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()
        return True
