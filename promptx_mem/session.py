"""The name of a command's session. By default, a terminal is a session. Violations are counted per session."""

import os
import sys
import time

from promptx_mem.core.ids import short_hash
from promptx_mem.core.text import printable
from promptx_mem.machine import boot

TYPE_CHECKING = False  # a denial by the guard loads this module; to import typing would take too long
if TYPE_CHECKING:
    import datetime
    from typing import TextIO

MAX_LENGTH = 100
HOSTS = (
    "AI_AGENT", "AMP_CURRENT_THREAD_ID", "ANTIGRAVITY_AGENT", "AUGMENT_AGENT", "CLAUDECODE", "CLAUDE_CODE",
    "CLAUDE_CODE_SESSION_ID", "CLINE_ACTIVE", "CODEX_CI", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_SESSION_ID", "CODEX_THREAD_ID", "COPILOT_AGENT", "COPILOT_CLI", "CURSOR_AGENT", "CURSOR_TRACE_ID",
    "GEMINI_CLI", "GEMINI_SESSION_ID", "GOOSE_TERMINAL", "OPENCODE", "OPENCODE_CLIENT", "QWEN_CODE", "VSCODE_AGENT",
)  # fmt: skip
"""Environment variables that hosts (the programs that run agents) set for an agent's commands."""

UNNAMED = "mcp:"
"""Prefix of the session name of an MCP server whose host passes no session name."""


VARIABLES = ("PROMPTX_MEM_SESSION", "CLAUDE_CODE_SESSION_ID", "CODEX_SESSION_ID", "CODEX_THREAD_ID")
_OF_HOSTS = (*VARIABLES[1:], "GEMINI_SESSION_ID", "AMP_CURRENT_THREAD_ID")
"""Environment variables in which hosts pass the session's name."""


_GENERATIONS = 32
"""Maximum number of parent processes that are searched for a terminal."""


def name(option: str | None, now: "datetime.datetime | None") -> str:
    """Return the session's name: from `option`, or else the environment, the terminal or the local date (`day:`).

    An agent's tool calls have no terminal. For them, the name comes from the terminal in which the agent runs.
    """
    for value in (option, *(os.environ.get(variable) for variable in VARIABLES)):
        if value and value.strip():
            return printable(value.strip())[:MAX_LENGTH]
    return (
        terminal_name() or host_terminal_name() or f"day:{now.date().isoformat() if now else time.strftime('%Y-%m-%d')}"
    )


def of_event(ident: object, now: "datetime.datetime | None" = None) -> str:
    """Return a hook event's session name: PROMPTX_MEM_SESSION, else the event's session id, else as `name` does."""
    override = os.environ.get(VARIABLES[0], "").strip()
    return name(override or (ident if isinstance(ident, str) else None), now)


def violation_names(label: str) -> tuple[str, ...]:
    """Return the names under which a violation in the session `label` is counted. Messages show the first name.

    An agent can choose the name of its session. So if a host runs the command, the violation also counts for the
    host processes, and for the session names in the hosts' environment variables.
    """
    if not is_in_host():
        return (label,)
    from promptx_mem.processes import hosts_above

    above = [
        f"host:{short_hash(f'{process.number} {process.started} {boot()}'.encode(), 5)}" for process in hosts_above()
    ]
    named = (printable(os.environ.get(variable, "").strip())[:MAX_LENGTH] for variable in _OF_HOSTS)
    return tuple(dict.fromkeys((*above, *filter(None, named), label)))


def request_names(label: str) -> tuple[str, ...]:
    """Return the names under which the user's requests in the session `label` are recorded.

    An MCP server without a session name uses the requests that are recorded for the host's process.
    """
    return violation_names(label) if label.startswith(UNNAMED) else (label,)


def is_in_host() -> bool:
    """Return whether an agent's host runs this command: a host's variable is set, or a parent process is a host."""
    if any(os.environ.get(name) for name in HOSTS):
        return True
    from promptx_mem.processes import is_below_host

    return is_below_host()


def is_person() -> bool:
    """Return whether a person runs this command: its three standard streams are a terminal and no host runs it.

    Every rule about persons uses this function (SECURITY.md lists the remaining gaps). It checks the real stdout of the
    process, since the parser captures output.
    """
    return all(map(_is_terminal, (sys.stdin, sys.__stdout__, sys.stderr))) and not is_in_host()


def demand_person(what: str, command: str) -> None:
    """Raise Refused unless a person runs this command. The hint names the `command` to run in a terminal."""
    if not is_person():
        from promptx_mem.errors import Refused

        raise Refused(
            f"{what} needs a person at a terminal",
            code="needs_person",
            hint=f"the user must run this in a terminal: {command}",
        )


def _is_terminal(stream: "TextIO | None") -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # the stream is closed
        return False


def terminal_name() -> str | None:
    """Return a session name for this process's terminal, or None.

    The name has a hash of the number and start time of the terminal's first process, and of the start of the machine.
    So a reused process number gives a different name. Without /proc, the terminal's path replaces the start time.
    """
    leader = os.getsid(0)
    if fields := _process(leader):
        started = fields[19] if fields[4] != "0" else ""
    else:
        try:
            started = os.ttyname(2)
        except OSError:
            return None
    return "tty:" + short_hash(f"{leader} {started} {boot()}".encode(), 5) if started else None


def host_terminal_name() -> str | None:
    """Return a session name for the terminal of an agent's host, or None.

    The name differs from the name of a person's session in the same terminal.
    """
    pid = os.getppid()
    for _ in range(_GENERATIONS):
        fields = _process(pid)
        if fields is None or pid <= 1:
            return None
        if fields[4] != "0" and (leader := _process(int(fields[3]))) is not None:
            return "tty:" + short_hash(f"{fields[3]} {leader[19]} {boot()} host".encode(), 5)
        pid = int(fields[1])
    return None


def _process(pid: int) -> list[str] | None:
    """Return the fields after a process's name in /proc: state, parent, group, session, terminal, …; or None."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return None
