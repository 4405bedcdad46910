"""The terminal: columns, colours and questions."""

import sys
from collections.abc import Sequence

from promptx_mem.cli.folding import cells, spans
from promptx_mem.cli.output import fitted
from promptx_mem.core.text import PROSE, printable_lines, shorten
from promptx_mem.record import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

Line = tuple[str, list[tuple[str, str]]]
"""A line, and the colours of its parts."""

_WIDEST = 24


def word(value: object) -> str:
    """Return a value from a file as one short, printable word."""
    return "–" if value is None else shorten(str(value), _WIDEST)


_COMMAND = "promptx-mem "
_INDENT = 4
_LEAST = 16
"""Minimum width of the last column of a table."""


def put(console: "Console", text: "Text | str", indent: int = _INDENT, *, commands: bool = True) -> None:
    """Draw lines; wrap long ones with an indent. A command of ours stays on one line."""
    from rich.text import Text

    for line in (Text(text) if isinstance(text, str) else text).split("\n", allow_blank=True) or [Text()]:
        for start, end in spans(line.plain, console.width, indent, commands=commands):
            console.print(Text(" " * indent if start else "") + line[start:end], soft_wrap=True)


def put_text(console: "Console", text: str) -> None:
    """Draw lines; a command in one gets its own line, so that it can be pasted."""
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
    """Draw rows below a head in aligned columns, the last one cut; without room, one block per row."""
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
    """Return a cell with the name of its column."""
    return f"{column} {value}" if value[:1].isdecimal() else value


def confirmed(question: str, *, err: bool = False) -> bool:
    """Ask a yes-or-no question, no by default. Raises KeyboardInterrupt for Ctrl-C or Ctrl-D."""
    import typer

    try:
        return typer.confirm(printable_lines(question), default=False, err=err)
    except typer.Abort:
        typer.echo(err=True)
        raise KeyboardInterrupt from None


def typed_name(question: str, name: str) -> bool:
    """Ask for a store's name and return whether it was typed. Raises KeyboardInterrupt as `confirmed` does."""
    import typer

    try:
        answer: str = typer.prompt(f"{question}\nType {name} to go on", default="", show_default=False, err=True)
    except typer.Abort:
        typer.echo(err=True)
        raise KeyboardInterrupt from None
    return answer.strip() == name


def chosen(question: str, answers: tuple[str, ...]) -> str:
    """Ask for one of several answers, the last by default. Raises KeyboardInterrupt as `confirmed` does."""
    import typer

    asked = fitted(f"{printable_lines(question)} {', '.join(answers)} [{answers[-1]}]:", sys.stdout)
    while True:
        try:
            answer: str = typer.prompt(asked, default=answers[-1], show_default=False, prompt_suffix=" ")
        except typer.Abort:
            typer.echo(err=True)
            raise KeyboardInterrupt from None
        matches = [name for name in answers if answer.strip() and name.startswith(answer.strip().lower())]
        if len(matches) == 1:
            return matches[0]
