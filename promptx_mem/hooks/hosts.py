"""The supported hosts (programs that run agents), and the differences of their events and answers.

The table is for the versions in docs/agents.md; tests compare it with recorded events (tests/hooks/recorded). The
hosts' settings are in `entries.TABLES`.
"""

import os
import sys

from promptx_mem.core.shell import MARKS, PROGRAM, quote
from promptx_mem.core.text import byte_size, printable_lines
from promptx_mem.hooks import complain

TYPE_CHECKING = False  # a denial must be quick, and typing loads slowly
if TYPE_CHECKING:
    from typing import Any

NESTED, CURSOR, GEMINI = "hookSpecificOutput", "additional_context", "decision"
"""Formats of a hook's answer: Claude Code's nested object, Cursor's flat keys, Gemini CLI's denial."""


MAX_CHARACTERS = 9_000
"""Maximum length in characters of an answer, since some hosts cut off text after 10,000."""

BY_PATH = "by-path"
"""Option in a hook's entry: printed commands contain the program's path, since a login shell did not find the name."""


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
        """Return a text if it fits, else its first lines and a line that counts the omitted lines, or else ''."""
        if self.has(text):
            return text
        lines = text.split("\n")
        for kept in range(len(lines) - 1, -1, -1):
            shown = "\n".join([*lines[:kept], f"({len(lines) - kept} more lines were left out: no space)"])
            if self.has(shown):
                return shown
        return ""


class Host:
    """The features of a host, and its formats of events and answers. A field that does not apply is empty."""

    # The format of answers. Gemini CLI adds context as NESTED does.
    format: str = NESTED
    # True if the host can ask the user instead of denying a call.
    asks: bool = False
    # Variables with the session's name in the agent's commands. If there are none, hooks print commands with the name.
    variables: tuple[str, ...] = ()
    # A variable, and the beginning of its value if a program and not a person calls the host.
    headless: tuple[str, str] = ("", "")
    # Maximum bytes of an answer; 0 for our own limit. The model gets only head and tail of a longer answer.
    bytes: int = 0
    # True if a resumed session still contains the text that `hook start` added at its beginning.
    keeps_start: bool = False
    # True if only the transcript shows that a call failed, and no event does.
    fails_in_transcript: bool = False
    # True if the host adds a hook's text to the result of a call that the tool itself reported as an error.
    adds_to_error: bool = True
    # True if the transcript contains a subagent's task when the subagent starts.
    has_tasks: bool = False
    # Fields that only events of a subagent have.
    subagent: tuple[str, ...] = ("agent_id", "agent_type")
    # Variables that can contain a session's name in the host's hooks.
    own: tuple[str, ...] = ()

    def __init__(self, **fields: object) -> None:
        vars(self).update(fields)

    def is_in_another(self) -> bool:
        """Return whether this host runs in another host: a variable contains the name of that host's session."""
        others = {name for host in HOSTS.values() for name in host.own}.difference(self.own)
        return any(map(os.environ.get, others))


HOSTS: dict[str, Host] = {
    "claude": Host(
        asks=True,
        variables=("CLAUDE_CODE_SESSION_ID",),
        headless=("CLAUDE_CODE_ENTRYPOINT", "sdk"),
        keeps_start=True,
        has_tasks=True,
        # With `claude --agent`, the main session also has an agent_type.
        subagent=("agent_id",),
        own=("CLAUDE_CODE_SESSION_ID",),
    ),
    "gemini": Host(
        format=GEMINI,
        adds_to_error=False,
        own=("GEMINI_SESSION_ID",),
    ),
    "qwen": Host(
        asks=True,
        own=("GEMINI_SESSION_ID",),
    ),
    "codex": Host(
        bytes=10_000,
        fails_in_transcript=True,
        variables=("CODEX_SESSION_ID", "CODEX_THREAD_ID"),
        keeps_start=True,
        own=("CODEX_SESSION_ID", "CODEX_THREAD_ID"),
    ),
    "cursor": Host(
        format=CURSOR,
    ),
    "opencode": Host(
        variables=("PROMPTX_MEM_SESSION",),
    ),
}


class Caller:
    """The host that calls a hook, the space for the answer, and the program's name in printed commands."""

    __slots__ = ("host", "name", "program", "room")

    def __init__(self, name: str, options: tuple[str, ...]) -> None:
        """Read the options in a hook's entry: BY_PATH, and a limit in tokens of four bytes.

        If the entry has no limit, the limit of the host is used. An answer can use up to 90 % of the limit, at
        most MAX_CHARACTERS. Commands name the program by its path with BY_PATH, or if it is not in PATH.
        """
        self.host, self.program, self.name = host_named(name), PROGRAM, name if name in HOSTS else "claude"
        tokens = next((int(word) for word in options if word.isascii() and word.isdigit() and len(word) < 7), 0)
        self.room = Room(MAX_CHARACTERS, (4 * tokens or self.host.bytes or 4 * MAX_CHARACTERS) * 9 // 10)
        folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
        is_found = any(os.access(os.path.join(folder, PROGRAM), os.X_OK) for folder in folders if folder)
        if os.path.basename(sys.argv[0]) == PROGRAM and (BY_PATH in options or not is_found):
            self.program = quote(os.path.abspath(sys.argv[0]), MARKS)

    def named(self, text: str) -> str:
        """Replace "promptx-mem" in a text by a name or path that the host's shell finds.

        In a command only the program's name is replaced, since later words could be the user's.
        """
        first, other = f"{PROGRAM} ", f"{self.program} "
        lines = text.split("\n")
        return "\n".join(line.replace(first, other, 1 if line.lstrip(" ").startswith(first) else -1) for line in lines)

    def adding(self, event: str, text: str) -> "dict[str, Any]":
        """Return an answer that adds text to the model's context, in the host's format; `{}` without a text.

        If the text is too long, whole lines at the end are left out. Otherwise the host would cut it inside a line.
        """
        shown = self.room.cut(printable_lines(text))
        if not text:
            return {}
        is_flat = self.host.format == CURSOR
        return {CURSOR: shown} if is_flat else {NESTED: {"hookEventName": event, "additionalContext": shown}}

    def denying(self, reason: str, *, asks: bool = False) -> "dict[str, Any]":
        """Return an answer, in the host's format, that denies a tool call. With `asks`, ask the user if it can."""
        reason = self.room.cut(printable_lines(reason))
        decision = "ask" if asks and self.host.asks else "deny"
        if self.host.format == GEMINI:
            return {"decision": decision, "reason": reason}
        if self.host.format == CURSOR:
            return {"permission": decision, "user_message": reason.partition("\n")[0], "agent_message": reason}
        answer = {"hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": reason}
        return {NESTED: answer}


def host_named(name: str) -> Host:
    """Return the host with this name. Without a name, return Claude Code; for an unknown one, also print an error."""
    if name and name not in HOSTS:
        complain("hook", f"unknown host {name!r}, using claude; allowed: {', '.join(HOSTS)}")
    return HOSTS.get(name, HOSTS["claude"])
