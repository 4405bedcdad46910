"""The supported hosts: one table each, from documentation and runs of the versions in docs/agents.md.

No other code names a host: their differences are here, and recorded events check them (tests/hooks/recorded).
"""

import os
import sys

from promptx_mem.core.shell import MARKS, PROGRAM, quote
from promptx_mem.core.text import printable_lines

TYPE_CHECKING = False  # a denial of the guard loads this module, and typing would cost more than the rest
if TYPE_CHECKING:
    from typing import Any

PROJECT, LOCAL, USER = "project", "local", "user"
PLUGIN = "plugin"
"""Replaces a scope in the hooks of our plugin."""

NESTED, CURSOR, GEMINI, NONE = "hookSpecificOutput", "additional_context", "decision", ""
"""Formats of an answer: Claude Code's object, Cursor's flat keys, Gemini CLI's denial; none if there is none."""


class Hook:
    """One entry of a host's settings: its event, our command, and its time limit in seconds.

    `turns`: installed only if conversations are kept. `context`: its answer is text for the model, limited by the
    host's `tokens`.
    """

    __slots__ = ("action", "context", "event", "matcher", "seconds", "turns")

    def __init__(
        self,
        event: str,
        action: str,
        seconds: int = 10,
        matcher: str = "",
        *,
        turns: bool = False,
        context: bool = False,
    ) -> None:
        self.event, self.action, self.seconds, self.matcher = event, action, seconds, matcher
        self.turns, self.context = turns, context


