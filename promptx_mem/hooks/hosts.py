"""The hosts that hooks are known for: a table each, from their documentation and from runs of the version named.

Nothing else knows a host by name: what differs is here, and recorded events hold it (tests/hooks/recorded).
"""

import os
from typing import NamedTuple

PROJECT, LOCAL, USER = "project", "local", "user"
PLUGIN = "plugin"
"""What stands for a scope where the hooks are those of our plugin."""

NESTED, CURSOR, GEMINI, NONE = "hookSpecificOutput", "additional_context", "decision", ""
"""Forms of an answer: Claude Code's object, Cursor's flat keys, Gemini CLI's denial; none where there is none."""


class Hook(NamedTuple):
    """One entry of a host's settings: at which event it calls what of ours, for how many seconds at most.

    With `turns` it is installed only where conversations are to be kept.
    """

    event: str
    action: str
    seconds: int = 10
    matcher: str = ""
    turns: bool = False


class Host(NamedTuple):
    """What a host has, and how it says it; a key that does not apply is empty."""

    title: str
    version: str
    tried: str
    docs: str
    # The programs by which it is seen to be installed.
    programs: tuple[str, ...]
    # Its settings by scope, below the project or the user's folder; the first is the default and is not committed.
    places: dict[str, tuple[str, str]]
    # The variable that names the user's folder where it does not lie in the home directory.
    folder: str
    # How the settings hold hooks: `groups` of them, `flat` entries, or a `plugin` that is a file of its own.
    shape: str
    hooks: tuple[Hook, ...]
    # Units of a timeout in a second.
    units: int
    # The field of an event with the session's name, and the form in which a hook adds context and denies.
    session: str
    context: str
    denial: str
    # Whether a denial may be a question to the user.
    asks: bool
    # Variables in which commands of the agent find the session; where there are none, they are told it.
    variables: tuple[str, ...]
    # A variable, and how its value begins where a program calls the host.
    headless: tuple[str, str]
    # The file of instructions that it reads, the way in for a server, and what a user does once hooks are written.
    instructions: str
    server: str
    after: str
    # Where it enables plugins, if there is one of ours: a file beside its settings ('' for these), and the key in it.
    plugins: tuple[str, ...] = ()
    # Whether a session that is resumed still has what `hook start` gave at its beginning.
    keeps_start: bool = False


_NAMED = "Start a new session."
_MCP_JSON = '{ "mcpServers": { "promptx-mem": { "command": "promptx-mem", "args": ["mcp"] } } }'
_CLAUDE_TOOLS = "Bash|PowerShell|Write|Edit|MultiEdit|NotebookEdit|memory|mcp__.*"
_GEMINI_TOOLS = "write_file|replace|run_shell_command|save_memory|mcp_.*"

