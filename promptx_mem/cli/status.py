"""Commands that describe the stores: status, tags."""

import os

from promptx_mem.cli.details import minute
from promptx_mem.cli.options import NONE_GIVEN, Common
from promptx_mem.cli.output import local
from promptx_mem.core.shell import USAGE, quote
from promptx_mem.core.text import plural, printable
from promptx_mem.core.topics import parse_path, tree
from promptx_mem.hooks.calls import LOOK_FILE
from promptx_mem.hooks.run import RUNS
from promptx_mem.places import SETTINGS, guard_folder, state_folder
from promptx_mem.record import Any, cast
from promptx_mem.result import Result
from promptx_mem.usecases.status import Limit, Status, StoreStatus, Tags, changed_at


def status_command(common: Common = NONE_GIVEN) -> Result[Status]:
    """Shows the stores in use here, their contents and limits, and whether hooks run."""
    from promptx_mem.hooks import setup

    result = common.memory().status()
    hooks, warnings = setup.state()
    entries = []
    for entry in hooks:
        runs = {"last_run": _last_run(entry["host"]), "last_error": _last_run(f"{entry['host']}.error")}
        entries.append({**entry, **runs})
    stores: list[StoreStatus] = [{**store, "last_guard": _last_guard(store["path"])} for store in result.data["stores"]]
    data: Status = {**result.data, "stores": stores, "hooks": entries}
    return result._replace(data=data, warnings=(*result.warnings, *warnings))


def status_as_text(data: Status) -> str:
    lines = [line for store in data["stores"] for line in _store(store)]
    there = "" if data["has_settings"] else " (missing: defaults apply)"
    why = f"{SETTINGS} is not an absolute path" if os.environ.get(SETTINGS) else "HOME is not set"
    lines.append(f"settings: {data['settings'] or f'none, because {why}'}{there}")
    lines.append(f"session: {printable(data['session'])}")
    return local("".join(f"{line}\n" for line in [*lines, *_hooks(cast("list[dict[str, Any]]", data["hooks"]))]))


def _last_guard(store: str) -> str | None:
    """Return when a guard last compared the files of a store; None if that is unknown."""
    folder = guard_folder(store)
    return folder and changed_at(os.path.join(folder, LOOK_FILE))


def _last_run(name: str) -> str | None:
    """Return the record of when a host's hooks last ran or last failed; None if there is none."""
    if not (folder := state_folder()):
        return None
    try:
        with open(os.path.join(folder, RUNS, name), encoding="utf-8", errors="replace") as file:
            return file.read().strip() or None
    except OSError:
        return None


def _store(store: StoreStatus) -> list[str]:
    head = f"{store['scope']} store: {printable(store['path'])}"
    if not store["exists"]:
        return [f"{head} (does not exist yet: the first remember creates it)"]
    own = "yours" if store["origin"] in ("private", "shared") else "not trusted on this machine"
    lines = [f"{head} ({own}, {'shared through git' if store['shared'] else 'private'})"]
    lines.append(f"  {plural(store['active'], 'active memory', 'active memories')}, {store['ended']} ended")
    lines += [f"  settings in config.yaml: {printable('; '.join(store['config']))}"] if store["config"] else []
    if store["reviews"]:
        lines.append(f"  {plural(store['reviews'], 'pending review')}: promptx-mem review --list")
    lines.append(f"  {', '.join(map(_limit, store['limits']))}")
    if counts := _counts(store["verdicts"]):
        lines.append(f"  in the audit log: {counts}")
    blocked = ((printable(name), quote(name)) for name in store["blocked"])
    lines += (f"  blocked session: {name}; to unblock it: promptx-mem audit --allow {word}" for name, word in blocked)
    if injected := _counts(store["injected"]):
        lines.append(f"  injected by hooks in 30 days: {injected}; to list them: promptx-mem audit --given")
    if space := store["sync"]:
        lines.append(f"  connected to {printable(space['space'])}, last sync: {minute(space['at']) or 'never'}")
    lines += [f"  guard last ran: {minute(at)}"] if (at := store["last_guard"]) else []
    return [*lines, f"  last decay: {minute(store['last_decay']) or 'never'}"]


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{printable(name)} {count}" for name, count in counts.items())


def _limit(limit: Limit) -> str:
    used, most = (
        f"{number:,}"
        if limit["unit"] != "bytes"
        else f"{number / 1e6:.1f} MB"
        if number >= 1e6
        else f"{number / 1e3:.1f} KB"
        for number in (limit["used"], limit["limit"])
    )
    return f"{limit['name']} {used} of {most}"


def _hooks(entries: list[dict[str, Any]]) -> list[str]:
    from promptx_mem.cli.setup import described

    lines = []
    for entry in entries:
        if entry["state"] != "none":
            run, error = (printable(entry[name] or "").replace("T", " ", 1) for name in ("last_run", "last_error"))
            at, _, hook = run.rpartition(" ")
            lines += [*described(entry), f"  last run: {at} ({hook})" if at else "  last run: never"]
            lines += [f"  last error: {error}"] if error else []
    have = {entry["title"] for entry in entries if entry["state"] != "none"}
    rest = [title for title in dict.fromkeys(entry["title"] for entry in entries) if title not in have]
    return [*lines, f"hooks not installed: {', '.join(rest)}"] if rest else lines


def tags_command(common: Common = NONE_GIVEN) -> Result[Tags]:
    """Lists the tags by number of active memories, then the topics."""
    return common.memory().tags()._replace(cut="tags")


def tags_as_text(data: Tags) -> str:
    if not data["tags"] and not data["topics"]:
        return local(f"no memory has a tag or a topic; to store one, {USAGE}\n")
    width = max((len(str(tag["count"])) for tag in data["tags"]), default=0)
    lines = [f"{tag['count']:>{width}}  #{printable(tag['tag'])}\n" for tag in data["tags"]]
    topics = tree({parse_path(topic["path"]): topic["count"] for topic in data["topics"]})
    return "".join(lines) + (f"\n{topics}" if topics else "")
