"""What stands in a host's settings for us: made from its table, put in, taken out, and compared with what is there."""

import os
import shutil
import sys
from typing import Any, NamedTuple

from promptx_mem.core.shell import PROGRAM, quote
from promptx_mem.hooks import settings
from promptx_mem.hooks.hosts import BY_PATH, HOSTS, PROJECT, Hook, Host

_HEAD = "for p in"
_TAIL = (
    '"$(command -v "$0")" ~/.local/bin/"$0"; '
    'do [ -x "$p" ] || continue; "$p" "$@"; [ $? -lt 126 ] && break; done; exit 0'
)
"""Looks for the program at each place, and does nothing, silently, where there is none: hosts call it at every step."""

LIMIT = "additionalContextLimit"
_MARK = "// promptx-mem: "
_BEFORE = {"groups": {}, "flat": {"version": 1}}
"""What a file of a shape holds before any hook."""


class Setup(NamedTuple):
    """How the hooks are to be: of which host, called by which program, and whether turns are to be taken.

    With `by_path` a login shell does not find the program by its name.
    """

    host: str
    scope: str
    turns: bool = False
    program: str = ""
    by_path: bool = False

    @property
    def table(self) -> Host:
        return HOSTS[self.host]

    def hooks(self) -> list[Hook]:
        return [hook for hook in self.table.hooks if self.turns or not hook.turns]

    def command(self, hook: Hook) -> str:
        """The shell command of a hook; what others get by git names no place of this machine."""
        program = "" if self.scope == PROJECT or not self.program else f" {quote(self.program)}"
        words = [hook.action, self.host]
        if hook.context and self.table.tokens:
            words.append(str(self.table.tokens))
        if self.by_path and self.scope != PROJECT:
            words.append(BY_PATH)
        return f"sh -c {quote(f'{_HEAD}{program} {_TAIL}')} {PROGRAM} {' '.join(words)}"

    def entries(self) -> dict[str, list[dict[str, Any]]]:
        """The entries by event, in the host's shape."""
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
    """Where this program lies, as its user calls it: a link stays one, so that a newer version is found behind it."""
    for place in (sys.argv[0], os.path.join(os.path.dirname(sys.executable), PROGRAM), shutil.which(PROGRAM) or ""):
        if os.path.basename(place) == PROGRAM and os.access(place, os.X_OK):
            return os.path.abspath(place)
    return ""


def put(text: str, setup: Setup) -> str:
    """The settings with our hooks in them, and no older ones. Raises ValueError where they are not understood."""
    if setup.table.shape == "plugin":
        _demand_ours(text)
        return _plugin(setup)
    return settings.put(text, setup.entries(), _BEFORE[setup.table.shape])


def remove(text: str, host: str) -> str:
    """The settings without our hooks; '' where nothing is left. Raises ValueError where they are not understood."""
    if HOSTS[host].shape == "plugin":
        _demand_ours(text)
        return ""
    return settings.remove(text, _BEFORE[HOSTS[host].shape])


def present(text: str, host: str) -> list[str]:
    """The events at which a host calls us. Raises ValueError where its settings are not understood."""
    if HOSTS[host].shape == "plugin":
        turns = "\nconst TURNS = true\n" in text
        return [hook.event for hook in Setup(host, "", turns).hooks()] if text.startswith(_MARK) else []
    return sorted(settings.own_commands(text))


def takes_turns(text: str, host: str) -> bool:
    """Whether the hooks that are there take turns."""
    return any(hook.turns and hook.event in present(text, host) for hook in HOSTS[host].hooks)


def outdated(text: str, setup: Setup) -> list[str]:
    """Our entries that `install` would not put there any more: an event and its command each."""
    if setup.table.shape == "plugin":
        line = _line(text, "const PROGRAMS")
        is_current = not text or text.replace(line, _line(_plugin(setup), "const PROGRAMS")) == _plugin(setup)
        return [] if is_current or not text.startswith(_MARK) else ["the plugin is of another version"]
    hooks = {hook.event: hook for hook in setup.hooks()}
    return [
        f"{event}: {entry['command']}"
        for event, entries in sorted(settings.own_commands(text).items())
        for entry in entries
        if event not in hooks or not _is_current(entry, hooks[event], setup)
    ]


def _is_current(entry: dict[str, Any], hook: Hook, setup: Setup) -> bool:
    """Whether an entry is as it would be written; where the program lies may differ, as long as one lies there."""
    expected: dict[str, Any] = {"matcher": hook.matcher, "timeout": hook.seconds * setup.table.units}
    expected[LIMIT] = setup.table.tokens if hook.context and setup.table.tokens else ""
    if {key: entry.get(key, "") for key in expected} != expected:
        return False
    before, tail, after = entry["command"].partition(_TAIL)
    begins, _, behind = setup.command(hook).partition(_TAIL)
    if not tail or after != behind or not before.startswith(begins.partition(_HEAD)[0] + _HEAD):
        return False
    named = before.partition(_HEAD)[2].strip()
    return not named or "'" in named or os.access(named, os.X_OK)


def _plugin(setup: Setup) -> str:
    with open(os.path.join(os.path.dirname(__file__), "opencode.js"), encoding="utf-8") as file:
        text = file.read()
    import json

    place = "" if setup.scope == PROJECT else setup.program
    named = text.replace('"PROGRAM", ', f"{json.dumps(place)}, " if place else "")
    return named.replace("TURNS = false", "TURNS = true") if setup.turns else named


def _demand_ours(text: str) -> None:
    if text and not text.startswith(_MARK):
        raise ValueError("a plugin of this name is there, and is not ours")


def _line(text: str, begins: str) -> str:
    return next((line for line in text.split("\n") if line.startswith(begins)), "\0")
