"""Words that complete a line, as bash puts them into it: bash alone quotes nothing by itself."""

import contextlib
import io
import os
from collections.abc import Callable, Iterable
from typing import Any

import typer

from promptx_mem.core import shell

_QUOTES = ("'", '"')


def call(answer: Callable[[], Any]) -> Any:
    """Let typer answer, which ends with SystemExit, and put its words into quotes."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            return answer()
    finally:
        typer.echo("\n".join(quoted(printed.getvalue().split())))


def quoted(words: Iterable[str]) -> list[str]:
    """The words in quotes where they need some, but where the quote is open already."""
    typed = os.environ.get("COMP_WORDS", "").split("\n")
    place = os.environ.get("COMP_CWORD", "")
    last = typed[int(place)] if place.isdecimal() and int(place) < len(typed) else ""
    return list(words) if last.startswith(_QUOTES) else [shell.quote(word) for word in words]