class Room:
    """The space for text: characters, and bytes of UTF-8."""

    __slots__ = ("bytes", "characters")

    def __init__(self, characters: int, size: int) -> None:
        self.characters, self.bytes = characters, size

    def has(self, text: str) -> bool:
        """Return whether a text fits."""
        return len(text) <= self.characters and _size(text) <= self.bytes

    def without(self, text: str) -> "Room":
        """Return the space that is left after a text."""
        return Room(self.characters - len(text), self.bytes - _size(text))

    def most(self, characters: int) -> "Room":
        """Return the space, limited to a number of characters."""
        return Room(min(self.characters, characters), self.bytes)

    def half(self) -> "Room":
        return Room(self.characters // 2, self.bytes // 2)

    def cut(self, text: str) -> str:
        """Return the first lines of a text that fit, and a last line with the number of the others."""
        if self.has(text):
            return text
        lines = text.split("\n")
        for kept in range(len(lines) - 1, -1, -1):
            shown = "\n".join([*lines[:kept], f"({len(lines) - kept} more lines are left out: they do not fit here)"])
            if self.has(shown):
                return shown
        return ""


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


class Ways:
    """The options in an entry of a host: the most text of an answer, and the program's name in a command."""

    __slots__ = ("program", "room")

    def __init__(self, room: Room, program: str = PROGRAM) -> None:
        self.room, self.program = room, program

    def named(self, text: str) -> str:
        """Replace the program's name in our text by the one that the host's shell finds.

        In a command only the first word is replaced, since the rest may be the user's words.
        """
        if self.program == PROGRAM:
            return text
        return "\n".join(map(self._named, text.split("\n")))

    def _named(self, line: str) -> str:
        command = line.lstrip(" ")
        if command.startswith(f"{PROGRAM} "):
            return line.replace(PROGRAM, self.program, 1)
        if command.startswith("printf "):
            head, pipe, tail = line.rpartition(f" | {PROGRAM} ")
            return f"{head} | {self.program} {tail}" if pipe else line
        return line.replace(f"{PROGRAM} ", f"{self.program} ")


class Host:
    """A host's features and their formats; a key that does not apply is empty."""

    title: str
    # The programs by which it is seen to be installed.
    programs: tuple[str, ...]
    # Its settings by scope, below the project or the user's folder; the first is the default and is not committed.
    places: dict[str, tuple[str, str]]
    hooks: tuple[Hook, ...]
    # Where its MCP servers are: a file in the user's folder, and the keys that lead to them in it.
    server: tuple[str, ...]
    # The variable that names the user's folder if it is not in the home directory.
    folder: str = ""
    # The format of hooks in the settings: `groups` of them, `flat` entries, or a `plugin` in a separate file.
    shape: str = "groups"
    # Units of a timeout in a second.
    units: int = 1
    # The field of an event with the session's name, and the form in which a hook adds context and denies.
    session: str = "session_id"
    context: str = NESTED
    denial: str = NESTED
    # Whether a denial may be a question to the user.
    asks: bool = False
    # Variables with the session's name for the agent's commands; without any, hooks add it to the commands they show.
    variables: tuple[str, ...] = ()
    # A variable, and the beginning of its value if a program calls the host.
    headless: tuple[str, str] = ("", "")
    # The user's next step after hooks are written.
    after: str = "Start a new session."
    # Where it lists calls that need no approval, and such a call; `asks_for` lists those that always need one.
    allows: tuple[str, ...] = ()
    rule: str = ""
    # Or the file in the user's folder, of our own, that contains the rule with a list of the beginnings of commands.
    policy: str = ""
    asks_for: tuple[str, ...] = ()
    # The file that enables plugins, if there is one of ours: a file beside its settings ('' for these), and the key in
    # it.
    plugins: tuple[str, ...] = ()
    # Most bytes of an answer; of a longer one the model gets head and tail. 0: no fewer than our own limit.
    bytes: int = 0
    # Tokens of four bytes that an entry may ask for instead, as `additionalContextLimit`.
    tokens: int = 0
    # Whether the agent's commands run in a login shell, which may have another PATH than the hooks.
    login_shell: bool = False
    # Whether it runs a hook only once its user has accepted it.
    asks_trust: bool = False
    # Whether a resumed session still contains the text of `hook start` from its beginning.
    keeps_start: bool = False
    # How it reports a failed call: an event or a separate field, or only its transcript; '' if not at all.
    failure: str = "event"
    # Whether it adds a hook's text to the result of a call that ended with the tool's own error.
    adds_to_error: bool = True
    # Whether its transcript contains a subagent's task when that starts.
    has_tasks: bool = False
    # Fields of an event that each show, if present, that it comes from a subagent.
    subagent: tuple[str, ...] = ("agent_id", "agent_type")
    # Variables with a session's name that the host may set for its hooks.
    own: tuple[str, ...] = ()

    def __init__(self, **fields: object) -> None:
        vars(self).update(fields)


UNTRUSTED = "Codex runs none of these hooks until you accept them: start codex once and accept its hooks (/hooks)."
_CLAUDE_READS, _QWEN_READS, _GEMINI_READS = (
    "Read|Grep|Glob|",
    "read_file|grep_search|glob|",
    ("read_file|read_many_files|search_file_content|grep_search|glob|"),
)
"""Tools that only read: after them memories about a file may be injected."""

_CLAUDE_TOOLS = "Bash|PowerShell|Write|Edit|MultiEdit|NotebookEdit|memory|mcp__.*"
_QWEN_TOOLS = "write_file|edit|run_shell_command|save_memory|mcp__.*"
_GEMINI_TOOLS = "write_file|replace|run_shell_command|save_memory|mcp_.*"

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
            # A command with another exit status than 0 has only this event.
            Hook("PostToolUseFailure", "guard", 5, _CLAUDE_TOOLS),
            Hook("PreCompact", "hook compact"),
            Hook("Stop", "hook stop", turns=True),
            Hook("SessionEnd", "hook end", turns=True),
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
        # `claude --agent` names an agent_type in the main session, too.
        subagent=("agent_id",),
        own=("CLAUDE_CODE_SESSION_ID",),
    ),
    "gemini": Host(
        title="Gemini CLI",
        programs=("gemini",),
        places={USER: (".gemini", "settings.json"), PROJECT: (".gemini", "settings.json")},
        # Its PreCompress comes before every request, compacted or not.
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
        # Not `tools.allowed`: that refuses every other command. In the mode of --yolo the rule has no effect.
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
            Hook("SessionStart", "hook start"),
            Hook("UserPromptSubmit", "hook prompt"),
            Hook("PreToolUse", "guard", 5, _QWEN_TOOLS),
            Hook("PostToolUse", "guard", 5, _QWEN_READS + _QWEN_TOOLS),
            Hook("PostToolUseFailure", "guard", 5, _QWEN_TOOLS),
            Hook("PreCompact", "hook compact"),
            Hook("Stop", "hook stop", turns=True),
            Hook("SessionEnd", "hook end", turns=True),
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
        # It limits SessionEnd to 3 seconds, and prints that.
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
        after=f"{UNTRUSTED} Until then `codex exec` skips them silently.",
        server=("config.toml", "mcp_servers"),
        rule='prefix_rule(pattern=["promptx-mem", [{}]], decision="allow")',
        plugins=("config.toml", "plugins"),
        keeps_start=True,
        own=("CODEX_SESSION_ID", "CODEX_THREAD_ID"),
    ),
    "cursor": Host(
        title="Cursor",
        programs=("cursor", "cursor-agent"),
        places={USER: (".cursor", "hooks.json"), PROJECT: (".cursor", "hooks.json")},
        shape="flat",
        # A message's own hook may only stop it, and headless calls have none: nothing is recalled for a message.
        hooks=(
            Hook("sessionStart", "hook start"),
            Hook("preToolUse", "guard", 5, "Shell|Write|StrReplace|Delete|MCP:.*"),
            # Its event after a failed call adds nothing for the model: the next one that succeeds reports.
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
        # The plugin turns its own events into these.
        hooks=(
            Hook("SessionStart", "hook start"),
            Hook("UserPromptSubmit", "hook prompt"),
            Hook("PreToolUse", "guard", 5),
            Hook("PostToolUse", "guard", 5),
            Hook("PreCompact", "hook compact"),
            Hook("Stop", "hook stop", turns=True),
            Hook("SessionEnd", "hook end", turns=True),
        ),
        variables=("PROMPTX_MEM_SESSION",),
        server=("opencode.json", "mcp"),
        # It allows every shell command unless these rules are there.
        allows=("permission", "bash"),
        rule="{} *",
    ),
}


