"""Reads a host's event of a tool call on stdin and answers in that host's format.

A tool call that writes to a store is denied; everything else passes.
"""

from promptx_mem.cli.options import Argument, Json
from promptx_mem.core.json_text import dumps
from promptx_mem.hooks import guard
from promptx_mem.hooks.hosts import HOSTS
from promptx_mem.record import Annotated, Any, TypedDict
from promptx_mem.result import Result


class Guard(TypedDict):
    """The answer of `guard`, in the host's own format; empty if the call passes."""

    answer: dict[str, Any] | None


def command(
    host: Annotated[str, Argument(metavar="[HOST]", help=", ".join(HOSTS) + ".")] = "",
    json: Json = False,
) -> Result[Guard]:
    return Result("guard", {"answer": guard.answer(host)})


def as_text(data: Guard) -> str:
    return dumps(data["answer"], space=" ") + "\n" if data["answer"] else ""


def is_verbatim(data: Guard) -> bool:
    """Return True: a host reads it."""
    return True
