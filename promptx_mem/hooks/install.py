"""hook install, uninstall, status: the settings files of the two hosts."""

import os
import shutil
import stat
from typing import Any, NamedTuple

from promptx_mem.errors import StoreError, UsageError
from promptx_mem.hooks import settings
from promptx_mem.hooks.report import Hook, Settings
from promptx_mem.result import Result
from promptx_mem.store import files, inside
from promptx_mem.store.inside import Inside, Path

HOSTS = ("claude", "gemini")
SCOPES = ("project", "local", "user")

_NAMES = {"claude": ".claude", "gemini": ".gemini"}
_TOP = (".claude", ".gemini", ".memory", ".git")
MAX_SETTINGS = 4_000_000


class Target(NamedTuple):
    """One settings file; `folder` is the host's own, below the project or the home directory."""

    host: str
    scope: str
    folder: str
    name: str

    @property
    def path(self) -> str:
        return os.path.join(self.folder, self.name)

    @property
    def place(self) -> Path:
        """How it is reached: what a project holds may have come with a clone, so no link in it is followed."""
        if self.scope == "user":
            return os.path.realpath(self.path)
        project, folder = os.path.split(self.folder)
        return Inside(project, (folder, self.name))


def wanted(host: str) -> dict[str, list[dict[str, Any]]]:
    """Our hooks for a host. Claude Code counts timeouts in seconds, Gemini CLI in milliseconds."""
    if host == "gemini":
        return {
            "SessionStart": [_group("hook start", 10_000, name="promptx-mem start")],
            "BeforeAgent": [_group("hook prompt", 10_000, name="promptx-mem prompt")],
            "BeforeTool": [
                _group(
                    "guard",
                    5_000,
                    matcher="write_file|replace|run_shell_command|save_memory|mcp_.*",
                    name="promptx-mem guard",
                )
            ],
        }
    return {
        "SessionStart": [_group("hook start", 10)],
        "UserPromptSubmit": [_group("hook prompt", 10)],
        "PreToolUse": [_group("guard", 5, matcher="Bash|PowerShell|Write|Edit|MultiEdit|NotebookEdit|memory|mcp__.*")],
    }


def _group(command: str, timeout: int, *, matcher: str | None = None, name: str | None = None) -> dict[str, Any]:
    hook: dict[str, Any] = {"name": name} if name else {}
    hook |= {"type": "command", "command": f"promptx-mem {command}", "timeout": timeout}
    return {**({"matcher": matcher} if matcher else {}), "hooks": [hook]}


def target(host: str, scope: str) -> Target:
    """The settings file of a host. Raises UsageError for what there is not."""
    if host not in HOSTS:
        raise UsageError(f"no host is called {host[:40]!r}", hint=f"one of {', '.join(HOSTS)}")
    if scope not in SCOPES or (host, scope) == ("gemini", "local"):
        raise UsageError(
            f"--scope {scope[:40]!r} is not known for {host}",
            hint="project, user" if host == "gemini" else ", ".join(SCOPES),
        )
    name = "settings.local.json" if scope == "local" else "settings.json"
    if scope == "user":
        home = os.environ.get("CLAUDE_CONFIG_DIR") if host == "claude" else None
        folder = home or os.path.join(os.path.expanduser("~"), _NAMES[host])
    else:
        folder = os.path.join(_project(), _NAMES[host])
    return Target(host, scope, folder, name)


def _project() -> str:
    """The folder above that holds a host's settings, a store or a repository; else this one."""
    here = folder = os.getcwd()
    home = os.path.expanduser("~")
    while True:
        if folder != home and any(os.path.lexists(os.path.join(folder, name)) for name in _TOP):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return here
        folder = parent


def change(action: str, where: Target, *, write: bool) -> Result[Hook]:
    """Show what `install` or `uninstall` would change, and with `write` do it. Raises UsageError, StoreError."""
    try:
        before = _read(where)
        after = settings.put(before, wanted(where.host)) if action == "install" else settings.remove(before)
    except ValueError as error:
        raise UsageError(
            f"{where.path} is not plain JSON of the expected shape, so it stays as it is ({error})",
            code="settings",
            hint="comments are not JSON; mend the file, or add the hooks of docs/agents.md by hand",
        ) from None
    data: Hook = {
        "action": action,
        "host": where.host,
        "scope": where.scope,
        "path": where.path,
        "diff": _diff(where.path, before, after),
        "changed": before != after,
    }
    if action == "install":
        data["outdated"] = outdated(where.host, settings.ours(before))
    if write and before != after:
        _write(where, before, after)
        data["written"] = True
    warnings: tuple[str, ...] = ()
    if action == "install" and shutil.which("promptx-mem") is None:
        warnings = ("promptx-mem is not on the PATH, where the host will look for it",)
    return Result("hook", data, warnings)


def status() -> Result[Hook]:
    """Say for each settings file which of our hooks it has."""
    found: list[Settings] = []
    warnings: list[str] = []
    for host in HOSTS:
        for scope in SCOPES:
            if (host, scope) == ("gemini", "local"):
                continue
            where = target(host, scope)
            state = "none"
            try:
                have = settings.ours(_read(where))
            except ValueError:
                have, state = {}, "unreadable"
            except StoreError as error:
                have, state = {}, "unreadable"
                warnings.append(inside.in_one_line(error))
            if have:
                state = "installed" if all(event in have for event in wanted(host)) else "partly"
            found.append({
                "host": host, "scope": scope, "path": where.path, "state": state, "events": sorted(have),
                "outdated": outdated(host, have),
            })  # fmt: skip
    return Result("hook", {"action": "status", "entries": found}, tuple(warnings), exit_status=3 if warnings else 0)


def outdated(host: str, have: dict[str, list[str]]) -> list[str]:
    """Our entries in a settings file that `install` would not put there any more: an event and its command each."""
    current = {event: settings.action(group["hooks"][0]["command"]) for event, (group,) in wanted(host).items()}
    return [
        f"{event}: {command}"
        for event, commands in sorted(have.items())
        for command in commands
        if settings.action(command) != current.get(event)
    ]


def _read(where: Target) -> str:
    try:
        data = files.load(where.place)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise StoreError(f"{where.path} cannot be read ({error.strerror})", code="settings") from None
    if len(data) > MAX_SETTINGS:
        raise ValueError("it is larger than settings are")
    return data.decode("utf-8")


def _write(where: Target, before: str, after: str) -> None:
    """Replace the file whole, or take it away where only our hooks were in it. The user's own links are followed."""
    place = where.place
    try:
        if not after:
            files.unlink(place)
            if not os.listdir(where.folder):
                os.rmdir(where.folder)
            return
        if isinstance(place, Inside):
            files.make_directory(Inside(place.root, place.names[:-1]), 0o755)
        else:
            os.makedirs(os.path.dirname(place), exist_ok=True)
        mode = stat.S_IMODE(found.st_mode) if before and (found := files.status(place)) else 0o644
        files.replace(place, after.encode(), mode)
    except OSError as error:
        raise StoreError(f"{where.path} cannot be written ({error.strerror})", code="settings") from None


def _diff(path: str, before: str, after: str) -> str:
    import difflib

    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), path, path, lineterm="")
    return "".join(f"{line}\n" for line in lines)
