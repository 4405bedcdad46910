"""The parser of command lines that run a command."""

from collections.abc import Callable, Iterator
from types import FunctionType

from promptx_mem.cli import output
from promptx_mem.cli.commands import HELP, handler_of
from promptx_mem.cli.options import COMMON, Argument, Common, Option, Word, Words
from promptx_mem.errors import UsageError
from promptx_mem.record import Any

ONE: dict[Any, Callable[[str], Any]] = {
    str: str, Word: str, int: int, int | None: int, float | None: float,
}  # fmt: skip
"""The types of parameters with one value, each with a function that reads it."""

Named = dict[str, tuple[str, Any]]
"""Options by name, each with its parameter and type."""


def read(name: str, words: list[str]) -> dict[str, Any] | None:
    """Return the arguments of the command `name`; None if the words ask for help. Raises UsageError.

    The options of every command become one `Common` value. Printed commands then name the store of --memory-dir too.
    A command without a parameter for such an option ignores the option.
    """
    command = handler_of(name).command
    named = _named(command)
    values: dict[str, Any] = {}
    texts: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            texts += rest
        elif word in HELP:
            return None
        elif word == "-" or not word.startswith("-") or any(map(str.isspace, word.partition("=")[0])):
            texts.append(word)  # also a text such as `- a list item`
        else:
            _take(name, word, rest, named, values)
    for parameter, kind, declaration in declared(command):
        if isinstance(declaration, Argument) and texts:
            values[parameter], texts = (tuple(texts), []) if kind == Words else (texts[0], texts[1:])
        elif isinstance(declaration, Argument) and parameter in required(command):
            usage = f"usage: promptx-mem {name} <{str(declaration.metavar).lower()}>\n"
            raise _wrong(f"missing argument {declaration.metavar!r}", name, usage)
    if texts:
        raise _wrong(f"unexpected argument: {' '.join(texts)}", name)
    holder = next((parameter for parameter, hint in command.__annotations__.items() if hint is Common), "")
    if holder and (given := {option: values.pop(option) for option in COMMON if option in values}):
        values[holder] = Common(**given)
        output.named_store = values[holder].memory_dir
    return {parameter: value for parameter, value in values.items() if parameter in command.__annotations__}


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


def _named(command: FunctionType) -> Named:
    common = [(parameter, kind, option) for parameter, (kind, option) in COMMON.items()]
    return {
        name: (parameter, kind)
        for parameter, kind, option in (*common, *declared(command))
        if isinstance(option, Option)
        for name in option.names_of(parameter)
    }


def _take(command: str, word: str, rest: Iterator[str], named: Named, values: dict[str, Any]) -> None:
    """Read an option into `values`, with its value from `rest` if needed. Raises UsageError."""
    option, assigned, value = word.partition("=")
    if word[:2] in named and word[2:].isdecimal():  # -n5
        option, assigned, value = word[:2], "=", word[2:]
    elif option not in named or (assigned and not option.startswith("--")):
        from promptx_mem.cli import usage

        raise usage.no_such_option(word, command, named)
    parameter, kind = named[option]
    if kind is bool and assigned:
        raise _wrong(f"option {option!r} does not take a value", command)
    if kind is bool:
        values[parameter] = True
        return
    if not assigned:
        try:
            value = next(rest)
        except StopIteration:
            raise _wrong(f"option {option!r} requires an argument", command) from None
    if kind == Words:
        values[parameter] = (*values.get(parameter, ()), value)
        return
    try:
        values[parameter] = ONE[kind](value)
    except ValueError:
        raise _wrong(f"invalid value for {option!r}: {value!r} is not a number", command) from None


def _wrong(message: str, command: str, guess: str = "") -> UsageError:
    from promptx_mem.cli import usage

    return usage.error(message, command, guess)
