"""Hosts call it with an event on stdin; ACTION is prompt, start, stop, compact or end.

`dictionary` makes the lookup file by which prompt finds memories in the other language, of the extra
promptx-mem[dictionary].
"""

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from promptx_mem.cli.options import Argument, Json
from promptx_mem.core.text import printable_lines
from promptx_mem.errors import UsageError
from promptx_mem.hooks import run
from promptx_mem.hooks.hosts import HOSTS
from promptx_mem.result import Result

if TYPE_CHECKING:
    from promptx_mem.usecases.dictionary import Lookup

ACTIONS = (*run.ACTIONS, "dictionary")


class Hook(TypedDict, total=False):
    """The answer to a host's event, or the state of the dictionary."""

    action: str
    answer: dict[str, Any] | None
    dictionary: "Lookup | None"


def command(
    action: Annotated[str, Argument(metavar="ACTION", help=", ".join(ACTIONS) + ".")],
    host: Annotated[str, Argument(metavar="[HOST]", help=", ".join(HOSTS) + ".")] = "",
    json: Json = False,
) -> Result[Hook]:
    if action not in ACTIONS:
        raise UsageError(f"no hook is called {action[:40]!r}", hint=f"one of {', '.join(ACTIONS)}")
    if action == "dictionary":
        from promptx_mem.usecases import dictionary

        return Result("hook", {"action": action, "dictionary": dictionary.make()})
    try:
        data = sys.stdin.buffer.read() if sys.stdin else b""
        return Result("hook", {"action": action, "answer": run.reply(action, data, host)})
    except Exception as error:  # noqa: BLE001 - a hook never stops the agent
        run.complain(action, error)
        return Result("hook", {"action": action, "answer": {}})


def as_text(data: Hook) -> str:
    if stands := data["dictionary"]:
        return f"dictionary: {stands['state']}, {printable_lines(stands['path'])}\n"
    return json.dumps(data["answer"]) + "\n" if data["answer"] else ""


def is_verbatim(data: Hook) -> bool:
    """A host reads an answer."""
    return True
