"""setup: promptx-mem's hooks, MCP server and permissions in the settings of a host (a program that runs agents)."""

import contextlib
import importlib.util
import json
import os
import re
import shutil
import stat
import tomllib
from collections.abc import Callable, Iterable
from functools import partial

from promptx_mem.core.shell import PROGRAM, quote
from promptx_mem.errors import ConfigError, StoreError, UsageError
from promptx_mem.hooks import entries
from promptx_mem.hooks.entries import PROJECT, TABLES, Setup, Table
from promptx_mem.hooks.hosts import HOSTS
from promptx_mem.places import OFF, SETTINGS, USER_STORE, parents, state_folder
from promptx_mem.record import Any, NamedTuple, TypedDict
from promptx_mem.result import Result
from promptx_mem.session import VARIABLES
from promptx_mem.store import disk, files, settings
from promptx_mem.store import git as repository
from promptx_mem.store.files import Path, StorePath
from promptx_mem.store.layout import ENVIRONMENT

MAX_SETTINGS = 4_000_000
ALLOWED = ("recall", "list", "show", "remember")
"""Commands that an agent is allowed to run without asking the user (also named in `Table.after` of Codex)."""

TOOLS = ("recall", "list", "get", "remember")
"""MCP tools that an agent is allowed to call without asking the user."""

ASKED = ("--allow-secret", "--judge", "--remote")
"""Options that the user must approve, if the host has rules for this."""

_GIT_SECONDS = 5
_MARK = "# written by promptx-mem setup\n"
_TOML = f"{_MARK}[mcp_servers.promptx-mem]\n"
_OWN_LINES = r"\A(?:(?:command|args|env_vars) = .*\n?)*"
_TABLES = re.compile(
    rf'(?:^\n)?^(?:{_MARK})?\[mcp_servers\."?{PROGRAM}"?[.\]].*\n?'
    r"(?:(?!\[|(?:(?:#.*|[ \t]*)(?:\n|\Z))*(?:\[|\Z)).*\n?)*",
    re.MULTILINE,
)
"""The table of our MCP server in config.toml, or a table below it, without the comments before the next table."""


Grant = tuple[tuple[str, ...], str, Any]
"""An entry that is not a hook: keys that lead to a list or object, the item or key to add, and the key's value."""

_EXISTED: Grant = ((), "", None)
"""The record of a settings file that was there before `setup`, so that `--remove` does not delete it."""


class Target(NamedTuple):
    """One settings file. `folder` is the host's settings folder, in the home directory or the project."""

    host: str
    folder: str
    name: str
    in_project: bool = False

    @property
    def path(self) -> str:
        return os.path.normpath(os.path.join(self.folder, self.name))

    @property
    def place(self) -> Path:
        """Return the path. Links inside a project are not followed, since they could come with a cloned repository."""
        if not self.in_project:
            return os.path.realpath(self.path)
        project, folder = os.path.split(self.folder)
        return StorePath(project, (folder, *self.name.split("/")))


class HostState(TypedDict):
    """A settings file of a host, with promptx-mem's installed and missing hooks, by event.

    For a plugin, it is the file that enables the plugin. `untrusted`: events with hooks that the host skips until the
    user accepts them. `advice`: problems that setup found. `allowed`: commands that need no approval. `server`:
    the file with promptx-mem's MCP server, if any.
    """

    host: str
    title: str
    path: str
    is_here: bool
    state: str
    events: list[str]
    missing: list[str]
    untrusted: list[str]
    advice: str
    allowed: list[str]
    server: str


class File(TypedDict):
    """The change of a settings file. `parts` are names of changed parts, such as "hooks"."""

    path: str
    parts: list[str]
    diff: str
    removed: bool


class SetupResult(TypedDict, total=False):
    """The result of `setup`: for one host, the changes of its `files`; without a host, the `entries` of all hosts.

    `unread` are paths of files that could not be changed. With `--diff`, `notes` are the entries for these files.
    """

    action: str
    host: str
    title: str
    files: list[File]
    unread: list[str]
    written: bool
    notes: list[str]
    entries: list[HostState]


