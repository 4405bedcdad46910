"""HOST is a program that runs agents. Without HOST, shows every host's state.

setup writes only to files that are not committed: for Claude Code in this project and ~/.claude.json, for other hosts
in your home directory. At a terminal it asks before it writes; elsewhere it needs --yes.
"""

from functools import partial

from promptx_mem import session
from promptx_mem.cli.options import Argument, Json, Option
from promptx_mem.cli.output import Verbatim, local, rendered, write
from promptx_mem.core.text import printable, printable_lines
from promptx_mem.errors import Refused, UsageError
from promptx_mem.hooks import setup
from promptx_mem.hooks.entries import TABLES, UNTRUSTED
from promptx_mem.hooks.setup import HostState, SetupResult
from promptx_mem.record import Annotated, Any
from promptx_mem.result import Result
from promptx_mem.store import settings


def command(
    host: Annotated[str, Argument("Program: " + ", ".join(TABLES) + ".", metavar="[HOST]")] = "",
    remove: Annotated[bool, Option("Remove the entries that setup wrote.")] = False,
    conversations: Annotated[bool, Option("Also save the messages of sessions; this changes your settings.")] = False,
    diff: Annotated[bool, Option("Show all changes.")] = False,
    yes: Annotated[bool, Option("Change the files without asking.", "--yes", "-y")] = False,
    json: Json = False,
) -> Result[SetupResult]:
    if not host:
        if remove or conversations or diff or yes:
            hint = f"usage: promptx-mem setup {'--remove ' * remove}<host>\nallowed: {', '.join(TABLES)}"
            raise UsageError("HOST is missing", hint=hint)
        entries, warnings = setup.state()
        data: SetupResult = {"action": "state", "host": "", "title": "", "entries": entries}
        return Result("setup", data, warnings, exit_status=3 if warnings else 0)
    host = host.lower()
    command = f"promptx-mem setup {'--remove ' * remove}{host}{' --conversations' * conversations}"
    change = partial(_change, host, remove=remove, turns=conversations or None, diff=diff)
    held = "setup --remove" if remove else "setup --conversations" if conversations else ""
    held *= session.is_in_host()
    if yes and not held:
        return change(write=True)
    shown = change(write=False)
    can_ask = session.is_person()
    if not shown.data["files"] or (diff and not can_ask and not yes):
        return shown
    if held:
        session.demand_person(held, command)
    if json or not can_ask:
        hint = f"the user must run this in a terminal: {command}\nto skip the question: {command} --yes"
        message = "setup asks before it changes files: run it in a terminal, or add --yes"
        raise Refused(message, code="needs_person", hint=hint)
    from promptx_mem.cli.terminal import confirmed

    write(rendered(shown))
    if not confirmed("Change these files?"):
        raise Refused("nothing was changed", code="not_confirmed", hint=f"to see the changes: {command} --diff")
    result = change(write=True)
    return result._replace(data={**result.data, "files": []})


def _change(host: str, *, remove: bool, turns: bool | None, diff: bool, write: bool) -> Result[SetupResult]:
    """Return the changes of the host's settings, and of the user's settings with `turns`. With `write`, make them."""
    chosen = settings.choose_conversations(write=False) if turns and not remove else None
    result = setup.remove(host, write=write) if remove else setup.set_up(host, write=write, turns=turns)
    data = result.data
    files = data["files"]
    if chosen and not data["unread"]:
        settings.choose_conversations(write=write)
        files = [setup.change_of(chosen[0], ["conversations of all projects"], *chosen[1:]), *files]
    if remove and setup.takes_turns("", host):
        data["notes"].append(f"`conversations: true` stays in {settings.path()}: it is for all projects")
    files = [{**file, "diff": file["diff"] if diff else ""} for file in files]
    notes = [] if data["unread"] and not diff else data["notes"]
    return result._replace(data={**data, "files": files, "notes": notes, "written": write and bool(files)})


def as_text(data: SetupResult) -> str:
    if not data["host"]:
        return _state(data["entries"])
    lines = []
    for file in data["files"]:
        done, planned = ("deleted", "to delete") if file["removed"] else ("written", "to write")
        parts = "it contains only entries of promptx-mem" if file["removed"] else ", ".join(file["parts"])
        lines.append(local(f"{done if data['written'] else planned}: {file['path']}: {parts}"))
        lines += file["diff"].splitlines()
    if data["written"] or data["unread"]:
        lines += map(local, data["notes"])
    elif not data["files"]:
        has = "has no entries of promptx-mem" if data["action"] == "remove" else "is already set up"
        lines.append(local(f"{data['title']} {has}"))
    text = printable_lines("".join(f"{line}\n" for line in lines))
    return Verbatim(text) if data["unread"] or any(file["diff"] for file in data["files"]) else text


def _state(entries: list[HostState]) -> str:
    out, absentees = [], []
    for host, table in TABLES.items():
        have = [entry for entry in entries if entry["host"] == host]
        active = [entry for entry in have if entry["state"] != "none"]
        if active:
            out += [line for entry in active for line in described(entry)]
            if sum(bool(entry["events"]) for entry in active) > 1:
                twice = "  set up in more than one file, so memories can appear twice; to remove the hooks: "
                out.append(f"{twice}promptx-mem setup --remove {host} --yes")
        elif have[0]["is_here"]:
            out.append(f"{table.title}: not set up; to set it up: promptx-mem setup {host}")
        else:
            absentees.append(table.title)
    if absentees:
        out.append(f"not found on this machine: {', '.join(absentees)}; to set one up, usage: promptx-mem setup <host>")
    return local(printable_lines("".join(f"{line}\n" for line in out)))


def described(entry: HostState | dict[str, Any]) -> list[str]:
    """Return the lines about a settings file of a host."""
    parts = {
        "hooks": entry["events"],
        "permissions": entry["allowed"],
        "MCP server": [entry["server"]] if entry["server"] else [],
        "missing": entry["missing"],
        "hooks skipped until you trust them": entry["untrusted"],
    }
    lines = [f"{entry['title']}: {entry['state']}, {printable(entry['path'])}"]
    lines += [f"  {name}: {', '.join(values)}" for name, values in parts.items() if values]
    lines += [f"  {UNTRUSTED}"] if entry["untrusted"] else []
    lines += [f"  {entry['advice']}"] if entry["advice"] else []
    if entry["missing"]:
        lines.append(f"  to update it: promptx-mem setup {entry['host']} --yes")
    return lines
