"""Errors of the command line, each with a corrected command that can be pasted."""

import re
from collections.abc import Iterable

import typer
from typer.core import TyperCommand

from promptx_mem.cli.commands import command_index, handler_of
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
"""Our options, each with its names in other programs. The first of our options that the command has is used."""
_PLACED = frozenset(
    {"text", "content", "fact", "memory", "message", "body", "query", "q", "cue", "search", "id", "path", "file"}
)
"""Options of other programs whose values are positional arguments here."""

DASHED = re.compile(r"-[^\s=]*\s")


def respelled(wrong: str, arguments: list[str], index: int, takes_value: dict[str, bool]) -> list[str]:
    """Return the line with misspelled options corrected. Empty if no option resembles the first misspelled one."""
    line = respelled_word(wrong, arguments, takes_value)
    for word in line[index + 1 : line.index("--") if "--" in line else None]:
        if word.startswith("-") and not is_assigned(word, takes_value) and word not in takes_value:
            line = respelled_word(word, line, takes_value) or line
    return line


def respelled_word(wrong: str, arguments: list[str], takes_value: dict[str, bool]) -> list[str]:
    """Return the line with the misspelled option `wrong` corrected; empty if no option resembles it."""
    import difflib

    stem = wrong.partition("=")[0]
    place = next((place for place, word in enumerate(arguments) if word.partition("=")[0] == stem), len(arguments))
    if place == len(arguments) or (stem.startswith("--") and stem in takes_value):
        return []
    name, assigned, value = arguments[place].partition("=")
    bare = name.lstrip("-").lower().replace("_", "-")
    if spelling := next((option for option, names in _MEANT.items() if bare in names and option in takes_value), ""):
        instead = [spelling, value] if assigned else [spelling]
    elif bare in _PLACED:
        instead = [value] if assigned else []
        return [*arguments[:place], *instead, *arguments[place + 1 :]]
    elif name.startswith("--"):
        near = difflib.get_close_matches(name, takes_value, 1, 0.82)
        instead = [near[0] + assigned + value] if near else []
    else:
        instead = [name, value] if assigned and takes_value.get(name) else []
    return [*arguments[:place], *instead, *arguments[place + 1 :]] if instead else []


def is_assigned(word: str, takes_value: dict[str, bool]) -> bool:
    """Return whether a word is an option together with its value: `--name=value`, `-n5`."""
    if word.startswith("--"):
        return re.split(r"[\s=]", word, maxsplit=1)[0] in takes_value and not DASHED.match(word)
    return word[:2] in takes_value and word[2:].isdecimal()


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
_OF_ONE_MEMORY = ("show", "forget", "restore", "verify", "boost", "edit")
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
    context = getattr(error, "ctx", None)
    index = command_index(arguments)
    command = arguments[index] if index is not None else ""
    hint = f"for help: {PROGRAM} {command} --help" if command in commands else f"for help: {PROGRAM} --help"
    wrong = getattr(error, "option_name", None)
    if index is not None and command not in commands:
        if near := _near(command, commands):
            line = _instead(near, arguments, index, commands)
            meant = _line(line) if _fits(near, line) else f"did you mean: {PROGRAM} {near} --help"
            hint = f"{meant}\n{hint}"
    elif index is not None and wrong and context is not None:
        options = _options(context.command, context)
        line = respelled(wrong, arguments, index, options)
        if line and (command != "remember" or _has_text(line, options)):
            return UsageError(message[:1].lower() + message[1:], hint=f"{_line(line)}\n{hint}")
        words = separated(context.command, context, arguments[index + 1 :])
        if kind := _text_after(command, wrong, words):
            hint += f"\n{_line([*arguments[: index + 1], *words], f'{kind} goes after --')}"
    return UsageError(message[:1].lower() + message[1:], hint=hint)


def _instead(near: str, arguments: list[str], index: int, commands: Iterable[str]) -> list[str]:
    """Return the line that was probably meant, with the right name. For example, `help recall` is `recall --help`."""
    behind = arguments[index + 1 :]
    if near.startswith("-"):
        return [*[word for word in behind[:1] if word in commands], near]
    return [*arguments[:index], near, *behind]


def _text_after(command: str, wrong: str, words: list[str]) -> str:
    """Return words for a hint that reads an unknown option as text; empty if it is unclear whether it is text."""
    if not words:
        return ""
    if command == "remember":
        return "a text that begins with -"
    rest = words[words.index("--") + 2 :]
    return "an unexpected word" if command == "recall" and rest and not wrong.startswith("--") else ""


