"""FILE is a declarative.md of PromptX, or any Markdown with a bullet a memory. It is only read."""

from typing import Annotated

from promptx_mem.cli.options import Argument, DryRun, Json, MemoryDir, Option, Session
from promptx_mem.memory import Memory
from promptx_mem.result import Result


def command(
    file: Annotated[list[str], Argument(metavar="FILE...", help="One file or more.")],
    allow_secret: Annotated[bool, Option("--allow-secret", help="Take memories that hold a credential.")] = False,
    dry_run: DryRun = False,
    memory_dir: MemoryDir = None,
    session: Session = None,
    json: Json = False,
) -> Result:
    memory = Memory.open(memory_dir, session)
    return memory.import_files(file, dry_run=dry_run, allow_secret=allow_secret)
