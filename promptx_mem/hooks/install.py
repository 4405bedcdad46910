"""hook install, uninstall, status: our hooks in the settings of a host."""

import os
import shutil
import stat
from typing import NamedTuple

from promptx_mem.errors import StoreError, UsageError
from promptx_mem.hooks import entries, found, plugins
from promptx_mem.hooks.entries import Setup
from promptx_mem.hooks.hosts import HOSTS, LOCAL, PLUGIN, USER, Host
from promptx_mem.hooks.report import Hook, Settings
from promptx_mem.result import Result
from promptx_mem.store import files, inside
from promptx_mem.store.inside import Inside, Path
from promptx_mem.usecases import dictionary

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
        if self.scope == USER:
            return os.path.realpath(self.path)
        project, folder = os.path.split(self.folder)
        return Inside(project, (folder, *self.name.split("/")))


def target(host: str, scope: str = "") -> Target:
    """The settings file of a host; without a scope the one that is not committed. Raises UsageError for none."""
    if host not in HOSTS:
        raise UsageError(f"no host is called {host[:40]!r}", hint=f"one of {', '.join(HOSTS)}")
    table = HOSTS[host]
    scope = scope or next(iter(table.places))
    if scope not in table.places:
        raise UsageError(f"--scope {scope[:40]!r} is not known for {host}", hint=", ".join(table.places))
    folder, name = table.places[scope]
    return Target(host, scope, _user_folder(table) if scope == USER else os.path.join(_project(folder), folder), name)


def _user_folder(table: Host) -> str:
    """Where a host keeps the user's settings, its own variable first."""
    folder = table.places[USER][0]
    if not folder.startswith("."):  # it lies where the user's settings of all programs lie
        base = os.environ.get(table.folder) or os.path.join(os.path.expanduser("~"), ".config")
        return os.path.join(base, folder)
    return (os.environ.get(table.folder) if table.folder else "") or os.path.join(os.path.expanduser("~"), folder)


def _project(own: str) -> str:
    """The folder above that holds the host's own, a store or a repository; else this one."""
    start = folder = os.getcwd()
    home = os.path.expanduser("~")
    while True:
        if folder != home and any(os.path.lexists(os.path.join(folder, name)) for name in (own, ".memory", ".git")):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return start
        folder = parent


def change(action: str, where: Target, *, write: bool, turns: bool | None = None) -> Result[Hook]:
    """Show what `install` or `uninstall` would change, and with `write` do it. Raises UsageError, StoreError.

    Without `turns` it stays as it is whether the host's turns are taken.
    """
    try:
        before = _read(where)
        turns = entries.takes_turns(before, where.host) if turns is None else turns
        setup = _setup(where, turns=turns, looks=action == "install")
        after = entries.put(before, setup) if action == "install" else entries.remove(before, where.host)
        old = entries.outdated(before, setup) if action == "install" else []
    except ValueError as error:
        raise UsageError(
            f"{where.path} is not plain JSON of the expected shape, so it stays as it is ({error})",
            code="settings",
            hint="comments are not JSON; mend the file, or add the hooks of docs/agents.md by hand",
        ) from None
    from promptx_mem.hooks import excluded

    data: Hook = {
        "action": action,
        "host": where.host,
        "scope": where.scope,
        "path": where.path,
        "diff": _diff(where.path, before, after),
        "changed": before != after,
        "outdated": old,
        "note": HOSTS[where.host].after if action == "install" else None,
    }
    warnings: tuple[str, ...] = (found.advice(setup),) if setup.by_path else ()
    if write and before != after:
        _write(where, before, after)
        data["written"] = True
        data["removed"] = not after
        if action == "install" and where.scope == LOCAL and (exclusion := excluded.from_git(where.path)):
            if exclusion.done:
                data["note"] = "\n".join(filter(None, [exclusion.sentence, data["note"]]))
            else:
                warnings = (exclusion.sentence,)
    if action == "install" and (others := _others(where)):
        places = ", ".join(others)
        warnings = (*warnings, f"these hooks are in other places too, so everything may come twice: {places}")
    if write and action == "install" and (problem := dictionary.renew()):
        warnings = (*warnings, problem)
    return Result("hook", data, warnings)


def status() -> Result[Hook]:
    """Say for each host whether it is there, and for each of its settings files which of our hooks it has."""
    warnings: list[str] = []
    have = [entry for host in HOSTS for entry in _standing(host, warnings)]
    data: Hook = {"action": "status", "entries": have, "dictionary": dictionary.standing()}
    return Result("hook", data, tuple(warnings), exit_status=3 if warnings else 0)