class Edit(NamedTuple):
    """The change of a settings file: the names of its changed parts, and a function that returns the new text.

    The function adds the new entries that are not hooks to `grants`. It raises ValueError.
    """

    at: Target
    parts: list[str]
    change: Callable[[str], str]
    grants: list[Grant]


def target(host: str) -> Target:
    """Return the settings file for a host's hooks, which is not committed. Raises UsageError."""
    if host not in TABLES:
        raise UsageError(f"{host[:40]!r} is not a host", hint=f"allowed: {', '.join(TABLES)}")
    table = TABLES[host]
    folder, name = table.place
    place = os.path.join(_project(folder), folder) if table.in_project else _user_folder(table)
    return Target(host, place, name, table.in_project)


def _user_folder(table: Table) -> str:
    """Return the folder of a host's user settings: from the host's environment variable, or the default."""
    variable, _, below = table.folder.partition("/")
    base = os.environ.get(variable) if variable else ""
    return os.path.normpath(os.path.join(base, below) if base else os.path.expanduser(f"~/{table.place[0]}"))


def _project(own: str) -> str:
    """Return the nearest project folder, from the working directory upwards; else the working directory.

    A project contains a host's settings folder (`own`), a store or a repository, and is not the home directory.
    """
    start, home = os.getcwd(), os.path.expanduser("~")
    for folder in parents(start):
        if folder != home and any(os.path.lexists(os.path.join(folder, name)) for name in (own, ".memory", ".git")):
            return folder
    return start


def _server(host: str) -> Target:
    """Return the file with a host's MCP servers."""
    table = TABLES[host]
    name = table.server[0].removeprefix("../" * bool(os.environ.get(table.folder)))
    return Target(host, _user_folder(table), name)


def set_up(host: str, *, write: bool, turns: bool | None = None) -> Result[SetupResult]:
    """Return the changes that add hooks, MCP server and permissions to a host's settings. With `write`, make them.

    If `turns` is None, the installed hooks and the user's settings decide whether hooks save conversations. Raises
    UsageError, StoreError.
    """
    where, server = target(host), _server(host)
    setup = _setup(host, turns=bool(turns))
    has_server = _has_extra()
    grants: dict[Target, list[Grant]] = {where: [], server: []}
    is_plugin, command = setup.table.shape == "plugin", setup.program or PROGRAM
    entry = {"type": "local", "command": [command, "mcp"]} if is_plugin else {"command": command, "args": ["mcp"]}
    grants[server if is_plugin else where] += _rules(setup, has_server=has_server)
    grants[server] += [(_server_keys(host), PROGRAM, entry)] * has_server
    edits: list[Edit] = []
    for at, wanted in grants.items():
        names = [name for _, name, _ in wanted]
        parts = ["hooks"] * (at == where) + ["permissions"] * any(name != PROGRAM for name in names)
        if parts := parts + ["MCP server"] * (PROGRAM in names):
            added: list[Grant] = []
            change = partial(_with_entries, at=at, where=where, setup=setup, turns=turns, grants=wanted, added=added)
            edits.append(Edit(at, parts, change, added))
    if own := policy(host):
        rule = _MARK + setup.table.rule.format(json.dumps(_allowed(setup)))
        edits.append(Edit(own, ["permissions"], partial(_policy, new=rule), []))
    edits += _exclusion(where)
    notes = _advice(setup)
    if not has_server:
        notes.append(
            "The MCP server is left out, because the extra mcp is not installed (in a clone: pip install '.[mcp]')"
        )
    called = json.dumps([PROGRAM, setup.program] if setup.by_path else PROGRAM)
    after = setup.table.after.replace("PROGRAM", called).replace("~/.codex", where.folder)
    return _finished("setup", host, edits, [*notes, after], write=write)


def remove(host: str, *, write: bool) -> Result[SetupResult]:
    """Return the changes that remove the entries written by `setup`. With `write`, make them.

    Raises UsageError, StoreError.
    """
    files_of_host = dict.fromkeys((target(host), _server(host)))
    edits = [Edit(at, ["our entries"], partial(_without_entries, at=at), []) for at in files_of_host]
    if own := policy(host):
        edits.append(Edit(own, ["our entries"], partial(_policy, new=""), []))
    edits += _exclusion(target(host), remove=True)
    return _finished("remove", host, edits, [], write=write)


