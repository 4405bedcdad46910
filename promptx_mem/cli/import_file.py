"""FILE is a declarative.md of PromptX, or any Markdown with a bullet a memory. It is only read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptx_mem.memory import Memory
from promptx_mem.result import Result

if TYPE_CHECKING:  # typer reads the annotations, and only where a command line has options (cli/parser)
    from typing import Annotated

    import typer

    from promptx_mem.cli import options


def command(
    file: Annotated[list[str], typer.Argument(metavar="FILE...", help="One file or more.", show_default=False)],
    allow_secret: Annotated[bool, typer.Option("--allow-secret", help="Take memories that hold a credential.")] = False,
    dry_run: options.DryRun = False,
    memory_dir: options.MemoryDir = None,
    session: options.Session = None,
    json: options.Json = False,
) -> Result:
    memory = Memory.open(memory_dir, session)
    return memory.import_files(file, dry_run=dry_run, allow_secret=allow_secret)
