"""The parser of plain command lines, which have only words and unabbreviated options. typer parses all others.

Loading typer (cli/parser) takes four times as long as starting Python. Both parsers return the same result for a plain
line.
"""

import contextlib
import sys
from collections.abc import Callable, Iterator
from types import FunctionType

from promptx_mem.cli import output
from promptx_mem.cli.options import COMMON, Argument, Common, Option
from promptx_mem.errors import UsageError
from promptx_mem.record import Any

ONE: dict[Any, Callable[[str], Any]] = {
    str: str, str | None: str, int: int, int | None: int, float | None: float,
}  # fmt: skip
MANY = (list[str], list[str] | None)
"""`ONE` has the types of parameters with one value, and `MANY` the types of those with several values."""

Named = dict[str, tuple[str, Any]]
"""Options by name, each with its parameter and type."""


def read(command: FunctionType, words: list[str]) -> dict[str, Any] | None:
    """Return the arguments of `command`; None if typer must read the words or report an error in them."""
    places, named = _read_declarations(command)
    values: dict[str, Any] = {}
    texts: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            texts += rest
        elif word == "-" or not word.startswith("-"):
            texts.append(word)
        elif not _take(word, rest, named, values):
            return None
    for name, kind in places:
        if texts:
            values[name], texts = (texts, []) if kind in MANY else (texts[0], texts[1:])
    if texts or any(name not in values for name in required(command)):
        return None
    return gathered(command, values)


def gathered(command: FunctionType, values: dict[str, Any]) -> dict[str, Any]:
    """Move the values of the common options (those that every command has) into a single `Common` value.

    Printed commands then name the store of --memory-dir too.
    """
    name = next((name for name, hint in command.__annotations__.items() if hint is Common), "")
    if name and (given := {option: values.pop(option) for option in COMMON if option in values}):
        values[name] = Common(**given)
        output.named_store = values[name].memory_dir
    return values


def options_behind(command: FunctionType, words: list[str]) -> list[str]:
    """Return the words after `--` that look like options of `command`."""
    behind = words[words.index("--") + 1 :] if "--" in words else []
    named = _read_declarations(command)[1] if behind else {}
    return [word for word in behind if word.startswith("--") and word.partition("=")[0] in named]


def declared(command: FunctionType) -> list[tuple[str, Any, Option | Argument]]:
    """Return the name, type and declaration of each parameter, with the common options instead of `Common`."""
    out: list[tuple[str, Any, Option | Argument]] = []
    for parameter, hint in command.__annotations__.items():
        if hint is Common:
            out += [(name, kind, option) for name, (kind, option) in COMMON.items()]
        out += [
            (parameter, hint.__origin__, one) for one in getattr(hint, "__metadata__", ())
        ]  # the return type has none
    return out


def required(command: FunctionType) -> tuple[str, ...]:
    """Return the names of the parameters without a default."""
    return command.__code__.co_varnames[: command.__code__.co_argcount - len(command.__defaults__ or ())]


def _read_declarations(command: FunctionType) -> tuple[list[tuple[str, Any]], Named]:
    places: list[tuple[str, Any]] = []
    named: Named = {}
    for parameter, kind, declaration in declared(command):
        if isinstance(declaration, Option):
            named |= dict.fromkeys(declaration.names_of(parameter), (parameter, kind))
        else:
            places.append((parameter, kind))
    return places, named


def _take(word: str, rest: Iterator[str], named: Named, values: dict[str, Any]) -> bool:
    """Read an option into `values`, with its value from `rest` if needed. Return False if typer must read it."""
    name, assigned, value = word.partition("=")
    if name not in named or (assigned and not name.startswith("--")):
        return False
    parameter, kind = named[name]
    if kind is bool:
        values[parameter] = True
        return not assigned
    if not assigned:
        value = next(rest, "-")
        if value.startswith("-"):
            return False
    if kind in MANY:
        values.setdefault(parameter, []).append(value)
        return True
    with contextlib.suppress(ValueError):
        values[parameter] = ONE[kind](value)
        return True
    return False


MAX_QUESTION = 100_000
"""Maximum length of a query in bytes. It is greater than the maximum length of a memory."""


def read_stdin(limit: int, hint: str) -> str:
    """Read all of stdin. Raises UsageError if it is closed, is a terminal, exceeds `limit` bytes, or is not UTF-8."""
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("there is nothing to read: no argument, and nothing on stdin", code="no_text", hint=hint)
    data = sys.stdin.buffer.read(limit + 1)
    if len(data) > limit:
        raise UsageError(f"stdin has more than {limit} bytes", hint=hint)
    return decoded(data)


def asked(words: list[str]) -> str:
    """Return the query: the words, or the text from stdin if they are a single `-`."""
    if words != ["-"]:
        return " ".join(words)
    hint = "echo QUESTION | promptx-mem recall -"
    if question := read_stdin(MAX_QUESTION, hint).strip():
        return question
    raise UsageError("there is nothing on stdin", code="no_text", hint=hint)


def decoded(data: bytes) -> str:
    """Return bytes from stdin as text. Raises UsageError if they are not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        hint = "convert it to UTF-8 first, for Chinese often: iconv -f gbk -t utf-8"
        raise UsageError(f"stdin is not UTF-8 (byte {error.start + 1})", code="bad_encoding", hint=hint) from None