def _rules(setup: Setup, *, has_server: bool) -> list[Grant]:
    """Return the permissions to add to the settings of a host. The list is empty if these settings need none."""
    table = setup.table
    if not table.allows:
        return []
    rules = [table.rule.format(command) for command in _allowed(setup)]
    if table.shape == "plugin":
        shell = _found(_server(setup.host), table.allows)
        return [(table.allows, rule, "allow") for rule in rules if shell == "ask" or isinstance(shell, dict)]
    if table.asks_for and has_server:
        rules += [f"mcp__{PROGRAM}__{tool}" for tool in TOOLS]
    asks = [f"Bash(*{PROGRAM} *{option}*)" for option in ASKED if table.asks_for]
    return [*((table.allows, rule, None) for rule in rules), *((table.asks_for, rule, None) for rule in asks)]


def _allowed(setup: Setup) -> list[str]:
    """Return the beginnings of the commands that the agent is allowed to run without approval."""
    names = [PROGRAM] if shutil.which(PROGRAM) or not setup.program else [PROGRAM, setup.program]
    return [f"{name} {command}" for name in names for command in ALLOWED]


def policy(host: str) -> Target | None:
    """Return the separate permissions file that only promptx-mem writes; None if the host needs no such file."""
    table = TABLES[host]
    return Target(host, _user_folder(table), table.policy) if table.policy else None


def watched(host: str) -> dict[str, str]:
    """Return, by name, the paths of a host's files that can contain promptx-mem's hooks and permissions."""
    own = policy(host)
    return {"hooks": target(host).path} | ({"policy": own.path} if own else {})


def _policy(text: str, new: str) -> str:
    """Return the new content of a file that only promptx-mem writes. Raises ValueError for another program's file."""
    if text and not text.startswith(_MARK):
        raise ValueError("another program's file has this name")
    return new


def _server_keys(host: str) -> tuple[str, ...]:
    """Return the keys that lead to the MCP servers of this project, in the file with a host's MCP servers."""
    folder = os.path.dirname(target(host).folder)
    top = repository.top_of(folder) or os.path.realpath(folder)
    return tuple(top if key == PROJECT else key for key in TABLES[host].server[1:])


def _without_entries(text: str, at: Target) -> str:
    """Return a settings file without promptx-mem's entries. Raises ValueError."""
    if at.name.endswith(".toml"):
        return _without_toml(text)
    old, is_hooks = _record(at), at == target(at.host)
    take, blank = partial(_take, grants=old), entries.BLANK.get(TABLES[at.host].shape) if is_hooks else {}
    out = entries.put(text, Setup(at.host), take, remove=True) if is_hooks else entries.changed(text, take)
    return out or f"{json.dumps(blank)}\n" * (_EXISTED in old and bool(text))


def _with_entries(
    text: str, at: Target, where: Target, setup: Setup, turns: bool | None, grants: list[Grant], added: list[Grant]
) -> str:
    """Put promptx-mem's entries into settings. Return the text. Append the new `grants` to `added`."""
    if at.name.endswith(".toml"):
        return _with_toml(text, grants[0][2])
    old = _record(at)
    added += [_EXISTED] if _EXISTED in old or (text.strip() and PROGRAM not in text) else []

    def more(data: entries.JsonObject) -> None:
        _take(data, [grant for grant in old if grant not in grants])
        for keys, name, value in grants:
            if value == "allow" and (one := data[keys[0]])[keys[1]] == "ask":  # "ask" for every command becomes a rule
                one[keys[1]] = {"*": "ask"}
            if entries.add(data, keys, name, value) or (keys, name, value) in old:
                added.append((keys, name, value))

    if at != where:
        return entries.changed(text, more)
    taken = takes_turns(text, at.host) if turns is None else turns
    return entries.put(text, setup._replace(turns=taken), more)


