"""Lines and tables that fit the terminal they are drawn on: 40 columns are enough."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from promptx_mem.cli.folding import cells, spans
from promptx_mem.core.text import PROSE

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_COMMAND = "promptx-mem "
_INDENT = 4
_LEAST = 16
"""Cells of a last column below which a table is no help."""


def put(console: "Console", text: "Text | str", indent: int = _INDENT, *, commands: bool = True) -> None:
    """Draw lines; what does not fit goes below, further in. A command of ours stays in one line."""
    from rich.text import Text

    for line in (Text(text) if isinstance(text, str) else text).split("\n", allow_blank=True) or [Text()]:
        for start, end in spans(line.plain, console.width, indent, commands=commands):
            console.print(Text(" " * indent if start else "") + line[start:end], soft_wrap=True)


def put_text(console: "Console", text: str) -> None:
    """Draw lines; a command in one is pasted as a whole, so it goes below what stands before it, and is never cut."""
    from rich.cells import cell_len

    for line in text.splitlines():
        if line.startswith(PROSE):
            put(console, line.removeprefix(PROSE), commands=False)
            continue
        head, mark, command = line.partition(_COMMAND)
        if not mark or cell_len(line) <= console.width:
            put(console, line)
            continue
        if head.strip():
            put(console, head.rstrip())
        console.print(" " * _INDENT + mark + command, soft_wrap=True)


def put_table(console: "Console", rows: Sequence[tuple[str, ...]]) -> None:
    """Draw rows below a head in aligned columns, the last one cut; where that has no room, each row by itself."""
    from rich.cells import set_cell_size
    from rich.text import Text

    widths = [max(cells(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    room = console.width - sum(width + 2 for width in widths)
    if room < min(_LEAST, max(cells(row[-1]) for row in rows)):
        for row in rows[1:]:
            put(console, "  ".join([*map(_named, rows[0][:-1], row[:-1]), row[-1]]))
        return
    for number, row in enumerate(rows):
        line = Text("  ".join([*map(set_cell_size, row, widths), ""]), style="" if number else "dim")
        line.append(row[-1])
        line.truncate(console.width, overflow="ellipsis")
        console.print(line, soft_wrap=True)


def _named(column: str, value: str) -> str:
    """A number says little without the name of its column."""
    return f"{column} {value}" if value[:1].isdecimal() else value