HOSTS: dict[str, Host] = {
    "claude": Host(
        title="Claude Code",
        version="2.1.197",
        tried="2026-11-22",
        docs="https://code.claude.com/docs/en/hooks",
        programs=("claude",),
        places={
            LOCAL: (".claude", "settings.local.json"),
            PROJECT: (".claude", "settings.json"),
            USER: (".claude", "settings.json"),
        },
        folder="CLAUDE_CONFIG_DIR",
        shape="groups",
        hooks=(
            Hook("SessionStart", "hook start"),
            Hook("SubagentStart", "hook start"),
            Hook("UserPromptSubmit", "hook prompt"),
            Hook("PreToolUse", "guard", 5, _CLAUDE_TOOLS),
            Hook("PreCompact", "hook compact"),
            Hook("Stop", "hook stop", turns=True),
            Hook("SessionEnd", "hook end", turns=True),
        ),
        units=1,
        session="session_id",
        context=NESTED,
        denial=NESTED,
        asks=True,
        variables=("CLAUDE_CODE_SESSION_ID",),
        headless=("CLAUDE_CODE_ENTRYPOINT", "sdk"),
        instructions="CLAUDE.md",
        server="claude mcp add promptx-mem -- promptx-mem mcp",
        after=_NAMED,
        plugins=("", "enabledPlugins"),
        keeps_start=True,
    ),
    "gemini": Host(
        title="Gemini CLI",
        version="0.61.0",
        tried="2026-11-22",
        docs="https://geminicli.com/docs/hooks/reference",
        programs=("gemini",),
        places={USER: (".gemini", "settings.json"), PROJECT: (".gemini", "settings.json")},
        folder="",
        shape="groups",
        # Its PreCompress comes before every request, compacted or not.
        hooks=(
            Hook("SessionStart", "hook start"),
            Hook("BeforeAgent", "hook prompt"),
            Hook("BeforeTool", "guard", 5, _GEMINI_TOOLS),
            Hook("AfterAgent", "hook stop", turns=True),
            Hook("SessionEnd", "hook end", turns=True),
        ),
        units=1_000,
        session="session_id",
        context=NESTED,
        denial=GEMINI,
        asks=False,
        variables=(),
        headless=("", ""),
        instructions="GEMINI.md",
        server=_MCP_JSON,
        after=_NAMED,
    ),
    "qwen": Host(
        title="Qwen Code",
        version="0.15.10",
        tried="2026-11-22",
        docs="https://qwenlm.github.io/qwen-code-docs/en/users/features/hooks/",
        programs=("qwen",),
        places={USER: (".qwen", "settings.json"), PROJECT: (".qwen", "settings.json")},
        folder="QWEN_HOME",
        shape="groups",
        hooks=(
            Hook("SessionStart", "hook start"),
            Hook("SubagentStart", "hook start"),
            Hook("UserPromptSubmit", "hook prompt"),
            Hook("PreToolUse", "guard", 5, "write_file|edit|run_shell_command|save_memory|mcp__.*"),
            Hook("PreCompact", "hook compact"),
            Hook("Stop", "hook stop", turns=True),
            Hook("SessionEnd", "hook end", turns=True),
        ),
        units=1_000,
        session="session_id",
        context=NESTED,
        denial=NESTED,
        asks=True,
        variables=(),
        headless=("", ""),
        instructions="QWEN.md",
        server="qwen mcp add promptx-mem promptx-mem mcp",
        after=_NAMED,
    ),
    "codex": Host(
        title="Codex CLI",
        version="0.169.0",
        tried="2026-11-22",
        docs="https://developers.openai.com/codex/hooks",
        programs=("codex",),
        places={USER: (".codex", "hooks.json"), PROJECT: (".codex", "hooks.json")},
        folder="CODEX_HOME",
        shape="groups",
        # It cuts the time of SessionEnd to 3 seconds, and says so.
        hooks=(
            Hook("SessionStart", "hook start"),
            Hook("SubagentStart", "hook start"),
            Hook("UserPromptSubmit", "hook prompt"),
            Hook("PreToolUse", "guard", 5),
            Hook("PreCompact", "hook compact"),
            Hook("Stop", "hook stop", turns=True),
            Hook("SessionEnd", "hook end", 3, turns=True),
        ),
        units=1,
        session="session_id",
        context=NESTED,
        denial=NESTED,
        asks=False,
        variables=("CODEX_SESSION_ID", "CODEX_THREAD_ID"),
        headless=("", ""),
        instructions="AGENTS.md",
        server="codex mcp add promptx-mem -- promptx-mem mcp",
        after="Start a new session; Codex asks once whether you trust the new hooks (/hooks shows them).",
        plugins=("config.toml", "plugins"),
        keeps_start=True,
    ),
    "cursor": Host(
        title="Cursor",
        version="2026.02.13",
        tried="",
        docs="https://cursor.com/docs/agent/hooks",
        programs=("cursor", "cursor-agent"),
        places={USER: (".cursor", "hooks.json"), PROJECT: (".cursor", "hooks.json")},
        folder="",
        shape="flat",
        # A message's own hook may only stop it, and headless calls have none: nothing is recalled for a message.
        hooks=(
            Hook("sessionStart", "hook start"),
            Hook("preToolUse", "guard", 5, "Shell|Write|StrReplace|Delete|MCP:.*"),
            Hook("preCompact", "hook compact"),
            Hook("stop", "hook stop", turns=True),
            Hook("sessionEnd", "hook end", turns=True),
        ),
        units=1,
        session="conversation_id",
        context=CURSOR,
        denial=CURSOR,
        asks=False,
        variables=(),
        headless=("", ""),
        instructions="AGENTS.md",
        server=_MCP_JSON,
        after=_NAMED,
    ),
    "opencode": Host(
        title="OpenCode",
        version="1.18.33",
        tried="2026-11-22",
        docs="https://opencode.ai/docs/plugins",
        programs=("opencode",),
        places={USER: ("opencode", "plugins/promptx-mem.js"), PROJECT: (".opencode", "plugins/promptx-mem.js")},
        folder="XDG_CONFIG_HOME",
        shape="plugin",
        # The plugin turns its own events into these.
        hooks=(
            Hook("SessionStart", "hook start"),
            Hook("UserPromptSubmit", "hook prompt"),
            Hook("PreToolUse", "guard", 5),
            Hook("PreCompact", "hook compact"),
            Hook("Stop", "hook stop", turns=True),
            Hook("SessionEnd", "hook end", turns=True),
        ),
        units=1,
        session="session_id",
        context=NESTED,
        denial=NESTED,
        asks=False,
        variables=("PROMPTX_MEM_SESSION",),
        headless=("", ""),
        instructions="AGENTS.md",
        server='{ "mcp": { "promptx-mem": { "type": "local", "command": ["promptx-mem", "mcp"] } } }',
        after=_NAMED,
    ),
}


def named(name: str, event: str) -> Host:
    """The host of a name; where an entry names none, the one whose events are called so, else Claude Code.

    The first edition's entries name none: Gemini CLI is told from Claude Code by its variable.
    """
    if name in HOSTS:
        return HOSTS[name]
    if os.environ.get("GEMINI_SESSION_ID"):
        return HOSTS["gemini"]
    matches = (host for host in HOSTS.values() if any(hook.event == event for hook in host.hooks))
    return next(matches, HOSTS["claude"])