def _with_toml(text: str, server: dict[str, Any]) -> str:
    """Return config.toml with the MCP server, added or updated unless the user wrote it. Raises ValueError."""
    servers = tomllib.loads(text).get("mcp_servers", {})
    if PROGRAM in servers and _TOML not in text:
        return text
    passed = [OFF, ENVIRONMENT, USER_STORE, VARIABLES[0], SETTINGS, "PROMPTX_MEM_LLM"]
    lines = {"command": server["command"], "args": server["args"], "env_vars": passed}
    block = _TOML + "".join(f"{key} = {json.dumps(value)}\n" for key, value in lines.items())
    if PROGRAM in servers:  # lines that the user has added are kept
        head, _, tail = text.partition(_TOML)
        out = text if servers[PROGRAM] | lines == servers[PROGRAM] else head + block + re.sub(_OWN_LINES, "", tail)
        tomllib.loads(out)
        return out
    out = text + "\n" * bool(text and not text.endswith("\n")) + "\n" * bool(text) + block
    try:
        tomllib.loads(out)
    except ValueError:
        raise ValueError("mcp_servers is an inline table: first turn it into [mcp_servers.NAME] tables") from None
    return out


def _without_toml(text: str) -> str:
    """Return config.toml without the table that `setup` wrote and the tables below it. Raises ValueError."""
    if _TOML not in text:
        return text
    wanted, out = tomllib.loads(text), _TABLES.sub("", text)
    wanted.get("mcp_servers", {}).pop(PROGRAM, None)
    if {"mcp_servers": {}} | tomllib.loads(out) != wanted:
        raise ValueError(f"mcp_servers.{PROGRAM} has lines that setup did not write")
    return out


def _take(data: entries.JsonObject, grants: Iterable[Grant]) -> None:
    for keys, name, _ in grants:
        entries.remove_entry(data, keys, name)


def _finished(action: str, host: str, edits: list[Edit], notes: list[str], *, write: bool) -> Result[SetupResult]:
    """Return the result of changes. With `write`, write the files. A file that is not understood is not changed."""
    changes: list[File] = []
    warnings: list[str] = []
    unread: list[str] = []
    to_add: list[str] = []
    done = []
    for edit in edits:
        path = edit.at.path
        try:
            before = _read(edit.at)
            after = edit.change(before)
        except ValueError as error:
            by_hand = "remove the entries of promptx-mem yourself"
            if action == "setup":
                by_hand = f"to see what you can add yourself: promptx-mem setup {host} --diff"
                to_add.append(f"add to {path}:\n{edit.change('').rstrip()}")
            warnings.append(f"{path} was not changed: {error}; {by_hand}")
            unread.append(path)
            continue
        if before != after:
            changes.append(change_of(path, edit.parts, before, after))
            done.append((edit, before, after))
    for edit, before, after in done if write else ():
        _write(edit.at, before, after)
        _note(edit.at, edit.grants)
    data: SetupResult = {
        "action": action, "host": host, "title": TABLES[host].title, "files": changes,
        "unread": unread, "written": write and bool(changes), "notes": to_add if unread else notes,
    }  # fmt: skip
    return Result("setup", data, tuple(warnings), exit_status=int(bool(unread)))


def change_of(path: str, parts: list[str], before: str, after: str) -> File:
    """Return the change of a settings file's text."""
    import difflib

    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), path, path, lineterm="")
    return {"path": path, "parts": parts, "diff": "".join(f"{line}\n" for line in lines), "removed": not after}


def state() -> tuple[list[HostState], tuple[str, ...]]:
    """Return promptx-mem's entries in the settings of each host, and warnings about unreadable files."""
    have: list[HostState] = []
    warnings: list[str] = []
    for host, table in TABLES.items():
        where = target(host)
        entry: HostState = {
            "host": host, "title": table.title, "path": where.path, "is_here": is_here(table),
            "state": "none", "events": [], "missing": [], "untrusted": [], "advice": "",
            "allowed": [], "server": "",
        }  # fmt: skip
        have += [entry, *_plugin(entry)]
        try:
            _look(entry, where)
        except ValueError:
            entry["state"] = "unreadable"
        except StoreError as error:
            entry["state"] = "unreadable"
            warnings.append(error.in_one_line())
    return have, tuple(warnings)


