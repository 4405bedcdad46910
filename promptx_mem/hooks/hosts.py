"""The supported hosts (programs that run agents) and all their differences, for the versions in docs/agents.md.

Each host has one table. Tests compare the tables with recorded events (tests/hooks/recorded).
"""

import os
import sys

from promptx_mem.core.shell import MARKS, PROGRAM, quote
from promptx_mem.core.text import byte_size, printable_lines
from promptx_mem.hooks import complain

TYPE_CHECKING = False  # a denial must be quick, and importing typing would take longer than everything else
if TYPE_CHECKING:
    from typing import Any

PROJECT, LOCAL, USER = "project", "local", "user"
PLUGIN = "plugin"
"""Scope of the hooks in promptx-mem's plugin."""

NESTED, CURSOR, GEMINI, NONE = "hookSpecificOutput", "additional_context", "decision", ""
"""Formats of a hook's answer: Claude Code's nested object, Cursor's flat keys, Gemini CLI's denial, no format."""


class Hook:
    """One entry in a host's settings: the event, the subcommand of promptx-mem, and the hook's time limit in seconds.

    `turns`: the hook is installed only if conversations are saved. `context`: the hook answers with text for the model,
    limited by the host's `tokens`.
    """

    __slots__ = ("action", "context", "event", "matcher", "seconds", "turns")

    def __init__(self, event: str, action: str, seconds: int = 10, matcher: str = "", **more: bool) -> None:
        self.event, self.action, self.seconds, self.matcher = event, action, seconds, matcher
        self.turns, self.context = more.get("turns", False), more.get("context", False)


