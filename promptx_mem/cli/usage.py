"""Errors of the command line: the option or command that was probably meant, and bugs."""

import os
from collections.abc import Iterable, Mapping

from promptx_mem.cli.commands import COMMANDS
from promptx_mem.errors import PromptxMemError, UsageError

_MEANT = {
    "-n": ("limit", "limt", "max", "top", "top-k", "k", "num", "number", "count", "size", "results", "max-results"),
    "--tag": ("label", "labels", "tags", "keyword", "keywords"),
    "--score": ("importance", "rating", "priority", "weight", "rank", "s"),
    "--min-score": ("min-importance", "minimum-score", "threshold", "score"),
    "--duration": ("ttl", "expires", "expire", "expiry", "lifetime", "keep", "valid", "d"),
    "--since": ("from", "after", "start"),
    "--until": ("to", "before", "end"),
    "--date": ("day", "on", "when"),
    "--format": ("output", "o", "as"),
    "--memory-dir": ("store", "dir", "directory", "root"),
    "--update": ("replace", "supersede", "supersedes", "id"),
    "--explicit": ("force",),
    "--dry-run": ("dry", "simulate", "n"),
    "--yes": ("y", "force"),
    "--mine": ("own",),
    "--output": ("out", "file", "o"),
}
"""Our options, each with its names in other programs. If options share a name, the command's first one is used."""

PROGRAM = "promptx-mem"
_ELSEWHERE = {
    "remember": ("add", "save", "store", "note", "new", "write", "set", "记住", "记录", "记下", "记"),
    "recall": ("search", "find", "query", "read", "回忆", "查找", "搜索"),
    "list": ("ls", "all", "列出"),
    "show": ("get", "cat", "显示"),
    "forget": ("delete", "remove", "rm", "del"),
    "audit": ("log", "check", "doctor"),
    "status": ("stats", "info", "where"),
    "--help": ("help",),
    "--version": ("version",),
}
"""Our commands, each with its names in other programs."""
_OF_TEXT = ("remember", "recall")


def error(message: str, command: str = "", guess: str = "") -> UsageError:
    """Return the error of a wrong command line. Its hint has a guess, and the command that prints help."""
    return UsageError(message, hint=f"{guess}for help: {' '.join(filter(None, (PROGRAM, command)))} --help")


def no_such_command(word: str) -> UsageError:
    """Return the error of an unknown command, with the command that was probably meant."""
    near = _near(word, (*COMMANDS, "--help", "--version"), _ELSEWHERE, 0.6)
    guess = f"did you mean {near}? " if near else ""
    return error(f"no such command {word!r}", near if near in COMMANDS else "", guess)


def no_such_option(word: str, command: str, options: Iterable[str]) -> UsageError:
    """Return the error of an unknown option of a command, with the option that was probably meant."""
    name, _, value = word.partition("=")
    if near := f"{name} {value}" if name in options else _near(name, options, _MEANT, 0.82):
        guess = f"did you mean {near}? "
    else:
        guess = "text that begins with - goes after --; " if command in _OF_TEXT else ""
    return error(f"no such option: {name if word.startswith('--') else word}", command, guess)


def _near(word: str, known: Iterable[str], elsewhere: Mapping[str, Iterable[str]], likeness: float) -> str:
    """Find our name for another program's `word`, else a similar name. Return an empty text if `known` has neither."""
    import difflib

    bare = word.lstrip("-").lower().replace("_", "-")
    named = (ours for ours, names in elsewhere.items() if bare in names and ours in known)
    return next(named, "") or next(iter(difflib.get_close_matches(word, known, 1, likeness)), "")


DEBUG = "PROMPTX_MEM_DEBUG"
"""Environment variable. If it is set, the traceback of a bug is shown."""


def explained(error: Exception) -> PromptxMemError:
    """Return any exception as an error that can be shown."""
    if isinstance(error, PromptxMemError):
        return error
    if not isinstance(error, OSError):
        return _fault(error)
    from promptx_mem.store.store import disk_errors

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
