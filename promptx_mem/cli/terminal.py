"""Output on a terminal in columns and colours, and questions to a person."""

import contextlib
import sys

from promptx_mem.cli.folding import spans
from promptx_mem.cli.output import fitted
from promptx_mem.core.text import printable_lines, shorten
from promptx_mem.errors import Refused
from promptx_mem.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from rich.console import Console
    from rich.text import Text

_WIDEST = 24


def word(value: object) -> str:
    """Return a value from a file as one short, printable word."""
    return "–" if value is None else shorten(str(value), _WIDEST)


_INDENT = 4


def put(console: "Console", text: "Text | str", indent: int = _INDENT, *, commands: bool = True) -> None:
    """Draw lines. Long lines are wrapped with an indent, but a promptx-mem command stays on one line."""
    from rich.text import Text

    for line in (Text(text) if isinstance(text, str) else text).split("\n", allow_blank=True) or [Text()]:
        for start, end in spans(line.plain, console.width, indent, commands=commands):
            console.print(Text(" " * indent if start else "") + line[start:end], soft_wrap=True)


@contextlib.contextmanager
def _asking() -> "Iterator[ModuleType]":
    """Yield typer, which asks questions. Raises KeyboardInterrupt for Ctrl-C or Ctrl-D."""
    import typer

    try:
        yield typer
    except typer.Abort:
        typer.echo(err=True)
        raise KeyboardInterrupt from None


def confirmed(question: str, *, err: bool = False) -> bool:
    """Ask a yes-or-no question, with the default no. Raises KeyboardInterrupt for Ctrl-C or Ctrl-D."""
    with _asking() as typer:
        return bool(typer.confirm(printable_lines(question), default=False, err=err))


def typed_name(question: str, name: str) -> bool:
    """Ask the person to type a store's name. Return whether it was typed. Raises KeyboardInterrupt for Ctrl-C."""
    with _asking() as typer:
        answer = typer.prompt(f"{question}\nType {name} to go on", default="", show_default=False, err=True)
    return str(answer).strip() == name


def demand_name(question: str, name: str, refusal: str) -> None:
    """Ask the person to type a store's name. Raises Refused for another text, and KeyboardInterrupt for Ctrl-C."""
    if not typed_name(question, name):
        raise Refused(refusal, code="not_confirmed")


def chosen(question: str, answers: tuple[str, ...]) -> str:
    """Ask for one of several answers; the last is the default. Raises KeyboardInterrupt for Ctrl-C or Ctrl-D."""
    asked = fitted(f"{printable_lines(question)} {', '.join(answers)} [{answers[-1]}]:", sys.stdout)
    while True:
        with _asking() as typer:
            answer = str(typer.prompt(asked, default=answers[-1], show_default=False, prompt_suffix=" "))
        matches = [name for name in answers if answer.strip() and name.startswith(answer.strip().lower())]
        if len(matches) == 1:
            return matches[0]
