"""ACTION is prompt, start or stop (what the host calls, an event on stdin), or install, uninstall, status.

install and uninstall show the difference first; --yes writes it.
"""

import json
import sys
from typing import Annotated

from promptx_mem.cli.options import Argument, Json, Option
from promptx_mem.core.text import printable_lines
from promptx_mem.errors import UsageError
from promptx_mem.hooks import run
from promptx_mem.hooks.report import Hook, Settings
from promptx_mem.result import Result

ACTIONS = (*run.ACTIONS, "install", "uninstall", "status")


def command(
    action: Annotated[str, Argument(metavar="ACTION", help=", ".join(ACTIONS) + ".")],
    host: Annotated[str, Argument(metavar="[HOST]", help="claude or gemini.")] = "claude",
    scope: Annotated[
        str, Option(help="project (shared), local (Claude Code: yours, in this project) or user.")
    ] = "project",
    yes: Annotated[bool, Option("--yes", "-y", help="Write the change without asking.")] = False,
    json: Json = False,
) -> Result[Hook]:
    if action not in ACTIONS:
        raise UsageError(f"no hook is called {action[:40]!r}", hint=f"one of {', '.join(ACTIONS)}")
    if action in run.ACTIONS:
        try:
            data = sys.stdin.buffer.read() if sys.stdin else b""
            return Result("hook", {"action": action, "answer": run.reply(action, data)})
        except Exception as error:  # noqa: BLE001 - a hook never stops the agent
            run.complain(action, error)
            return Result("hook", {"action": action, "answer": {}})
    from promptx_mem.hooks import install

    if action == "status":
        return install.status()
    where = install.target(host, scope)
    result = install.change(action, where, write=yes)
    if yes or json or not result.data["changed"] or not _asks():
        return result
    from typer import echo

    from promptx_mem.cli.question import confirmed

    echo(result.data["diff"], nl=False)
    if not confirmed(f"Write this to {where.path}?"):
        return result
    return install.change(action, where, write=True)


def _asks() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def as_text(data: Hook) -> str:
    if data["action"] == "status":
        return "".join(map(_entry, data["entries"]))
    if data["answer"] is not None:
        return json.dumps(data["answer"]) + "\n" if data["answer"] else ""
    path = printable_lines(data["path"])
    if not data["changed"]:
        return f"{path} has the hooks already\n" if data["action"] == "install" else f"{path} has no hooks of ours\n"
    diff = printable_lines(data["diff"])
    if data["written"]:
        return f"{diff}{_leaving(data)}written: {path}\n"
    again = f"promptx-mem hook {data['action']} {data['host']} --scope {data['scope']} --yes"
    return f"{diff}{_leaving(data)}nothing is written yet; to write it: {again}\n"


def _leaving(data: Hook) -> str:
    return "".join(f"out of date, so it goes: {printable_lines(one)}\n" for one in data["outdated"])


def _entry(entry: Settings) -> str:
    """A settings file, and below it the entries that `install` would not write any more."""
    line = f"{entry['host']:7} {entry['scope']:8} {entry['state']:11} {printable_lines(entry['path'])}\n"
    if not entry["outdated"]:
        return line
    old = "".join(f"  out of date: {printable_lines(one)}\n" for one in entry["outdated"])
    return f"{line}{old}  to renew it: promptx-mem hook install {entry['host']} --scope {entry['scope']} --yes\n"
