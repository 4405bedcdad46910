"""ACTION is install, uninstall, status or dictionary, or what hosts call, an event on stdin.

Those are prompt, start, stop, compact and end. install and uninstall show the difference first; --yes writes it.
Without --scope they take the file that is not committed. dictionary makes the lookup file by which prompt finds what
is written in the other language, of the extra promptx-mem[dictionary]; so does install.
"""

import json
import sys
from typing import TYPE_CHECKING, Annotated

from promptx_mem.cli.options import Argument, Json, Option
from promptx_mem.core.text import printable_lines
from promptx_mem.errors import UsageError
from promptx_mem.hooks import run
from promptx_mem.hooks.hosts import HOSTS, PLUGIN, UNTRUSTED
from promptx_mem.hooks.report import Hook, Settings
from promptx_mem.result import Result

if TYPE_CHECKING:
    from rich.console import Console

    from promptx_mem.usecases.dictionary import Lookup

ACTIONS = (*run.ACTIONS, "install", "uninstall", "status", "dictionary")


def command(
    action: Annotated[str, Argument(metavar="ACTION", help=", ".join(ACTIONS) + ".")],
    host: Annotated[str, Argument(metavar="[HOST]", help=", ".join(HOSTS) + ".")] = "",
    scope: Annotated[
        str | None,
        Option(help="local (yours, in this project: Claude Code), user (yours, everywhere) or project (committed)."),
    ] = None,
    conversations: Annotated[
        bool, Option("--conversations", help="Also keep what is said in sessions, in the store's conversations/.")
    ] = False,
    yes: Annotated[bool, Option("--yes", "-y", help="Write the change without asking.")] = False,
    json: Json = False,
) -> Result[Hook]:
    if action not in ACTIONS:
        raise UsageError(f"no hook is called {action[:40]!r}", hint=f"one of {', '.join(ACTIONS)}")
    if action in run.ACTIONS:
        try:
            data = sys.stdin.buffer.read() if sys.stdin else b""
            return Result("hook", {"action": action, "answer": run.reply(action, data, host)})
        except Exception as error:  # noqa: BLE001 - a hook never stops the agent
            run.complain(action, error)
            return Result("hook", {"action": action, "answer": {}})
    from promptx_mem.hooks import install

    if action in ("status", "dictionary"):
        return install.status() if action == "status" else install.make_dictionary()
    where = install.target(host or "claude", scope or "")
    turns = conversations or None
    result = install.change(action, where, write=yes, turns=turns)
    if turns and action == "install" and yes:
        install.choose_turns()
    if yes or json or not result.data["changed"] or not _asks():
        return result
    from typer import echo

    from promptx_mem.cli.question import confirmed

    echo(printable_lines(result.data["diff"]), nl=False)
    if not confirmed(f"Write this to {where.path}?"):
        return result
    if turns and action == "install":
        install.choose_turns()
    return install.change(action, where, write=True, turns=turns)


def _asks() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def as_text(data: Hook) -> str:
    if data["action"] == "dictionary":
        return _dictionary(data["dictionary"])
    if data["action"] == "status":
        return _status(data["entries"]) + _dictionary(data["dictionary"])
    if data["answer"] is not None:
        return json.dumps(data["answer"]) + "\n" if data["answer"] else ""
    path = printable_lines(data["path"])
    if not data["changed"]:
        return f"{path} has the hooks already\n" if data["action"] == "install" else f"{path} has no hooks of ours\n"
    diff = printable_lines(data["diff"])
    if data["written"]:
        done = f"deleted, since nothing else was in it: {path}" if data["removed"] else f"written: {path}"
        return f"{diff}{_leaving(data)}{done}\n" + (f"{data['note']}\n" if data["note"] else "")
    again = f"promptx-mem hook {data['action']} {data['host']} --scope {data['scope']} --yes"
    return f"{diff}{_leaving(data)}nothing is written yet; to write it: {again}\n"


def draw(data: Hook, console: "Console") -> None:
    """Draw what fits the terminal."""
    from promptx_mem.cli.columns import put_text

    if data["action"] != "status":
        console.out(as_text(data), end="", highlight=False)
    else:
        put_text(console, as_text(data))


def _leaving(data: Hook) -> str:
    return "".join(f"out of date, so it goes: {printable_lines(command)}\n" for command in data["outdated"])


def _status(entries: list[Settings]) -> str:
    """What each host that is here has; a line for those that are not."""
    out, absentees = [], []
    for host, table in HOSTS.items():
        have = [entry for entry in entries if entry["host"] == host]
        spare = _spare(have)
        if lines := [_entry(entry, is_spare=entry in spare) for entry in have if entry["state"] != "none"]:
            out += lines
        elif have[0]["is_here"]:
            out.append(f"{table.title}: no hooks of ours; to put them in: promptx-mem hook install {host}\n")
        else:
            absentees.append(table.title)
    if absentees:
        out.append(f"not seen here: {', '.join(absentees)}\n")
    return "".join(out)


def _dictionary(stands: "Lookup | None") -> str:
    """By what `prompt` finds what is written in the other language."""
    if stands is None:
        return ""
    line = f"dictionary: {stands['state']}"
    if stands["state"] != "none":
        line += f", {printable_lines(stands['path'])}"
    if stands["state"] == "ready":
        return f"{line}\n"
    if not stands["extra"]:
        return f"{line} (the extra promptx-mem[dictionary] is not installed)\n"
    return f"{line}\n  to make it: promptx-mem hook dictionary\n"


def _spare(have: list[Settings]) -> list[Settings]:
    """The places whose hooks another one has too: all but the plugin, or but the first of them."""
    active = [entry for entry in have if entry["events"]]
    kept = next((entry for entry in active if entry["scope"] == PLUGIN), active[0] if active else None)
    return [entry for entry in active if entry is not kept]


def _entry(entry: Settings, *, is_spare: bool) -> str:
    """A settings file, and below it what `install` would change; `is_spare`: its hooks stand in another place too."""
    line = f"{entry['title']}, {entry['scope']}: {entry['state']}, {printable_lines(entry['path'])}\n"
    if entry["events"]:
        line += f"  at {', '.join(entry['events'])}\n"
    if entry["missing"]:
        line += f"  missing: {', '.join(entry['missing'])}\n"
    line += "".join(f"  out of date: {printable_lines(command)}\n" for command in entry["outdated"])
    if entry["untrusted"]:
        line += f"  not trusted yet, so skipped: {', '.join(entry['untrusted'])}\n  {UNTRUSTED}\n"
    if entry["advice"]:
        line += f"  {entry['advice']}\n"
    if is_spare:
        again = f"promptx-mem hook uninstall {entry['host']} --scope {entry['scope']} --yes"
        line += f"  another place has them too, so everything may come twice; to take these out: {again}\n"
    if entry["missing"] or entry["outdated"]:
        line += f"  to renew it: promptx-mem hook install {entry['host']} --scope {entry['scope']} --yes\n"
    return line


def is_verbatim(data: Hook) -> bool:
    """A host reads an answer, and a difference is shown as it is."""
    return data["action"] != "status"