def _standing(host: str, warnings: list[str]) -> list[Settings]:
    """Which of our hooks each settings file of a host has, and its plugin; what cannot be read goes to `warnings`."""
    table = HOSTS[host]
    have: list[Settings] = []
    for scope in table.places:
        where = target(host, scope)
        entry: Settings = {
            "host": host, "title": table.title, "scope": scope, "path": where.path, "is_here": is_here(table),
            "state": "none", "events": [], "missing": [], "outdated": [], "untrusted": [], "advice": "",
        }  # fmt: skip
        try:
            _look(entry, where)
        except ValueError:
            entry["state"] = "unreadable"
        except StoreError as error:
            entry["state"] = "unreadable"
            warnings.append(inside.in_one_line(error))
        have.append(entry)
    if plugin := _plugin(host):
        events = sorted(hook.event for hook in table.hooks if not hook.turns)
        entry = {**have[-1], "scope": PLUGIN, "path": plugin, "state": "installed", "events": events}
        trusted = found.trusted_plugin(_config(host)) if table.asks_trust else events
        untrusted = [event for event in events if event not in trusted]
        have.append({**entry, "missing": [], "outdated": [], "untrusted": untrusted, "advice": ""})
    return have


def make_dictionary() -> Result[Hook]:
    """Make the file by which `prompt` finds what is written in the other language. Raises UsageError, StoreError."""
    return Result("hook", {"action": "dictionary", "dictionary": dictionary.make()})


def _look(entry: Settings, where: Target) -> None:
    text = _read(where)
    events = entries.present(text, where.host)
    if not events:
        return
    setup = _setup(where, turns=entries.takes_turns(text, where.host), looks=True)
    entry["advice"] = found.advice(setup) if setup.by_path else ""
    if setup.table.asks_trust:
        entry["untrusted"] = found.untrusted(text, where.path, _config(where.host))
    entry["events"] = events
    entry["missing"] = [hook.event for hook in setup.hooks() if hook.event not in events]
    entry["outdated"] = entries.outdated(text, setup)
    entry["state"] = "partly" if entry["missing"] else "installed"


def _setup(where: Target, *, turns: bool, looks: bool) -> Setup:
    """Return how the hooks are to be; with `looks` a login shell is asked for the program, where the host uses one."""
    setup = Setup(where.host, where.scope, turns, entries.program())
    by_path = looks and bool(setup.program) and setup.table.login_shell and not found.in_login_shell()
    return setup._replace(by_path=by_path)


def _config(host: str) -> str:
    """Return the host's settings in the user's folder, where it records what its user accepted; '' where none are."""
    try:
        return _read(target(host, USER)._replace(name=HOSTS[host].plugins[0]))
    except (StoreError, ValueError):
        return ""


def _plugin(host: str) -> str:
    """The file by which a host has our plugin; '' where it has none."""

    def read(scope: str, name: str) -> str:
        try:
            return _read(target(host, scope)._replace(name=name))
        except (StoreError, ValueError):
            return ""

    scope = plugins.enabled_by(host, read)
    where = target(host, scope)
    return os.path.join(where.folder, HOSTS[host].plugins[0] or where.name) if scope else ""


def _others(where: Target) -> list[str]:
    """The other places in which a host has hooks of ours."""
    others = (entry for entry in _standing(where.host, []) if entry["events"] and entry["scope"] != where.scope)
    return [f"{entry['scope']} ({entry['path']})" for entry in others]


def is_here(table: Host) -> bool:
    """Whether a host is installed: its program is on the PATH, or its folder is in the home directory."""
    return any(map(shutil.which, table.programs)) or os.path.isdir(_user_folder(table))


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
            _remove_empty(where)
            return
        if isinstance(place, Inside):
            for depth in range(1, len(place.names)):
                files.make_directory(Inside(place.root, place.names[:depth]), 0o755)
        else:
            os.makedirs(os.path.dirname(place), exist_ok=True)
        mode = stat.S_IMODE(attributes.st_mode) if before and (attributes := files.status(place)) else 0o644
        files.replace(place, after.encode(), mode)
    except OSError as error:
        raise StoreError(f"{where.path} cannot be written ({error.strerror})", code="settings") from None


def _remove_empty(where: Target) -> None:
    """Take away the folders that only our file was in."""
    folder = os.path.dirname(where.path)
    while len(folder) >= len(where.folder) and not os.listdir(folder):
        os.rmdir(folder)
        folder = os.path.dirname(folder)


def _diff(path: str, before: str, after: str) -> str:
    import difflib

    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), path, path, lineterm="")
    return "".join(f"{line}\n" for line in lines)


def choose_turns() -> None:
    """Note in the user's own settings that what is said is to be kept: no project's hooks decide that."""
    from promptx_mem.store.settings import choose_conversations

    choose_conversations()
