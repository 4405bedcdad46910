"""It stays in the file, hidden, and `restore` brings it back; with --purge nothing does."""

import sys
from typing import Annotated

import typer

from promptx_mem.cli import options
from promptx_mem.errors import UsageError
from promptx_mem.memory import Memory
from promptx_mem.result import Result


def command(
    ctx: typer.Context,
    ident: Annotated[str, typer.Argument(metavar="ID", help="Its id, or the beginning of it.", show_default=False)],
    reason: Annotated[str | None, typer.Option(help="Why; kept in the journal.")] = None,
    purge: Annotated[bool, typer.Option("--purge", help="Destroy the text in every file.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before a purge.")] = False,
    memory_dir: options.MemoryDir = None,
    session: options.Session = None,
    json: options.Json = False,
) -> Result:
    if purge and not yes and not json and sys.stdin is not None and sys.stdin.isatty():
        answer = typer.prompt(f"Destroy {ident} for good? Its id again", default="", show_default=False, err=True)
        if answer.strip() != ident.strip():
            raise UsageError("nothing was purged: the id was not repeated")
    return Memory.open(options.memory_dir(ctx, memory_dir), session).forget(ident, reason, purge=purge)