class Room:
    """The space that is left for text in a hook's answer: a number of characters, and of bytes in UTF-8."""

    __slots__ = ("bytes", "characters")

    def __init__(self, characters: int, size: int) -> None:
        self.characters, self.bytes = characters, size

    def has(self, text: str) -> bool:
        """Return whether a text fits."""
        return len(text) <= self.characters and byte_size(text) <= self.bytes

    def without(self, text: str) -> "Room":
        """Return the space that is left after this text."""
        return Room(self.characters - len(text), self.bytes - byte_size(text))

    def most(self, characters: int) -> "Room":
        """Return the same space, but with at most this number of characters."""
        return Room(min(self.characters, characters), self.bytes)

    def half(self) -> "Room":
        return Room(self.characters // 2, self.bytes // 2)

    def cut(self, text: str) -> str:
        """Return a text if it fits. Otherwise return its first lines, and a last line that counts the omitted lines."""
        if self.has(text):
            return text
        lines = text.split("\n")
        for kept in range(len(lines) - 1, -1, -1):
            shown = "\n".join([*lines[:kept], f"({len(lines) - kept} more lines do not fit here)"])
            if self.has(shown):
                return shown
        return ""


class Ways:
    """Options in a host's hook entry: maximum length of an answer, and the program's name in printed commands."""

    __slots__ = ("program", "room")

    def __init__(self, room: Room, program: str = PROGRAM) -> None:
        self.room, self.program = room, program

    def named(self, text: str) -> str:
        """Replace "promptx-mem" in a text by a name or path that the host's shell finds.

        In a command only the program's name is replaced, since later words could be the user's.
        """
        first, other = f"{PROGRAM} ", f"{self.program} "
        lines = text.split("\n")
        return "\n".join(line.replace(first, other, 1 if line.lstrip(" ").startswith(first) else -1) for line in lines)


class Host:
    """The features of a host, and its formats of settings, events and answers. A field that does not apply is empty."""

    title: str
    # Programs that show that the host is installed.
    programs: tuple[str, ...]
    # Settings files by scope, below the project or the user's folder. The first is the default and is not committed.
    places: dict[str, tuple[str, str]]
    hooks: tuple[Hook, ...]
    # A file in the user's folder, and the keys in it that lead to the MCP servers.
    server: tuple[str, ...]
    # The environment variable that names the user's folder if this is not in the home directory.
    folder: str = ""
    # The format of hooks in the settings: `groups` of hooks, `flat` entries, or a `plugin` in a separate file.
    shape: str = "groups"
    # Number of units in a second, for the timeouts in the settings (1,000 for milliseconds).
    units: int = 1
    # The field of an event with the session's name, and the formats for added context and for denials.
    session: str = "session_id"
    context: str = NESTED
    denial: str = NESTED
    # True if the host can ask the user instead of denying a call.
    asks: bool = False
    # Variables with the session's name in the agent's commands. If there are none, hooks print commands with the name.
    variables: tuple[str, ...] = ()
    # A variable, and the beginning of its value if a program and not a person calls the host.
    headless: tuple[str, str] = ("", "")
    # The user's next step after hooks are written.
    after: str = "Start a new session."
    # Keys of the list of calls that need no approval, and the format of such a call.
    allows: tuple[str, ...] = ()
    rule: str = ""
    # Instead of `allows`: a file in the user's folder that only promptx-mem writes, for `rule` with command prefixes.
    policy: str = ""
    # Keys of the list of calls that always need an approval.
    asks_for: tuple[str, ...] = ()
    # If promptx-mem has a plugin: the file that enables it ('': the settings file), and the key for plugins there.
    plugins: tuple[str, ...] = ()
    # Maximum bytes of an answer; 0 if not below our limit. The model gets only head and tail of a longer answer.
    bytes: int = 0
    # The higher limit that a hook entry can request as `additionalContextLimit`, in tokens of four bytes.
    tokens: int = 0
    # True if the agent's commands run in a login shell, whose PATH can differ from that of the hooks.
    login_shell: bool = False
    # True if the host runs a hook only after the user has accepted the hook.
    asks_trust: bool = False
    # True if a resumed session still contains the text that `hook start` added at its beginning.
    keeps_start: bool = False
    # How the host reports a failed call: "event" (or a field of one), "transcript" (only there), or '' (not at all).
    failure: str = "event"
    # True if the host adds a hook's text to the result of a call that the tool itself reported as an error.
    adds_to_error: bool = True
    # True if the transcript contains a subagent's task when the subagent starts.
    has_tasks: bool = False
    # Each of these fields shows that an event comes from a subagent.
    subagent: tuple[str, ...] = ("agent_id", "agent_type")
    # Variables that can contain a session's name in the host's hooks.
    own: tuple[str, ...] = ()

    def __init__(self, **fields: object) -> None:
        vars(self).update(fields)


UNTRUSTED = "Codex runs none of these hooks until you accept them: start codex once and accept its hooks (/hooks)."
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

HOSTS: dict[str, Host] = {
    "claude": Host(
        title="Claude Code",
        programs=("claude",),
        places={
            LOCAL: (".claude", "settings.local.json"),
            PROJECT: (".claude", "settings.json"),
            USER: (".claude", "settings.json"),
        },
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
        asks=True,
        variables=("CLAUDE_CODE_SESSION_ID",),
        headless=("CLAUDE_CODE_ENTRYPOINT", "sdk"),
        server=("../.claude.json", "projects", PROJECT, "mcpServers"),
        allows=("permissions", "allow"),
        rule="Bash({}:*)",
        asks_for=("permissions", "ask"),
        plugins=("", "enabledPlugins"),
        keeps_start=True,
        has_tasks=True,
        # With `claude --agent`, the main session also has an agent_type.
        subagent=("agent_id",),
        own=("CLAUDE_CODE_SESSION_ID",),
    ),
    "gemini": Host(
        title="Gemini CLI",
        programs=("gemini",),
        places={USER: (".gemini", "settings.json"), PROJECT: (".gemini", "settings.json")},
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
        denial=GEMINI,
        adds_to_error=False,
        server=("settings.json", "mcpServers"),
        policy="policies/promptx-mem.toml",
        # A policy, since `tools.allowed` would refuse every other command. With --yolo the rule has no effect.
        rule=(
            '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = {}\ndecision = "allow"\npriority = 100\n'
            'modes = ["default", "autoEdit"]\n'
        ),
        own=("GEMINI_SESSION_ID",),
    ),
    "qwen": Host(
        title="Qwen Code",
        programs=("qwen",),
        places={USER: (".qwen", "settings.json"), PROJECT: (".qwen", "settings.json")},
        folder="QWEN_HOME",
        hooks=(
            *_FIRST,
            Hook("PreToolUse", "guard", 5, _QWEN_TOOLS),
            Hook("PostToolUse", "guard", 5, _QWEN_READS + _QWEN_TOOLS),
            Hook("PostToolUseFailure", "guard", 5, _QWEN_TOOLS),
            *_LAST,
        ),
        units=1_000,
        asks=True,
        server=("settings.json", "mcpServers"),
        allows=("permissions", "allow"),
        rule="run_shell_command({})",
        own=("GEMINI_SESSION_ID",),
    ),
    "codex": Host(
        title="Codex CLI",
        programs=("codex",),
        places={USER: (".codex", "hooks.json"), PROJECT: (".codex", "hooks.json")},
        folder="CODEX_HOME",
        # The host limits SessionEnd to 3 seconds, and prints a warning about a higher limit.
        bytes=10_000,
        tokens=8_000,
        login_shell=True,
        failure="transcript",
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
        variables=("CODEX_SESSION_ID", "CODEX_THREAD_ID"),
        after=(
            f"{UNTRUSTED} Until then `codex exec` skips them silently.\nTo run promptx-mem outside of Codex's sandbox, "
            'add to ~/.codex/rules/default.rules: prefix_rule(pattern=["promptx-mem", '
            '["recall", "list", "show", "remember"]], decision="allow")'
        ),
        server=("config.toml", "mcp_servers"),
        plugins=("config.toml", "plugins"),
        keeps_start=True,
        own=("CODEX_SESSION_ID", "CODEX_THREAD_ID"),
    ),
    "cursor": Host(
        title="Cursor",
        programs=("cursor", "cursor-agent"),
        places={USER: (".cursor", "hooks.json"), PROJECT: (".cursor", "hooks.json")},
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
        session="conversation_id",
        context=CURSOR,
        denial=CURSOR,
        server=("mcp.json", "mcpServers"),
    ),
    "opencode": Host(
        title="OpenCode",
        programs=("opencode",),
        places={USER: ("opencode", "plugins/promptx-mem.js"), PROJECT: (".opencode", "plugins/promptx-mem.js")},
        folder="XDG_CONFIG_HOME",
        shape="plugin",
        # The plugin translates the host's events into these.
        hooks=(
            *_FIRST,
            Hook("PreToolUse", "guard", 5),
            Hook("PostToolUse", "guard", 5),
            *_LAST,
        ),
        variables=("PROMPTX_MEM_SESSION",),
        server=("opencode.json", "mcp"),
        # Without these rules, the host allows every shell command.
        allows=("permission", "bash"),
        rule="{} *",
    ),
}


MAX_CHARACTERS = 9_000
"""Maximum length in characters of an answer, since some hosts cut off text after 10,000."""

BY_PATH = "by-path"
"""Option in a hook's entry: printed commands contain the program's path, since a login shell did not find the name."""


def ways(host: Host, more: tuple[str, ...]) -> Ways:
    """Read the options in a hook's entry: BY_PATH, and a limit of tokens.

    If the entry has no limit, the limit of the host is used. An answer can use up to 90 % of the limit. Commands name
    the program by its path if the agent's shell does not find it.
    """
    tokens = next((int(word) for word in more if word.isascii() and word.isdigit() and len(word) < 7), 0)
    limit = (4 * tokens or host.bytes or 4 * MAX_CHARACTERS) * 9 // 10
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    own, program = sys.argv[0], PROGRAM
    if os.path.basename(own) == PROGRAM and (
        BY_PATH in more or not any(os.access(os.path.join(folder, PROGRAM), os.X_OK) for folder in folders if folder)
    ):
        program = quote(os.path.abspath(own), MARKS)
    return Ways(Room(MAX_CHARACTERS, limit), program)


def adding(host: Host, event: str, text: str, found: Ways) -> "dict[str, Any]":
    """Return an answer that adds text to the model's context, in the host's format; `{}` if the host has no format.

    If the text is too long, whole lines at the end are left out. Otherwise the host would cut it inside a line.
    """
    shown = found.room.cut(printable_lines(text))
    if not text or not host.context:
        return {}
    return {CURSOR: shown} if host.context == CURSOR else {NESTED: {"hookEventName": event, "additionalContext": shown}}


def denying(host: Host, reason: str, found: Ways, *, asks: bool = False) -> "dict[str, Any]":
    """Return an answer, in the host's format, that denies a tool call. With `asks`, ask the user if the host can."""
    reason = found.room.cut(found.named(printable_lines(reason)))
    decision = "ask" if asks and host.asks else "deny"
    if host.denial == GEMINI:
        return {"decision": decision, "reason": reason}
    if host.denial == CURSOR:
        return {"permission": decision, "user_message": reason.partition("\n")[0], "agent_message": reason}
    answer = {"hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": reason}
    return {NESTED: answer}


def named(name: str) -> Host:
    """Return the host with this name. For an unknown name, print an error, and return Claude Code like for no name."""
    if name and name not in HOSTS:
        complain("hook", f"{name!r} is not a host, so claude is used; allowed: {', '.join(HOSTS)}")
    return HOSTS.get(name, HOSTS["claude"])