def _look(entry: HostState, where: Target) -> None:
    text, host = _read(where), where.host
    events = entries.present(text, host)
    if not events:
        return
    setup, server, own = _setup(host, turns=takes_turns(text, host)), _server(host), policy(host)
    entry["advice"] = "; ".join(_advice(setup))
    if setup.table.asks_trust:
        entry["untrusted"] = entries.untrusted(text, where.path, _text(server))
    entry["events"] = events
    entry["missing"] = [hook.event for hook in setup.hooks() if hook.event not in events]
    entry["state"] = "partly" if entry["missing"] else "installed"
    rules = _text(own) if own else text if setup.table.shape != "plugin" else _text(server)
    entry["allowed"] = [command for command in ALLOWED if f"{PROGRAM} {command}" in rules]
    entry["server"] = server.path if _found(server, (*_server_keys(host), PROGRAM)) is not None else ""


def _plugin(entry: HostState) -> list[HostState]:
    """Return an entry for promptx-mem's plugin, if the host's user settings enable the plugin."""
    table = TABLES[entry["host"]]
    name, *keys = table.plugins or ("",)
    where = Target(entry["host"], _user_folder(table), name)
    plugins = _found(where, keys)
    named = plugins.items() if isinstance(plugins, dict) else ()
    if not any(name.startswith(f"{PROGRAM}@") and value not in (False, {"enabled": False}) for name, value in named):
        return []
    events = sorted(hook.event for hook in table.hooks if not hook.turns)
    trusted = entries.trusted_plugin(_text(where)) if table.asks_trust else events
    untrusted = [event for event in events if event not in trusted]
    return [{**entry, "path": where.path, "state": "plugin", "events": events, "untrusted": untrusted}]


def takes_turns(text: str, host: str) -> bool:
    """Return whether the user's settings say that conversations are saved, or the installed hooks save them."""
    with contextlib.suppress(ConfigError, StoreError):
        if settings.of("conversations").conversations:
            return True
    return any(hook.turns and hook.event in entries.present(text, host) for hook in TABLES[host].hooks)


def _setup(host: str, *, turns: bool) -> Setup:
    """Return the hooks to install. If the host uses a login shell, check whether that shell finds promptx-mem."""
    setup = Setup(host, turns, entries.program())
    by_path = bool(setup.program) and setup.table.login_shell and not entries.in_login_shell()
    return setup._replace(by_path=by_path)


def _advice(setup: Setup) -> list[str]:
    """Return messages about a login shell that does not find promptx-mem, and a setting that turns off all hooks."""
    host = setup.table.title
    places = dict.fromkeys((target(setup.host), Target(setup.host, _user_folder(setup.table), "settings.json")))
    off = [at.path for at in places if _found(at, ("disableAllHooks",)) is True]
    shell = (
        f"{host} runs commands in a login shell, which does not find {PROGRAM}, so hooks use its full path; "
        "pipx or `uv tool install` puts it there"
    )
    return [shell] * setup.by_path + [f"{host} runs no hooks: disableAllHooks is set in {path}" for path in off]


def _has_extra() -> bool:
    with contextlib.suppress(ModuleNotFoundError):
        return importlib.util.find_spec("mcp.server.lowlevel") is not None
    return False


def _text(where: Target) -> str:
    """Return the text of a settings file; '' if it cannot be read."""
    with contextlib.suppress(StoreError, ValueError):
        return _read(where)
    return ""


def _found(where: Target, keys: Iterable[str]) -> Any:
    """Return the value below nested keys of a settings file; None if there is none, or the file cannot be read."""
    text = _text(where)
    try:
        at: Any = tomllib.loads(text) if where.name.endswith(".toml") else entries.load(text)
    except (ValueError, RecursionError):
        return None
    for key in keys:
        at = at.get(key) if isinstance(at, dict) else None
    return at


def is_here(table: Table) -> bool:
    """Return whether a host is installed: its program is in PATH, or its settings folder exists."""
    return any(map(shutil.which, table.programs)) or os.path.isdir(_user_folder(table))


