"""Errors of the command line: the option or command that was probably meant, and bugs."""

import os
from collections.abc import Iterable

from promptx_mem.cli.commands import COMMANDS
from promptx_mem.errors import PromptxMemError, UsageError

PROGRAM = "promptx-mem"
_OTHERS = {
    "add": "remember", "save": "remember", "store": "remember", "search": "recall", "find": "recall",
    "delete": "forget", "remove": "forget", "help": "--help", "version": "--version",
    "limit": "-n", "importance": "--score",
}  # fmt: skip
"""Names in other programs, each with our command or option."""

_OF_TEXT = ("remember", "recall")


def error(message: str, command: str = "", guess: str = "") -> UsageError:
    """Return the error of a wrong command line. Its hint has a guess, and the command that prints help."""
    return UsageError(message, hint=f"{guess}for help: {' '.join(filter(None, (PROGRAM, command)))} --help")


def no_such_command(word: str) -> UsageError:
    """Return the error of an unknown command, with the command that was probably meant."""
    near = _near(word, (*COMMANDS, "--help", "--version"), 0.6)
    guess = f"did you mean {near}? " if near else ""
    return error(f"no such command {word!r}", near if near in COMMANDS else "", guess)


def no_such_option(word: str, command: str, options: Iterable[str]) -> UsageError:
    """Return the error of an unknown option of a command, with the option that was probably meant."""
    name, _, value = word.partition("=")
    if near := f"{name} {value}" if name in options else _near(name, options, 0.82):
        guess = f"did you mean {near}? "
    else:
        guess = "text that begins with - goes after --; " if command in _OF_TEXT else ""
    return error(f"no such option: {name if word.startswith('--') else word}", command, guess)


def _near(word: str, known: Iterable[str], likeness: float) -> str:
    """Return the most similar of the `known` names, or our name for a similar name of another program; '' for none."""
    import difflib

    dashes = "--" if word.startswith("-") else ""
    names = {name: name for name in known}
    names |= {dashes + other: ours for other, ours in _OTHERS.items() if ours in names}
    return next((names[near] for near in difflib.get_close_matches(word.replace("_", "-"), names, 1, likeness)), "")


DEBUG = "PROMPTX_MEM_DEBUG"
"""Environment variable. If it is set, the traceback of a bug is shown."""


def explained(error: Exception) -> PromptxMemError:
    """Return any exception as an error that can be shown."""
    if isinstance(error, PromptxMemError):
        return error
    if not isinstance(error, OSError):
        return _fault(error)
    from promptx_mem.store.disk import disk_errors

    try:
        with disk_errors():
            raise error
    except PromptxMemError as known:
        return known


def _fault(error: Exception) -> PromptxMemError:
    """Return an unexpected exception as an error with the code `internal`. Raise it again if DEBUG is set."""
    if DEBUG in os.environ:
        raise error
    message = " ".join(f"{type(error).__name__}: {error}".split())[:500]
    return PromptxMemError(
        f"this is a bug in promptx-mem, please report it ({message})",
        code="internal",
        hint=f"to see a traceback, put {DEBUG}=1 before the command",
    )
