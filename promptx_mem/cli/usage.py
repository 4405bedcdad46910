"""A command line that is wrong: what is wrong with it, and a command that can be pasted instead."""

import re
from collections.abc import Iterable
from typing import Any

import typer
from typer.core import TyperCommand

from promptx_mem.cli.commands import command_index
from promptx_mem.errors import UsageError

PROGRAM = "promptx-mem"
_ELSEWHERE = {
    "remember": ("add", "save", "store", "note", "new", "write", "set"),
    "recall": ("list", "ls", "search", "find", "get", "show", "query", "read"),
    "forget": ("delete", "remove", "rm", "del"),
    "audit": ("log", "stats", "status", "check", "doctor"),
    "--help": ("help",),
    "--version": ("version",),
}
"""What other programs call the same."""
_TOKENS = {"-t": "#", "--tag": "#", "--score": "score:", "--duration": "duration:"}
"""Options that may stand behind the text as well, there as tokens."""
_KIND = re.compile(r" is not a valid (int|float)( range)?$")
_DASHED = re.compile(r"-[^\s=]*\s")


class NoSuchOption(typer.BadParameter):
    """A word that begins with - and is no option."""

    def __init__(self, word: str, context: Any) -> None:
        super().__init__(f"No such option: {word}", ctx=context)
        self.option_name = word

    def format_message(self) -> str:
        return self.message


def from_typer(error: typer.TyperException, arguments: list[str], commands: Iterable[str]) -> UsageError:
    """Say in our words what typer found."""
    message = _KIND.sub(" is not a number", getattr(error, "format_message", error.__str__)().rstrip("."))
    context = getattr(error, "ctx", None)
    index = command_index(arguments)
    command = arguments[index] if index is not None else ""
    hint = f"what there is: {PROGRAM} {command} --help" if command in commands else f"what there is: {PROGRAM} --help"
    wrong = getattr(error, "option_name", None)
    if index is not None and command not in commands:
        if near := _near(command, commands):
            hint = f"did you mean: {_line(_instead(near, arguments, index, commands))}\n{hint}"
    elif index is not None and wrong and context is not None:
        if meant := _all_respelled(wrong, arguments, index, _options(context.command, context)):
            return UsageError(message[:1].lower() + message[1:], hint=f"did you mean: {_line(meant)}\n{hint}")
        words = separated(context.command, context, arguments[index + 1 :])
        if what := _text_after(command, wrong, words):
            hint += f"\n{what} goes after --: {_line([*arguments[: index + 1], *words])}"
    return UsageError(message[:1].lower() + message[1:], hint=hint)


def _instead(near: str, arguments: list[str], index: int, commands: Iterable[str]) -> list[str]:
    """The line with the name that is meant; `help recall` is `recall --help`."""
    behind = arguments[index + 1 :]
    if near.startswith("-"):
        return [*[word for word in behind[:1] if word in commands], near]
    return [*arguments[:index], near, *behind]


def _all_respelled(wrong: str, arguments: list[str], index: int, takes_value: dict[str, bool]) -> list[str]:
    """The line with this and every further misspelled option put right; empty where the first is like none."""
    meant = _respelled(wrong, arguments, takes_value)
    for word in meant[index + 1 : meant.index("--") if "--" in meant else None]:
        if word.startswith("-") and not _is_assigned(word, takes_value) and word not in takes_value:
            meant = _respelled(word, meant, takes_value) or meant
    return _one_form(meant, index) if meant and meant[index] == "remember" else meant


def _one_form(words: list[str], index: int) -> list[str]:
    """A line of `remember` whose one option of _TOKENS is a token like those beside it."""
    from promptx_mem.core.syntax import is_token, parse_argument

    places = [place for place, word in enumerate(words) if word.partition("=")[0] in _TOKENS]
    if len(places) != 1 or not any(map(is_token, words[index + 1 :])):
        return words
    place = places[0]
    name, assigned, value = words[place].partition("=")
    behind = place + (1 if assigned else 2)
    rest = [*words[:place], *words[behind:]]
    there = parse_argument(" ".join(rest[index + 1 :]))
    twice = (name == "--score" and there.score is not None) or (name == "--duration" and there.duration is not None)
    return rest if twice else [*rest, _TOKENS[name] + (value if assigned else "".join(words[place + 1 : behind]))]