MAX_CHARACTERS = 9_000
"""Most characters of an answer: some hosts cut at 10,000."""

BY_PATH = "by-path"
"""Option of an entry: a login shell did not find the program by its name."""


def ways(host: Host, more: tuple[str, ...]) -> Ways:
    """Read an entry's options: BY_PATH, and the limit of tokens. A little less than the limit is used.

    An entry of an older version has no options. Then the host's limit applies.
    """
    tokens = next((int(word) for word in more if word.isascii() and word.isdigit() and len(word) < 7), 0)
    limit = (4 * tokens or host.bytes or 4 * MAX_CHARACTERS) * 9 // 10
    return Ways(Room(MAX_CHARACTERS, limit), _program(by_path=BY_PATH in more))


def adding(host: Host, event: str, text: str, found: Ways) -> "dict[str, Any]":
    """Return an answer that adds text to the model's context, in the host's format; `{}` if it accepts none.

    If the text is too long, whole lines at the end are left out. The host would cut it in the middle.
    """
    shown = found.room.cut(printable_lines(text))
    if not text or not host.context:
        return {}
    return {CURSOR: shown} if host.context == CURSOR else {NESTED: {"hookEventName": event, "additionalContext": shown}}


def denying(host: Host, reason: str, found: Ways, *, asks: bool = False) -> "dict[str, Any]":
    """Return the host's format of a denied tool call. With `asks`, the host asks the user if it can."""
    reason = found.room.cut(found.named(printable_lines(reason)))
    decision = "ask" if asks and host.asks else "deny"
    if host.denial == GEMINI:
        return {"decision": decision, "reason": reason}
    if host.denial == CURSOR:
        return {"permission": decision, "user_message": reason.partition("\n")[0], "agent_message": reason}
    answer = {"hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": reason}
    return {NESTED: answer}


def _program(*, by_path: bool) -> str:
    """Return the program as the agent's commands find it: by its name, else by its path."""
    own = sys.argv[0]
    if os.path.basename(own) != PROGRAM:
        return PROGRAM
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    if not by_path and any(os.access(os.path.join(folder, PROGRAM), os.X_OK) for folder in folders if folder):
        return PROGRAM
    return quote(os.path.abspath(own), MARKS)


def named(name: str, event: str) -> Host:
    """Return the host with this name. Without a name, return the host with such event names, or Claude Code.

    Entries of the first version have no name. Gemini CLI is recognised by its variable.
    """
    if name in HOSTS:
        return HOSTS[name]
    if os.environ.get("GEMINI_SESSION_ID"):
        return HOSTS["gemini"]
    matches = (host for host in HOSTS.values() if any(hook.event == event for hook in host.hooks))
    return next(matches, HOSTS["claude"])
