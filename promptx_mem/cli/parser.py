"""Help and completion by typer, which is slow to load. cli/plain parses the lines that run a command.

A shell evaluates the words of a completion. So only words of harmless characters are offered, and other characters are
removed from descriptions.
"""

import contextlib
import inspect
import io
import os
import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from shutil import get_terminal_size
from typing import Annotated, Any

import typer
from typer.core import CompletionItem, TyperArgument, TyperCommand, TyperGroup, TyperOption  # type: ignore[attr-defined] # it names no exports

from promptx_mem import __version__
from promptx_mem.cli import options, output, plain, usage
from promptx_mem.cli.commands import ALL, COMMANDS, HELP, MORE, handler_of
from promptx_mem.core import shell
from promptx_mem.core.text import is_printable, shorten
from promptx_mem.errors import PromptxMemError
from promptx_mem.result import Result, Text


def call_in_bash(answer: Callable[[], Any]) -> Any:
    """Call typer for completions. Quote the printed words for bash, unless the typed word begins with a quote."""
    typed = os.environ.get("COMP_WORDS", "").split("\n")
    place = os.environ.get("COMP_CWORD", "")
    last = typed[int(place)] if place.isdecimal() and int(place) < len(typed) else ""
    quoted = str if last.startswith(("'", '"')) else shell.quote
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            return answer()
    finally:
        typer.echo("\n".join(map(quoted, printed.getvalue().split())))


_COMPLETING = "_PROMPTX_MEM_COMPLETE"
"""Environment variable set by the shell's completion function, for example to complete_bash."""

_LONGEST = max(map(len, COMMANDS))
_SETTINGS = {"help_option_names": list(HELP), "terminal_width": max(min(get_terminal_size().columns, 80), 20) - 2}


class LazyGroup(TyperGroup):
    """A group that imports a command's module when the command is called, not when help lists the commands."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        return list(COMMANDS)

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]
        return load(cmd_name) if cmd_name in COMMANDS else None

    def shell_complete(self, ctx: Any, incomplete: str) -> list[CompletionItem]:
        begun = {name: command.help for name, command in COMMANDS.items() if name.startswith(incomplete)}
        names = [CompletionItem(name, help=about) for name, about in begun.items()]
        return names + TyperCommand.shell_complete(self, ctx, incomplete)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.meta[ALL] = ALL in args
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        groups: dict[str, list[tuple[str, str]]] = {}
        for name, command in COMMANDS.items():
            groups.setdefault(command.group, []).append((name.ljust(_LONGEST), command.help))
        for group, rows in groups.items():
            if group != MORE or ctx.meta.get(ALL):
                with formatter.section(group):
                    formatter.write_dl(rows)
        if not ctx.meta.get(ALL):
            formatter.write_text(f"\n\n{MORE} commands: {shell.PROGRAM} --help {ALL}")


class HelpCommand(TyperCommand):
    """A command whose help shows the options of `Common` by name only."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        common = [param for param in self.params if param.name in options.COMMON]
        for param in common:
            param.hidden = True  # type: ignore[attr-defined] # options have this attribute
        super().format_options(ctx, formatter)
        names = ", ".join(param.opts[0] for param in common)
        if names:
            with formatter.section("Options of every command"):
                formatter.write_text(names)


def load(name: str) -> HelpCommand:
    """Build the typer command `name` from the command's module."""
    command = handler_of(name).command
    required = plain.required(command)
    parameters = [_parameter(name, *one, required=one[0] in required) for one in plain.declared(command)]
    details = command.__doc__ or sys.modules[command.__module__].__doc__ or ""
    about = COMMANDS[name].help + "\n\n" + inspect.cleandoc(details)
    return HelpCommand(
        name, callback=_refuse, params=parameters, help=about, context_settings=_SETTINGS, rich_markup_mode=None
    )


def _refuse(**_values: Any) -> None:
    raise usage.error(f"{ALL} needs --help")


def _parameter(
    command: str, name: str, kind: Any, declaration: options.Option | options.Argument, *, required: bool
) -> Any:
    is_many = kind == options.Words
    names = (name,) if isinstance(declaration, options.Argument) else declaration.names_of(name)

    def offers(ctx: Any, _args: list[str], incomplete: str) -> list[tuple[str, str] | str]:
        return [*_completions(command, names, incomplete, ctx.params.get("memory_dir"))]

    about: dict[str, Any] = {
        "type": plain.ONE.get(kind), "metavar": declaration.metavar, "help": declaration.help, "autocompletion": offers,
    }  # fmt: skip
    if isinstance(declaration, options.Argument):
        many = -1 if is_many else 1
        return TyperArgument(param_decls=[name], nargs=many, required=required, show_default=False, **about)
    return TyperOption(param_decls=[name, *names], is_flag=kind is bool, multiple=is_many, **about)