def _read(where: Target) -> str:
    try:
        data = files.load(where.place)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise StoreError(f"{where.path} cannot be read ({error.strerror})", code="settings") from None
    if len(data) > MAX_SETTINGS:
        raise ValueError("the file is too large for a settings file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("the file is not UTF-8") from None


def _write(where: Target, before: str, after: str) -> None:
    """Write a settings file, or remove it if `after` is empty. A link in the user's folder is followed."""
    place = where.place
    try:
        if not after:
            disk.unlink(place)
            folder = os.path.dirname(where.path)  # its empty parents go too, up to the host's settings folder
            while len(folder) >= len(where.folder) and not os.listdir(folder):
                os.rmdir(folder)
                folder = os.path.dirname(folder)
            return
        if isinstance(place, StorePath):
            for depth in range(1, len(place.names)):
                disk.make_directory(StorePath(place.root, place.names[:depth]), 0o755)
        else:
            os.makedirs(os.path.dirname(place), exist_ok=True)
        mode = stat.S_IMODE(attributes.st_mode) if before and (attributes := files.status(place)) else 0o644
        disk.replace(place, after.encode(), mode)
    except OSError as error:
        raise StoreError(f"{where.path} cannot be written ({error.strerror})", code="settings") from None


def _records() -> tuple[str, dict[str, Any]]:
    """Return the path and content of setup.json: the entries that `setup` added, except hooks, by settings file."""
    folder = state_folder()
    path = folder and os.path.join(folder, "setup.json")
    try:
        with open(path or "", encoding="utf-8") as file:
            data = json.load(file)
    except (OSError, ValueError, RecursionError):
        data = {}
    return path or "", data if isinstance(data, dict) else {}


def _record(at: Target, *, others: bool = False) -> tuple[Grant, ...]:
    """Return the entries that `setup` added to a settings file: for this project, or with `others`, for others."""
    own = _server_keys(at.host)
    try:
        found = [(tuple(keys), name, value) for keys, name, value in _records()[1].get(at.path, ())]
        return tuple(grant for grant in found if (grant[0][:1] == own[:1] and grant[0] != own) == others)
    except (TypeError, ValueError):
        return ()


def _note(at: Target, grants: Iterable[Grant]) -> None:
    """Record the entries that `setup` added to a settings file, since `--remove` removes only these."""
    grants = [*grants, *_record(at, others=True)]
    place, data = _records()
    data.pop(at.path, None)
    if grants:
        data[at.path] = grants
    try:
        if place and (grants or os.path.exists(place)):
            os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
            disk.replace(place, (json.dumps(data, indent=1) + "\n").encode(), 0o600)
    except OSError as error:
        raise StoreError(f"{place} cannot be written ({error.strerror})", code="settings") from None


def asks_user_about(option: str) -> bool:
    """Return whether the host of this session asks the user before a command with `option` runs.

    The host asks if `setup` has added a rule for the option, and the host's settings still contain the rule.
    """
    for host, table in TABLES.items():
        if not table.asks_for or HOSTS[host].is_in_another() or not any(map(os.environ.get, HOSTS[host].own)):
            continue
        where = target(host)
        there = _found(where, table.asks_for) or ()
        if any(keys == table.asks_for and option in name and name in there for keys, name, _ in _record(where)):
            return True
    return False


def _exclusion(where: Target, *, remove: bool = False) -> list[Edit]:
    """Return the change that makes git ignore a settings file of a project; with `remove`, the reverse."""
    top = repository.top_of(os.path.dirname(where.path)) if where.in_project else None
    name = os.path.relpath(os.path.realpath(where.path), os.path.realpath(top or os.sep))
    tracked = repository.listed(top, "--", name, seconds=_GIT_SECONDS) if top else None
    if top is None or tracked is None:
        return []
    if tracked and not remove:
        hint = f"to stop tracking it: git rm --cached {quote(where.path)}"
        message = f"git tracks {where.path}, so the next commit would contain the hooks"
        raise StoreError(message, hint=hint, code="settings")

    def change(text: str) -> str:
        if remove:
            return text.replace(f"{_MARK}/{name}\n", "")
        gap = "" if text[-1:] in ("", "\n") else "\n"
        return text if f"/{name}" in text.splitlines() else f"{text}{gap}{_MARK}/{name}\n"

    at = Target(where.host, os.path.join(repository.common_folder(top), "info"), "exclude")
    return [Edit(at, ["our entries" if remove else "settings ignored by git"], change, [])]
