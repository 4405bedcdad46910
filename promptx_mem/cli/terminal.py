"""Output on a terminal in columns and colours, and questions to a person."""

import sys

from promptx_mem.cli.folding import spans
from promptx_mem.cli.output import fitted, write
from promptx_mem.core.text import printable_lines, shorten
from promptx_mem.errors import Refused
from promptx_mem.record import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_INDENT = 4
_WIDEST = 24


def word(value: object) -> str:
    """Return a value from a file as one short, printable word."""
    return "–" if value is None else shorten(str(value), _WIDEST)


def put(console: "Console", text: "Text | str", indent: int = _INDENT, *, commands: bool = True) -> None:
    """Draw lines. Long lines are wrapped with an indent, but a promptx-mem command stays on one line."""
    from rich.text import Text

    for line in (Text(text) if isinstance(text, str) else text).split("\n", allow_blank=True) or [Text()]:
        for start, end in spans(line.plain, console.width, indent, commands=commands):
            console.print(Text(" " * indent if start else "") + line[start:end], soft_wrap=True)


def _ask(way: str, question: str, **options: Any) -> Any:
    """Call typer's function `way` to ask a question. Raises KeyboardInterrupt for Ctrl-C or Ctrl-D."""
    import typer

    try:
        return getattr(typer, way)(question, **options)
    except typer.Abort:
        typer.echo(err=True)
        raise KeyboardInterrupt from None


def confirmed(question: str, *, err: bool = False) -> bool:
    """Ask a yes-or-no question, with the default no. Raises KeyboardInterrupt for Ctrl-C or Ctrl-D."""
    return bool(_ask("confirm", printable_lines(question), default=False, err=err))


def typed_name(question: str, name: str) -> bool:
    """Ask the person to type a store's name. Return whether it was typed. Raises KeyboardInterrupt for Ctrl-C."""
    answer = _ask("prompt", f"{question}\nType {name} to go on", default="", show_default=False, err=True)
    return str(answer).strip() == name


def demand_name(question: str, name: str, refusal: str) -> None:
    """Ask the person to type a store's name. Raises Refused for another text, and KeyboardInterrupt for Ctrl-C."""
    if not typed_name(question, name):
        raise Refused(refusal, code="not_confirmed")


def chosen(question: str, answers: tuple[str, ...]) -> str:
    """Ask for one of several answers; the last is the default. Raises KeyboardInterrupt for Ctrl-C or Ctrl-D."""
    asked = fitted(f"{printable_lines(question)} {', '.join(answers)} [{answers[-1]}]:", sys.stdout)
    while True:
        answer = str(_ask("prompt", asked, default=answers[-1], show_default=False, prompt_suffix=" ")).strip().lower()
        matches = [name for name in answers if answer and name.startswith(answer)]
        if len(matches) == 1:
            return matches[0]
        write(f"{shorten(answer, 40)!r} is not one of these answers; Ctrl-C ends\n")
