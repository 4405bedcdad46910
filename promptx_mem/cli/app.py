"""The command line: lazy commands, and the one place where an error becomes an exit status."""

import contextlib
import importlib
import io
import sys
from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated, Any

import typer
from typer.core import CompletionItem, TyperCommand, TyperGroup  # type: ignore[attr-defined] # it names no exports

from promptx_mem import __version__
from promptx_mem.cli import options, output, usage
from promptx_mem.errors import PromptxMemError
from promptx_mem.result import Result
from promptx_mem.store.files import occupy_standard_descriptors

COMMANDS = {
    "remember": "Store a fact, if the gate lets it through.",
    "recall": "Find memories by words, tags, dates; without a cue, what matters most now.",
    "score": "Evaluate six dimensions without storing anything.",
    "boost": "Raise a memory's importance: it was really used.",
    "verify": "Mark a memory as confirmed by the user, and as fresh.",
    "edit": "Change a memory in $EDITOR; the result supersedes it.",
    "forget": "End a memory; --purge destroys its text.",
    "restore": "Bring back what ended, was archived or vanished.",
    "review": "Show and answer what waits for a decision.",
    "converse": "Add turns to the session's working memory; old ones are summarised and put aside.",
    "monitor": "Apply what a judge says of a turn: [ADD], [UPDATE:id], [BOOST:id], [DELETE:id].",
    "decay": "Note recalls, archive what has ended, refresh MEMORY.md: for cron.",
    "index": "Make MEMORY.md, check that it is current, or show the topics.",
    "audit": "Show what happened, check the store, lift a block.",
    "import": "Copy the memories of a file that PromptX or a person wrote.",
    "guard": "Deny an agent's writes to a memory by other tools: for its host to call.",
    "hook": "Answer an agent's host, or put the hooks into its settings.",
    "mcp": "Serve the memory over MCP on stdio.",
    "init": "Make the store, private or shared through git.",
}
"""Each command and its one line of help; the file of that name in this folder is loaded when it runs."""


class LazyGroup(TyperGroup):
    """A group whose commands are imported when they are called, not when help lists them."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        return list(COMMANDS)

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]
        if cmd_name not in COMMANDS:
            return None
        return load(cmd_name)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[CompletionItem]:
        names = [CompletionItem(name, help=text) for name, text in COMMANDS.items() if name.startswith(incomplete)]
        return names + TyperCommand.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


class TextCommand(TyperCommand):
    """A command that takes `- a list item` for the text it is, not for an option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if "--" not in args and usage.holds_text(self, ctx, args):
            args = usage.separated(self, ctx, args)
        return super().parse_args(ctx, args)


def load(name: str) -> Any:
    """Build the command `name` from its file."""
    module = importlib.import_module(f"promptx_mem.cli.{output.MODULES.get(name, name)}")
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    single.command(name, cls=TextCommand, help=COMMANDS[name] + "\n\n" + (module.__doc__ or ""))(module.command)
    return typer.main.get_command(single)


app = typer.Typer(cls=LazyGroup, rich_markup_mode=None, pretty_exceptions_enable=False)


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
    json: options.Json = False,
) -> None:
    """Keep a memory for agents and people: plain Markdown beside the project."""
    ctx.obj = {"memory_dir": memory_dir}
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def run(arguments: list[str]) -> int:
    """Run one command line and return the exit status. Output and errors are written here and nowhere else."""
    occupy_standard_descriptors()
    words = arguments[: arguments.index("--")] if "--" in arguments else arguments
    as_json = "--json" in words or "--format=json" in words or ("--format", "json") in pairwise(words)
    index = usage.command_index(arguments)
    name = arguments[index] if index is not None and arguments[index] in COMMANDS else ""
    try:
        # What typer itself prints (help, version, completion) is caught, so that it goes out as a result does.
        with _stdout(caught=as_json or not name or "--help" in words) as said:
            status = _call(arguments)
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except Exception as error:  # noqa: BLE001 - a fault of ours must not pass for a verdict: Python's own status is 1
        return output.show_error(name, _explained(error, arguments), as_json=as_json)
    if isinstance(status, Result):
        return output.show(status, as_json=as_json)
    return output.show_text(said.getvalue(), "version" if "--version" in words else "help", status, as_json=as_json)


def _explained(error: Exception, arguments: list[str]) -> PromptxMemError:
    """What went wrong, as an error of ours."""
    if isinstance(error, PromptxMemError):
        return error
    if isinstance(error, typer.TyperException):
        return usage.from_typer(error, arguments, COMMANDS)
    if isinstance(error, OSError):
        return _disk_error(error)
    return output.fault(error)


def _disk_error(error: OSError) -> PromptxMemError:
    from promptx_mem.store.store import disk_errors

    try:
        with disk_errors():
            raise error
    except PromptxMemError as explained:
        return explained


def _call(arguments: list[str]) -> Any:
    """A Result, or the exit status where typer answered by itself."""
    try:
        return typer.main.get_command(app).main(arguments, prog_name=usage.PROGRAM, standalone_mode=False) or 0
    except SystemExit as stop:
        return stop.code or 0


@contextlib.contextmanager
def _stdout(*, caught: bool) -> Iterator[io.StringIO]:
    said = io.StringIO()
    if caught:
        with contextlib.redirect_stdout(said):
            yield said
    else:
        yield said


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
