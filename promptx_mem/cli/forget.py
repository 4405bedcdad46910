"""It stays in the file, hidden, and `restore` brings it back; with --purge nothing does."""

import sys
from typing import Annotated

from promptx_mem.cli.one_memory import line
from promptx_mem.cli.options import Argument, Json, MemoryDir, Option, Scope, Session
from promptx_mem.cli.output import elsewhere
from promptx_mem.core.text import shorten
from promptx_mem.errors import UsageError
from promptx_mem.memory import Memory
from promptx_mem.result import Result
from promptx_mem.usecases.change import Forget


def command(
    ident: Annotated[str, Argument(metavar="ID", help="Its id, or the beginning of it.")],
    reason: Annotated[str | None, Option(help="Why; kept in the journal.")] = None,
    purge: Annotated[bool, Option("--purge", help="Destroy the text in every file.")] = False,
    yes: Annotated[bool, Option("--yes", "-y", help="Do not ask before a purge.")] = False,
    scope: Scope = None,
    memory_dir: MemoryDir = None,
    session: Session = None,
    json: Json = False,
) -> Result[Forget]:
    memory = Memory.open(memory_dir, session, scope)
    if purge and not yes:
        _ask(memory.text_of(ident), yes=not json and sys.stdin is not None and sys.stdin.isatty())
    return memory.forget(ident, reason, purge=purge)


def _ask(memory: tuple[str, str], *, yes: bool) -> None:
    """Ask before a text is destroyed; where nobody can answer, --yes must say it."""
    ident, text = memory
    if not yes:
        raise UsageError(
            f"a purge destroys {ident} for good, and nobody is there to ask",
            code="not_confirmed",
            hint=f"to do it: promptx-mem forget {ident} --purge --yes",
        )
    from promptx_mem.cli.question import confirmed

    if not confirmed(f"Destroy {ident} for good: {shorten(text, 60)}?", err=True):
        raise UsageError("nothing was purged", code="not_confirmed")


def as_text(data: Forget) -> str:
    if data["end"] == "purged":
        where = ", ".join(data["files"]) or "no file any more"
        place = f"   in {folder}\n" if (folder := elsewhere(data["store"])) else ""
        return f"purged {data['id']}: its text was in {where}\n{place}"
    note = data["note"] or f"promptx-mem restore {data['id']} brings it back"
    return line("forgot", data, note)
