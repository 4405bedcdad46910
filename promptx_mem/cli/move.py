"""It is stored there first, with what happened to it; then it ends here."""

from typing import Annotated

from promptx_mem.cli.options import Argument, Json, MemoryDir, Option, Session
from promptx_mem.cli.output import LABEL, place
from promptx_mem.core.shell import quote
from promptx_mem.core.text import shorten
from promptx_mem.errors import UsageError
from promptx_mem.memory import Memory
from promptx_mem.result import Result
from promptx_mem.usecases.move import Move


def command(
    ident: Annotated[str, Argument(metavar="ID", help="Its id, or the beginning of it.")],
    user: Annotated[bool, Option("--user", help="From the project's store to your own.")] = False,
    project: Annotated[bool, Option("--project", help="From your own store to the project's.")] = False,
    memory_dir: MemoryDir = None,
    session: Session = None,
    json: Json = False,
) -> Result[Move]:
    if user == project:
        one = f"promptx-mem move {quote(shorten(ident, 20))}"
        raise UsageError(
            "one place to move it to is wanted" if user else "where to is missing",
            hint=f"to your own store: {one} --user\nto the project's: {one} --project",
        )
    return Memory.open_pair(memory_dir, session).move(ident, to_user=user)


def as_text(data: Move) -> str:
    note = f"   {data['note']}\n" if data["note"] else ""
    there = place(data["store"], data["made_store"])
    return f"🧠 moved {shorten(data['text'], LABEL)}  {data['id']}  to {there}\n{note}"
