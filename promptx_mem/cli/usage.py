"""Errors of the command line, each with the option or command that was probably meant."""

import re
from collections.abc import Iterable, Mapping

import typer

from promptx_mem.cli.commands import command_index
from promptx_mem.errors import UsageError
from promptx_mem.record import Any

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
DASHED = re.compile(r"-[^\s=]*\s")
"""Pattern of an argument that must be text, because it begins with - and contains white space."""


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
_EXTRA = re.compile(r"^Got unexpected extra arguments?(?:\(s\))? \((.+)\)$", re.DOTALL)
_KIND = re.compile(r" is not a valid (int|float)( range)?$")


class NoSuchOption(typer.BadParameter):
    """An unknown option: a word that begins with -."""

    def __init__(self, word: str, context: Any) -> None:
        super().__init__(f"No such option: {word}", ctx=context)
        self.option_name = word

    def format_message(self) -> str:
        return self.message


def from_typer(error: typer.TyperException, arguments: list[str], commands: Iterable[str]) -> UsageError:
    """Return an error of typer as a UsageError."""
    message = _KIND.sub(" is not a number", getattr(error, "format_message", error.__str__)().rstrip("."))
    message = message.partition(" (Possible options: ")[0]
    message = _EXTRA.sub(r"unexpected argument: \1", message)
    index = command_index(arguments)
    command = arguments[index] if index is not None else ""
    near = guess = ""
    if command not in commands:
        near = _near(command, (*commands, "--help", "--version"), _ELSEWHERE, 0.6)
    elif (context := getattr(error, "ctx", None)) and (wrong := getattr(error, "option_name", None)):
        options = options_of(context.command, context)
        name, assigned, value = wrong.partition("=")
        if name not in options:
            near = _near(name, options, _MEANT, 0.82)
            guess = "text that begins with - goes after --; " if command in _OF_TEXT else ""
        elif assigned:
            near = f"{name} {value}"
    if near:
        guess = f"did you mean {near}? "
    about = next((f" {name}" for name in (near, command) if name in commands), "")
    return UsageError(message[:1].lower() + message[1:], hint=f"{guess}for help: {PROGRAM}{about} --help")


def _near(word: str, known: Iterable[str], elsewhere: Mapping[str, Iterable[str]], likeness: float) -> str:
    """Find our name for another program's `word`, else a similar name. Return an empty text if `known` has neither."""
    import difflib

    bare = word.lstrip("-").lower().replace("_", "-")
    named = (ours for ours, names in elsewhere.items() if bare in names and ours in known)
    return next(named, "") or next(iter(difflib.get_close_matches(word, known, 1, likeness)), "")


def options_of(command: Any, context: Any) -> set[str]:
    """Return the names of a command's options."""
    return {name for param in command.get_params(context) if param.param_type_name == "option" for name in param.opts}