def _line(words: list[str], label: str = "did you mean") -> str:
    """Return a line with the corrected command, or the usage line if an id in the command is not a memory's."""
    from promptx_mem.core.shell import join

    if words[0] in _OF_ONE_MEMORY and not _has_known_id(words):
        return f"usage: {PROGRAM} {words[0]} <id>"
    return (words[0] == "remember" and _remember(words[1:], label)) or f"{label}: {join([PROGRAM, *words])}"


def _has_known_id(words: list[str]) -> bool:
    """Return whether every argument of a line is a memory's id. This is also true if there are only options."""
    from promptx_mem.cli import plain
    from promptx_mem.cli.options import NONE_GIVEN
    from promptx_mem.errors import PromptxMemError
    from promptx_mem.memory import Memory

    values = plain.read(handler_of(words[0]).command, words[1:])
    if values is None:
        return False
    common = values.get("common", NONE_GIVEN)
    try:
        if ident := values.get("ident"):
            Memory.open(common.memory_dir, scope=common.scope).show(ident)
    except PromptxMemError:
        return False
    return True


def _remember(words: list[str], label: str) -> str:
    """Return the `remember` line, or its usage line if text or tag is missing; empty if the text comes from stdin."""
    from promptx_mem import session
    from promptx_mem.cli import plain
    from promptx_mem.core import pasteable
    from promptx_mem.core.request import Request
    from promptx_mem.core.scoring import REFUSE_BELOW
    from promptx_mem.core.syntax import parse_argument

    values = plain.read(handler_of("remember").command, words)
    text = values.pop("text", []) if values else ["-"]
    if values is None or "-" in text:
        return ""
    tags = [name for tag in values.pop("tag", ()) for name in re.split("[,，;；、]", tag) if name]
    more: dict[str, Any] = {
        name.rstrip("_"): tuple(value) if isinstance(value, list) else value for name, value in values.items()
    }
    fields = {name: value for name, value in more.items() if name in Request._fields}
    request = Request(" ".join(text), tuple(tags), **fields)
    read = parse_argument(request.text)
    if request.literal and (read.tags or read.score is not None):  # tokens and options: use only one
        score = None if read.score is None else f"{read.score:g}"
        request = request._replace(text=read.text, tags=(*read.tags, *tags), score=request.score or score)
    line = pasteable.completed(request, label, pasteable.lowest_score(request.text, REFUSE_BELOW))
    may_be_left_out = text and session.is_person()  # a person can omit tag and score
    return "" if may_be_left_out and line.startswith("usage: ") else line


def _has_text(words: list[str], takes_value: dict[str, bool]) -> bool:
    """Return whether a `remember` line has a text. If it has none, a word like an option can be the text."""
    rest = iter(words[words.index("remember") + 1 :])
    for word in rest:
        if word == "--":
            return any(rest)
        if takes_value.get(word):
            next(rest, None)
        elif word == "-" or not word.startswith("-"):
            return True
    return False


def _fits(near: str, line: list[str]) -> bool:
    """Return whether the command `near` has all options of a line."""
    if near.startswith("-"):
        return True
    from promptx_mem.cli import plain

    known = plain.takes_value(handler_of(near).command)
    return all(word.partition("=")[0] in known for word in line if word.startswith("--") and word != "--")


def _near(word: str, commands: Iterable[str]) -> str:
    import difflib

    matches = (name for name, aliases in _ELSEWHERE.items() if word.lower() in aliases)
    return next(matches, "") or next(iter(difflib.get_close_matches(word, commands, 1, 0.6)), "")


def separated(command: TyperCommand, context: Any, arguments: list[str]) -> list[str]:
    """Return the arguments with the options first, then `--`, then all text."""
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
        elif is_assigned(word, takes_value):
            options.append(word)
        else:
            words.append(word)
    return [*options, "--", *words]


def holds_text(command: TyperCommand, context: Any, arguments: list[str]) -> bool:
    """Return whether an argument begins with - and contains white space, so that it must be text."""
    odd = [word for word in arguments if DASHED.match(word)]
    return bool(odd) and not all(is_assigned(word, _options(command, context)) for word in odd)


def refuse_glued(command: TyperCommand, context: Any, arguments: list[str]) -> None:
    """Raise NoSuchOption for a word such as `-the`, which typer would read as `-t he`."""
    takes_value = _options(command, context)
    rest = iter(arguments)
    for word in rest:
        if word == "--":
            return
        if takes_value.get(word):
            next(rest, None)
        elif re.match("-[^-].", word) and not is_assigned(word, takes_value):
            raise NoSuchOption(word, context)


def _options(command: TyperCommand, context: Any) -> dict[str, bool]:
    """Return the names of a command's options, each with whether the option takes a value."""
    return {
        name: not getattr(param, "is_flag", False)
        for param in command.get_params(context)
        if param.param_type_name == "option"
        for name in param.opts
    }
