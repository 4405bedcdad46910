"""`review --list` shows what waits; `review ID keep|promote|delete` answers."""

from typing import Annotated

from promptx_mem.cli.options import Argument, Json, MemoryDir, Option, Session
from promptx_mem.errors import UsageError
from promptx_mem.memory import Memory
from promptx_mem.result import Result

ANSWERS = ("keep", "promote", "delete")


def command(
    ident: Annotated[str | None, Argument(metavar="ID", help="The memory.")] = None,
    answer: Annotated[str | None, Argument(help="keep, promote or delete.")] = None,
    listed: Annotated[bool, Option("--list", help="Show what waits for a decision (the default).")] = False,
    format_: Annotated[str, Option("--format", help="text, or prompt: what an agent needs to decide.")] = "text",
    memory_dir: MemoryDir = None,
    session: Session = None,
    json: Json = False,
) -> Result:
    if format_ not in ("text", "prompt"):
        raise UsageError(f"--format {format_!r} is not known", hint="text or prompt")
    memory = Memory.open(memory_dir, session)
    if ident is None:
        return memory.reviews(as_prompt=format_ == "prompt")
    if answer is None and ident in ANSWERS:
        raise UsageError("which memory is answered for is missing", hint="ids are shown by: promptx-mem review --list")
    if listed or answer is None:
        raise UsageError("an answer is missing", hint=f"promptx-mem review {ident} keep|promote|delete")
    return memory.review(ident, answer)
