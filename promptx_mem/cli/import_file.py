"""FILE is a declarative.md of PromptX, or any Markdown with a bullet a memory. It is only read."""

from typing import Annotated

import typer

from promptx_mem.cli import options
from promptx_mem.memory import Memory
from promptx_mem.result import Result


def command(
    ctx: typer.Context,
    file: Annotated[list[str], typer.Argument(metavar="FILE...", help="One file or more.", show_default=False)],
    allow_secret: Annotated[bool, typer.Option("--allow-secret", help="Take memories that hold a credential.")] = False,
    dry_run: options.DryRun = False,
    memory_dir: options.MemoryDir = None,
    session: options.Session = None,
    json: options.Json = False,
) -> Result:
    memory = Memory.open(options.memory_dir(ctx, memory_dir), session)
    return memory.import_files(file, dry_run=dry_run, allow_secret=allow_secret)
