"""A question to a person at the terminal."""

import typer


def confirmed(question: str, *, err: bool = False) -> bool:
    """Ask yes or no, no unless said. Raises KeyboardInterrupt where Ctrl-C or Ctrl-D is the answer."""
    try:
        return typer.confirm(question, default=False, err=err)
    except typer.Abort:
        typer.echo(err=True)
        raise KeyboardInterrupt from None
