"""`review --list` shows what waits; `review ID keep|promote|delete` answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptx_mem.errors import UsageError
from promptx_mem.memory import Memory
from promptx_mem.result import Result

if TYPE_CHECKING:  # typer reads the annotations, and only where a command line has options (cli/parser)
    from typing import Annotated

    import typer

    from promptx_mem.cli import options


def command(
    ident: Annotated[str | None, typer.Argument(metavar="ID", help="The memory.", show_default=False)] = None,
    answer: Annotated[str | None, typer.Argument(help="keep, promote or delete.", show_default=False)] = None,
    listed: Annotated[bool, typer.Option("--list", help="Show what waits for a decision (the default).")] = False,
    format_: Annotated[str, typer.Option("--format", help="text, or prompt: what an agent needs to decide.")] = "text",
    memory_dir: options.MemoryDir = None,
    session: options.Session = None,
    json: options.Json = False,
) -> Result:
    if format_ not in ("text", "prompt"):
        raise UsageError(f"--format {format_!r} is not known", hint="text or prompt")
    memory = Memory.open(memory_dir, session)
    if ident is None:
        return memory.reviews(as_prompt=format_ == "prompt")
    if listed or answer is None:
        raise UsageError("an answer is missing", hint=f"promptx-mem review {ident} keep|promote|delete")
    return memory.review(ident, answer)
