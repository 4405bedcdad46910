"""It stays in the file, hidden, and `restore` brings it back; with --purge nothing does."""

import sys
from typing import Annotated

from promptx_mem.cli.one_memory import line
from promptx_mem.cli.options import Argument, Json, MemoryDir, Option, Scope, Session
from promptx_mem.cli.output import elsewhere
from promptx_mem.core.shell import quote
from promptx_mem.core.text import plural, shorten
from promptx_mem.errors import UsageError
from promptx_mem.memory import Memory
from promptx_mem.result import Result
from promptx_mem.usecases.change import Forget

_EXAMPLES = "ids are shown by: promptx-mem recall\nor a day: promptx-mem forget --conversation yesterday"


def command(
    ident: Annotated[str | None, Argument(metavar="ID", help="Its id, or the beginning of it.")] = None,
    conversation: Annotated[
        str | None, Option(metavar="UNIT|DATE", help="What was said instead: a conversation, or a day.")
    ] = None,
    reason: Annotated[str | None, Option(help="Why; kept in the journal.")] = None,
    purge: Annotated[bool, Option("--purge", help="Destroy the text in every file.")] = False,
    yes: Annotated[bool, Option("--yes", "-y", help="Do not ask before a purge.")] = False,
    scope: Scope = None,
    memory_dir: MemoryDir = None,
    session: Session = None,
    json: Json = False,
) -> Result[Forget]:
    if (ident is None) == (conversation is None):
        raise UsageError("one ID, or --conversation, says what is to be forgotten", hint=_EXAMPLES)
    memory = Memory.open(memory_dir, session, scope)
    can_ask = not json and sys.stdin is not None and sys.stdin.isatty()
    if ident is not None:
        if purge and not yes:
            full, text = memory.text_of(ident)
            _ask(full, full, f": {shorten(text, 60)}", can_ask=can_ask)
        return memory.forget(ident, reason, purge=purge)
    assert conversation is not None
    if purge and reason is not None:
        raise UsageError("no reason is kept of a conversation that is purged", hint="leave --reason out")
    if purge and not yes:
        _ask(f"--conversation {quote(conversation)}", f"what was said ({conversation})", "", can_ask=can_ask)
    return memory.forget_conversation(conversation, reason, purge=purge)


def _ask(named: str, what: str, text: str, *, can_ask: bool) -> None:
    """Ask before a text is destroyed; where nobody can answer, --yes must say it. `named` is what the command takes."""
    if not can_ask:
        raise UsageError(
            f"a purge destroys {what} for good, and nobody is there to ask",
            code="not_confirmed",
            hint=f"to do it: promptx-mem forget {named} --purge --yes",
        )
    from promptx_mem.cli.question import confirmed

    if not confirmed(f"Destroy {what} for good{text}?", err=True):
        raise UsageError("nothing was purged", code="not_confirmed")


def as_text(data: Forget) -> str:
    if data["conversations"]:
        talks = f"{plural(len(data['conversations']), 'conversation')} ({plural(data['messages'], 'message')})"
        place = f"\n   in {folder}" if (folder := elsewhere(data["store"])) else ""
        if data["end"] == "purged":
            return f"purged {talks}: no transcript brings it back{place}\n"
        return f"forgot {talks}; promptx-mem restore ID brings a part back: {', '.join(data['ids'])}{place}\n"
    if data["end"] == "purged":
        where = ", ".join(data["files"]) or "no file any more"
        place = f"   in {folder}\n" if (folder := elsewhere(data["store"])) else ""
        return f"purged {data['id']}: its text was in {where}\n{place}"
    note = data["note"] or f"promptx-mem restore {data['id']} brings it back"
    return line("forgot", data, note)