def _respelled(wrong: str, arguments: list[str], takes_value: dict[str, bool]) -> list[str]:
    """The line with a misspelled option put right; empty where none is like it."""
    import difflib

    known = wrong.partition("=")[0]
    place = next((place for place, word in enumerate(arguments) if word.partition("=")[0] == known), len(arguments))
    if place == len(arguments) or (known.startswith("--") and known in takes_value):
        return []
    name, assigned, value = arguments[place].partition("=")
    if name.startswith("--"):
        near = difflib.get_close_matches(name, takes_value, 1, 0.82)
        instead = [near[0] + assigned + value] if near else []
    else:
        instead = [name, value] if assigned and takes_value.get(name) else []
    return [*arguments[:place], *instead, *arguments[place + 1 :]] if instead else []


def _text_after(command: str, wrong: str, words: list[str]) -> str:
    """What an option that does not exist, and is like none, may have been meant for; empty where that is unclear."""
    if not words:
        return ""
    if command == "remember":
        return "a text that begins with -"
    others = words[words.index("--") + 2 :]
    return "a word that must not be there" if command == "recall" and others and not wrong.startswith("--") else ""


def _line(words: list[str]) -> str:
    from promptx_mem.core.shell import join

    return join([PROGRAM, *words])


def _near(word: str, commands: Iterable[str]) -> str:
    import difflib

    meant = (name for name, others in _ELSEWHERE.items() if word.lower() in others)
    return next(meant, "") or next(iter(difflib.get_close_matches(word, commands, 1, 0.5)), "")


def separated(command: TyperCommand, context: Any, arguments: list[str]) -> list[str]:
    """The same arguments with the options first, then `--`, then all that is text."""
    takes_value = _options(command, context)
    options: list[str] = []
    words: list[str] = []
    rest = iter(arguments)
    for word in rest:
        if word == "--":
            words += rest
        elif word in takes_value:
            options.append(word)
            if takes_value[word] and (value := next(rest, None)) is not None:
                options.append(value)
        elif _is_assigned(word, takes_value):
            options.append(word)
        else:
            words.append(word)
    return [*options, "--", *words]


def holds_text(command: TyperCommand, context: Any, arguments: list[str]) -> bool:
    """Whether an argument begins with - and yet can be no option: there is white space in its name."""
    odd = [word for word in arguments if _DASHED.match(word)]
    return bool(odd) and not all(_is_assigned(word, _options(command, context)) for word in odd)


def refuse_glued(command: TyperCommand, context: Any, arguments: list[str]) -> None:
    """Raise NoSuchOption for a word that typer would cut into letters: `-the` is not `-t he`."""
    takes_value = _options(command, context)
    rest = iter(arguments)
    for word in rest:
        if word == "--":
            return
        if takes_value.get(word):
            next(rest, None)
        elif re.match("-[^-].", word) and not _is_assigned(word, takes_value):
            raise NoSuchOption(word, context)


def _options(command: TyperCommand, context: Any) -> dict[str, bool]:
    """Each option's name, and whether it takes a value."""
    return {
        name: not getattr(param, "is_flag", False)
        for param in command.get_params(context)
        if param.param_type_name == "option"
        for name in param.opts
    }


def _is_assigned(word: str, takes_value: dict[str, bool]) -> bool:
    """Whether a word is an option with its value: `--name=value`, `-n5`."""
    if word.startswith("--"):
        return re.split(r"[\s=]", word, maxsplit=1)[0] in takes_value and not _DASHED.match(word)
    return word[:2] in takes_value and word[2:].isdecimal()
