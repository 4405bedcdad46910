"""What a host needs beside our entries: that its user accepted them, and that its shell finds the program."""

import json
import os
import subprocess
import tomllib
from hashlib import sha256
from typing import Any

from promptx_mem.core.json_text import loads
from promptx_mem.core.shell import PROGRAM, join
from promptx_mem.hooks.entries import LIMIT, Setup, is_ours

SECONDS = 2
"""A login shell reads its user's files, which may wait for anything."""

_SHELLS = ("bash", "zsh", "sh", "dash", "ksh")
_LEAST = {LIMIT: 2_500, "timeout": 600}
"""What Codex takes where an entry has no such key."""

_END, _END_SECONDS = "session_end", 3
_WITHOUT_MATCHER = ("user_prompt_submit", "stop")
_WITH_CONTEXT = ("pre_tool_use", "post_tool_use", "session_start", "user_prompt_submit", "subagent_start")


def untrusted(text: str, path: str, config: str) -> list[str]:
    """Return the events of a hooks.json at which Codex runs none of our hooks, since its user has not accepted them.

    `config` is the user's config.toml. It has, for each hook by its file, event and place, a hash of what was accepted.
    """
    states = _states(config)
    data = loads(text)
    events: dict[str, None] = {}
    for event, groups in data["hooks"].items():
        name = _snake(event)
        for at, group in enumerate(groups):
            for place, hook in enumerate(group.get("hooks", ())):
                keys = {f"{file}:{name}:{at}:{place}" for file in (path, os.path.realpath(path))}
                accepted = {_accepted(states.get(key)) for key in keys}
                if is_ours(hook) and _hash(name, group, hook) not in accepted:
                    events[event] = None
    return sorted(events)


def trusted_plugin(config: str) -> list[str]:
    """Return the events of our plugin whose hooks the user has accepted in some version."""
    states = _states(config).items()
    names = (key.split(":")[-3:][0] for key, state in states if key.startswith(f"{PROGRAM}@") and _accepted(state))
    return ["".join(part.capitalize() for part in name.split("_")) for name in names]


def in_login_shell() -> bool:
    """Return whether a login shell finds the program by its name; True where none answers within two seconds."""
    return _ask(f"if command -v {PROGRAM} >/dev/null; then echo yes; else echo no; fi") != "no"


def advice(setup: Setup) -> str:
    """Return what a user can do so that a login shell finds the program: a link, where its folder is on the PATH."""
    folder = os.path.join(os.path.expanduser("~"), ".local", "bin")
    ways = "pipx or `uv tool install` puts it there"
    if folder in _ask('echo "$PATH"').split(os.pathsep):
        ways = f"{join(['ln', '-s', setup.program, os.path.join(folder, PROGRAM)])} puts it there"
    return (
        f"{setup.table.title} runs commands in a login shell, which does not find {PROGRAM}, so hooks name it by its "
        f"path; {ways}"
    )


def _ask(command: str) -> str:
    """Return the last line that a login shell prints; '' where it does not answer in time."""
    shell = os.environ.get("SHELL", "")
    program = shell if os.path.basename(shell) in _SHELLS and os.access(shell, os.X_OK) else "/bin/bash"
    if not os.access(program, os.X_OK):
        program = "/bin/sh"
    process = subprocess.Popen(  # noqa: S603 - the user's own shell, with a command of ours
        [program, "-lc", command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        out, _ = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.communicate()
        return ""
    return out.decode("utf-8", "replace").strip().rpartition("\n")[2]


def _states(config: str) -> dict[str, Any]:
    try:
        state = tomllib.loads(config).get("hooks", {}).get("state", {})
    except (AttributeError, ValueError, RecursionError):
        return {}
    return state if isinstance(state, dict) else {}


def _accepted(state: Any) -> str:
    """Return the hash of the hook that the user accepted; '' where it was not, or was turned off."""
    if not isinstance(state, dict) or state.get("enabled") is False:
        return ""
    value = state.get("trusted_hash")
    return value if isinstance(value, str) else ""


def _hash(event: str, group: dict[str, Any], hook: dict[str, Any]) -> str:
    """Return the hash of a hook as Codex makes it: of its parts, without those that have their usual value."""
    seconds = max(hook.get("timeout", _LEAST["timeout"]), 1)
    call = {"type": "command", "command": hook["command"], "async": hook.get("async", False)}
    call["timeout"] = min(seconds, _END_SECONDS) if event == _END else seconds
    if event in _WITH_CONTEXT and hook.get(LIMIT, _LEAST[LIMIT]) != _LEAST[LIMIT]:
        call[LIMIT] = hook[LIMIT]
    if "statusMessage" in hook:
        call["statusMessage"] = hook["statusMessage"]
    whole: dict[str, Any] = {"event_name": event, "hooks": [call]}
    if "matcher" in group and event not in _WITHOUT_MATCHER:
        whole["matcher"] = group["matcher"]
    encoded = json.dumps(whole, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return f"sha256:{sha256(encoded.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _snake(event: str) -> str:
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in event).lstrip("_")
