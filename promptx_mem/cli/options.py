"""Options that several commands share."""

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="One JSON object on stdout, also on failure.")]
MemoryDir = Annotated[str | None, typer.Option("--memory-dir", metavar="DIR", help="The store to use.")]
Session = Annotated[str | None, typer.Option("--session", metavar="NAME", help="The session this belongs to.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would happen; write nothing.")]
