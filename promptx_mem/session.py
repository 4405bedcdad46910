"""The session that a command belongs to. Violations (refused attempts to store a fact) are counted per session."""

import os
import sys
import time
from functools import cache

from promptx_mem.core.ids import digest
from promptx_mem.core.text import printable

TYPE_CHECKING = False  # a denial by the guard loads this module; to import typing would take longer than the rest
if TYPE_CHECKING:
    import datetime
    from collections.abc import Mapping
    from typing import TextIO

MAX_LENGTH = 100
_GENERATIONS = 32
HOSTS = (
    "AI_AGENT", "AMP_CURRENT_THREAD_ID", "ANTIGRAVITY_AGENT", "AUGMENT_AGENT", "CLAUDECODE", "CLAUDE_CODE",
    "CLAUDE_CODE_SESSION_ID", "CLINE_ACTIVE", "CODEX_CI", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_SESSION_ID", "CODEX_THREAD_ID", "COPILOT_AGENT", "COPILOT_CLI", "CURSOR_AGENT", "CURSOR_TRACE_ID",
    "GEMINI_CLI", "GEMINI_SESSION_ID", "GOOSE_TERMINAL", "OPENCODE", "OPENCODE_CLIENT", "QWEN_CODE", "VSCODE_AGENT",
)  # fmt: skip
"""Environment variables that hosts (the programs that run agents) set for an agent's commands."""

UNNAMED = "mcp:"
"""Prefix of the session name of an MCP server whose host passes no session name."""

_TURN = "x-codex-turn-metadata"
"""Key in the metadata of Codex's MCP calls. Its value contains the session id that Codex also passes to hooks."""

VARIABLES = ("PROMPTX_MEM_SESSION", "CLAUDE_CODE_SESSION_ID", "CODEX_SESSION_ID", "CODEX_THREAD_ID")
_OF_HOSTS = (*VARIABLES[1:], "GEMINI_SESSION_ID", "AMP_CURRENT_THREAD_ID")
"""Environment variables in which hosts pass the session's name."""


def name(option: str | None, now: "datetime.datetime | None") -> str:
    """Return the session's name: from `option`, or else the environment, the terminal or the local date (`day:`).

    An agent's tool calls have no terminal. For them, the name comes from the terminal in which the agent runs.
    """
    for value in (option, *(os.environ.get(variable) for variable in VARIABLES)):
        if value and value.strip():
            return printable(value.strip())[:MAX_LENGTH]
    return _terminal() or _terminal_above() or f"day:{now.date().isoformat() if now else time.strftime('%Y-%m-%d')}"


def of_call(meta: "Mapping[str, object]") -> str | None:
    """Return the session name in an MCP call's metadata, or None. Environment variables are not read."""
    turn = meta.get(_TURN)
    ident = turn.get("session_id") if isinstance(turn, dict) else None
    return printable(ident.strip())[:MAX_LENGTH] or None if isinstance(ident, str) else None


def of_event(ident: object, now: "datetime.datetime | None" = None) -> str:
    """Return the session name for a hook event: the name in PROMPTX_MEM_SESSION, or else the event's session id."""
    override = os.environ.get(VARIABLES[0], "").strip()
    return name(override or (ident if isinstance(ident, str) else None), now)


def of_host(ident: str, agent: str = "") -> str:
    """Return the name of a host's session, under which hooks record the injected memories.

    PROMPTX_MEM_SESSION is ignored, because two sessions can share its value. Each model sees only the memories
    injected into its own session. The name for a subagent also has the subagent's id.
    """
    ident = f"{ident} {agent}" if agent not in ("", ident) else ident
    if len(ident) <= MAX_LENGTH:
        return ident
    return ident[: MAX_LENGTH - 10] + digest(ident.encode("utf-8", "surrogatepass"), 5)


def answerable(label: str) -> tuple[str, ...]:
    """Return the names under which a violation in the session `label` is counted. Messages show the first name.

    An agent can choose the name of its session. So if a host runs the command, the violation also counts for the
    host processes, and for the session names in the hosts' environment variables.
    """
    if not is_in_host():
        return (label,)
    from promptx_mem.processes import hosts_above

    above = [f"host:{digest(f'{process.number} {process.started} {boot()}'.encode(), 5)}" for process in hosts_above()]
    named = (printable(os.environ.get(variable, "").strip())[:MAX_LENGTH] for variable in _OF_HOSTS)
    return tuple(dict.fromkeys((*above, *filter(None, named), label)))


def asked_in(label: str) -> tuple[str, ...]:
    """Return the names under which the user's requests in the session `label` are recorded.

    An MCP server without a session name uses the requests that are recorded for the host's process.
    """
    return answerable(label) if label.startswith(UNNAMED) else (label,)


def host() -> str:
    """Return a short id of this machine for use in shared files. It does not reveal the host name."""
    return digest(
        os.uname().nodename.encode() if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "").encode(), 3
    )


def boot() -> str:
    """Return a value that changes with every start of the machine; empty if the system provides none."""
    try:
        return _boot_id() or str(getattr(os.stat("/dev"), "st_birthtime", ""))
    except OSError:
        return ""


def secret() -> str:
    """Return a value that changes with every start of the machine and cannot be guessed; empty if there is none."""
    return _boot_session() if is_mac() else _boot_id()


def is_mac() -> bool:
    return sys.platform == "darwin"


@cache
def _boot_id() -> str:
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""


def _boot_session() -> str:
    """Return the random UUID by which macOS identifies this start of the machine; empty if it cannot be read."""
    import ctypes

    value, size = ctypes.create_string_buffer(64), ctypes.c_size_t(64)
    try:
        failed = ctypes.CDLL(None).sysctlbyname(b"kern.bootsessionuuid", value, ctypes.byref(size), None, 0)
    except (OSError, AttributeError):
        return ""
    return "" if failed else value.value.decode("ascii", "replace")


def _terminal() -> str | None:
    """Return a session name for this process's terminal, or None.

    It is a hash of the session leader's process number, its start time, and the start of the machine. So a reused
    process number gives a different name. Without /proc, the terminal's path stands for the start time.
    """
    if not hasattr(os, "getsid"):
        return None
    leader = os.getsid(0)
    if fields := _process(leader):
        started = fields[19] if fields[4] != "0" else ""
    else:
        try:
            started = os.ttyname(2)
        except OSError:
            return None
    return "tty:" + digest(f"{leader} {started} {boot()}".encode(), 5) if started else None


def _terminal_above() -> str | None:
    """Return a session name for the terminal of an agent's host, or None.

    The name differs from the name of a person's session in the same terminal.
    """
    pid = os.getppid()
    for _ in range(_GENERATIONS):
        fields = _process(pid)
        if fields is None or pid <= 1:
            return None
        if fields[4] != "0" and (leader := _process(int(fields[3]))) is not None:
            return "tty:" + digest(f"{fields[3]} {leader[19]} {boot()} host".encode(), 5)
        pid = int(fields[1])
    return None


def _process(pid: int) -> list[str] | None:
    """Return the fields that follow a process's name in /proc: state, parent, group, session, terminal, and so on."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return None


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
