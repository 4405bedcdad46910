"""The command line as typer reads it. Loaded for help, completion, and what is not plain (cli/plain)."""

import inspect
import os
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import CompletionItem, TyperCommand, TyperGroup  # type: ignore[attr-defined] # it names no exports

from promptx_mem import __version__
from promptx_mem.cli import options, pages, usage
from promptx_mem.cli.commands import COMMANDS, HELP, module_of

_COMPLETING = "_PROMPTX_MEM_COMPLETE"
"""Set by the function that a shell calls where a word is begun; its value says for which shell."""

_LONGEST = max(map(len, COMMANDS))
_SETTINGS = {"help_option_names": list(HELP)}


class LazyGroup(TyperGroup):
    """A group whose commands are imported when they are called, not when help lists them."""

    context_class = pages.Context

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        return list(COMMANDS)

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]
        if cmd_name not in COMMANDS:
            return None
        return load(cmd_name)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[CompletionItem]:
        names = [
            CompletionItem(name, help=command.help) for name, command in COMMANDS.items() if name.startswith(incomplete)
        ]
        return names + TyperCommand.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        for group in dict.fromkeys(command.group for command in COMMANDS.values()):
            rows = [
                (name.ljust(_LONGEST), command.help) for name, command in COMMANDS.items() if command.group == group
            ]
            with formatter.section(group):
                formatter.write_dl(rows)


class TextCommand(TyperCommand):
    """A command that takes `- a list item` for the text it is, not for an option."""

    context_class = pages.Context

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if "--" not in args and usage.holds_text(self, ctx, args):
            args = usage.separated(self, ctx, args)
        usage.refuse_glued(self, ctx, args)
        return super().parse_args(ctx, args)


def load(name: str) -> Any:
    """Build the command `name` from its file."""
    module = module_of(name)
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    about = COMMANDS[name].help + "\n\n" + (module.__doc__ or "")
    single.command(name, cls=TextCommand, help=about, context_settings=_SETTINGS)(_for_typer(name, module.command))
    return typer.main.get_command(single)


def _for_typer(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, with its parameters declared in typer's terms."""

    def command(**values: Any) -> Any:
        return function(**values)

    signature = inspect.signature(function)
    parameters = [
        parameter.replace(annotation=Annotated[hint.__origin__, _declared(name, parameter.name, *hint.__metadata__)])
        for parameter in signature.parameters.values()
        for hint in [parameter.annotation]
    ]
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def _declared(command: str, name: str, declaration: options.Option | options.Argument) -> Any:
    if isinstance(declaration, options.Argument):
        offers = _offers(command, (name,))
        return typer.Argument(
            metavar=declaration.metavar, help=declaration.help, show_default=False, autocompletion=offers
        )
    names = declaration.names_of(name)
    return typer.Option(
        *names,
        metavar=declaration.metavar,
        help=declaration.help,
        min=declaration.least,
        autocompletion=_offers(command, names),
    )


def _offers(command: str, names: tuple[str, ...]) -> Callable[[typer.Context, str], list[tuple[str, str]]]:
    def offers(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
        from promptx_mem.cli import completion

        return completion.offers(command, names, incomplete, ctx.params.get("memory_dir"))

    return offers


app = typer.Typer(cls=LazyGroup, rich_markup_mode=None, pretty_exceptions_enable=False, context_settings=_SETTINGS)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"promptx-mem {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _global(
    ctx: typer.Context,
    memory_dir: Annotated[
        str | None, typer.Option(metavar="DIR", help="The store; else PROMPTX_MEM_DIR, else found by walking up.")
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_version, help="Show the version and exit.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout, also on failure.")] = False,
) -> None:
    """Keep a memory for agents and people: plain Markdown beside the project."""
    ctx.default_map = {name: {"memory_dir": memory_dir, "json": json} for name in COMMANDS}
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def _main(arguments: list[str]) -> Any:
    return typer.main.get_command(app).main(arguments, prog_name=usage.PROGRAM, standalone_mode=False) or 0


def call(arguments: list[str]) -> Any:
    """A Result, or the exit status where typer answered by itself. Raises UsageError for what typer does not take."""
    try:
        if os.environ.get(_COMPLETING) == "complete_bash":
            from promptx_mem.cli import in_bash

            return in_bash.call(lambda: _main(arguments))
        return _main(arguments)
    except SystemExit as stop:
        return stop.code or 0
    except typer.Abort:
        raise KeyboardInterrupt from None
    except typer.TyperException as error:
        raise usage.from_typer(error, arguments, COMMANDS) from None