def _common(name: str) -> Any:
    option = options.COMMON[name][1]
    return typer.Option(*option.names_of(name), metavar=option.metavar, help=option.help)


app = typer.Typer(cls=LazyGroup, rich_markup_mode=None, pretty_exceptions_enable=False, context_settings=_SETTINGS)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"promptx-mem {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _global(
    ctx: typer.Context,
    memory_dir: Annotated[str | None, _common("memory_dir")] = None,
    session: Annotated[str | None, _common("session")] = None,
    scope: Annotated[str | None, _common("scope")] = None,
    json: Annotated[bool, _common("json")] = False,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_version, help="Show the version and exit.")
    ] = False,
    every: Annotated[bool, typer.Option(ALL, help="With --help: list all commands.")] = False,
) -> None:
    """Keep a memory for agents and people: plain Markdown in the project's folder."""
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def show(arguments: list[str], *, as_json: bool) -> int:
    """Print help, the version or completions, and return the exit status. Raises UsageError."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = _call(arguments)
    text = printed.getvalue()
    if as_json:
        kind = "version" if "--version" in arguments else "help"
        text = output.encode(Result(kind, Text(text=text.rstrip("\n")), exit_status=status).envelope(Text))
    return output.write_or_report(text, status) if text else status


def _call(arguments: list[str]) -> int:
    program = partial(typer.main.get_command(app).main, arguments, prog_name=shell.PROGRAM, standalone_mode=False)
    try:
        return (call_in_bash(program) if os.environ.get(_COMPLETING) == "complete_bash" else program()) or 0
    except SystemExit as stop:
        return int(stop.code or 0)
    except typer.TyperException as error:
        message = getattr(error, "format_message", error.__str__)().partition(" (Possible options: ")[0].rstrip(".")
        raise usage.error(message[:1].lower() + message[1:]) from None


_WIDTH = 40
_HARMLESS = r"[\w@%+=,./#>-][\w @%+=,./#>-]*"
_OTHER = r"[^\w @%+=,./>-]+"


def _words_for(command: str, name: str) -> Any:
    """Return the words for a parameter of a command, or a function that finds them in a store. Empty if there are none.

    The modules that know the words are loaded only for a completion, since help does not need them.
    """
    from promptx_mem.cli import recall, review
    from promptx_mem.core.durations import NAMES as DURATIONS
    from promptx_mem.core.entry import CATEGORIES, SOURCES, TYPES
    from promptx_mem.core.request import PROFILES
    from promptx_mem.hooks import run
    from promptx_mem.hooks.hosts import HOSTS
    from promptx_mem.importers import NAMES
    from promptx_mem.usecases import completion, export

    sources: dict[str, Any] = {
        "--category": CATEGORIES, "--duration": tuple(DURATIONS),
        "--filter": completion.tags_or_ids, "--profile": PROFILES, "--related": completion.topics,
        "--as": ("keeper", "indexer"), "--role": ("user", "assistant"),
        "--scope": ("project", "user"), "--source": SOURCES, "--tag": completion.tags, "--topic": completion.topics,
        "--type": TYPES, "--update": completion.active_ids, "ident": completion.active_ids,
        "export --format": export.FORMATS, "recall --format": recall.FORMATS, "review --format": ("text", "prompt"),
        "host": tuple(HOSTS), "import --from": NAMES, "hook action": run.ACTIONS, "review answer": review.ANSWERS,
        "restore ident": completion.ended_ids,
        "list tags": completion.tags_or_ids, "recall text": completion.tags_or_ids, "remember text": completion.of_text,
    }  # fmt: skip
    return sources.get(f"{command} {name}", sources.get(name, ()))


def _completions(command: str, names: Sequence[str], begun: str, memory_dir: str | None) -> list[tuple[str, str]]:
    """Return the values of the parameter with these `names` that begin with `begun`, each with a description."""
    words = next((found for name in names if (found := _words_for(command, name))), ())
    if isinstance(words, tuple):
        return [(word, "") for word in words if word.startswith(begun)]
    from promptx_mem.memory import Memory

    try:
        read = words(Memory.open(memory_dir).context, begun)
    except (PromptxMemError, OSError):  # a message would appear in the line that is being typed
        return []
    return [
        (word, shorten(re.sub(_OTHER, " ", about), _WIDTH))
        for word, about in read
        if word.startswith(begun) and re.fullmatch(_HARMLESS, word) and is_printable(word)
    ]
