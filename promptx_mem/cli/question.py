"""A question to a person at the terminal."""

import sys

import typer

from promptx_mem.cli.output import fitted
from promptx_mem.core.text import printable_lines


def confirmed(question: str, *, err: bool = False) -> bool:
    """Ask yes or no, no unless said. Raises KeyboardInterrupt where Ctrl-C or Ctrl-D is the answer."""
    try:
        return typer.confirm(printable_lines(question), default=False, err=err)
    except typer.Abort:
        typer.echo(err=True)
        raise KeyboardInterrupt from None


def typed_name(question: str, name: str) -> bool:
    """Ask for a store's name and return whether it was typed. Raises KeyboardInterrupt as `confirmed` does."""
    try:
        answer: str = typer.prompt(f"{question}\nType {name} to go on", default="", show_default=False, err=True)
    except typer.Abort:
        typer.echo(err=True)
        raise KeyboardInterrupt from None
    return answer.strip() == name


def chosen(question: str, answers: tuple[str, ...]) -> str:
    """Ask for one of several answers, the last unless said. Raises KeyboardInterrupt as `confirmed` does."""
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
