"""Hosts call it with an event on stdin; ACTION is prompt, start, stop, compact or end."""

import sys

from promptx_mem.cli.options import Argument, Json
from promptx_mem.core.json_text import dumps
from promptx_mem.errors import UsageError
from promptx_mem.hooks import run
from promptx_mem.hooks.hosts import HOSTS
from promptx_mem.record import Annotated, Any, TypedDict
from promptx_mem.result import Result


class Hook(TypedDict, total=False):
    """The answer to a host's event."""

    action: str
    answer: dict[str, Any] | None


def command(
    action: Annotated[str, Argument(metavar="ACTION", help=", ".join(run.ACTIONS) + ".")],
    host: Annotated[str, Argument(metavar="[HOST]", help=", ".join(HOSTS) + ".")] = "",
    json: Json = False,
) -> Result[Hook]:
    if action not in run.ACTIONS:
        raise UsageError(f"no hook is called {action[:40]!r}", hint=f"one of {', '.join(run.ACTIONS)}")
    try:
        data = sys.stdin.buffer.read() if sys.stdin else b""
        return Result("hook", {"action": action, "answer": run.reply(action, data, host)})
    except Exception as error:  # noqa: BLE001 - a hook never stops the agent
        run.complain(action, error)
        return Result("hook", {"action": action, "answer": {}})


def as_text(data: Hook) -> str:
    return dumps(data["answer"], space=" ") + "\n" if data["answer"] else ""


def is_verbatim(data: Hook) -> bool:
    """Return True: a host reads an answer."""
    return True
