"""The command line: lazy commands, and the one place where an error becomes an exit status."""

import importlib
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from promptx_mem import __version__
from promptx_mem.cli import output
from promptx_mem.errors import PromptxMemError, UsageError
from promptx_mem.result import Result
from promptx_mem.store.files import occupy_standard_descriptors
from promptx_mem.store.store import disk_errors

COMMANDS = {
    "remember": "Store a fact, if the gate lets it through.",
    "recall": "Find memories by words, tags, dates; without a cue, what matters most now.",
    "score": "Evaluate six dimensions without storing anything.",
    "import": "Copy the memories of a file that PromptX or a person wrote.",
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

    def format_commands(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def load(name: str) -> Any:
    """Build the command `name` from its file."""
    module = importlib.import_module(f"promptx_mem.cli.{output.MODULES.get(name, name)}")
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    single.command(name, help=COMMANDS[name] + "\n\n" + (module.__doc__ or ""))(module.command)
    return typer.main.get_command(single)


app = typer.Typer(cls=LazyGroup, rich_markup_mode=None, pretty_exceptions_enable=False)


def _version(value: bool) -> None:
    if value:
        output.write(f"promptx-mem {__version__}\n")
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
) -> None:
    """Keep a memory for agents and people: plain Markdown beside the project."""
    ctx.obj = {"memory_dir": memory_dir}
    if ctx.invoked_subcommand is None:
        output.write(ctx.get_help() + "\n")
        raise typer.Exit


def run(arguments: list[str]) -> int:
    """Run one command line and return the exit status. Output and errors are written here and nowhere else."""
    occupy_standard_descriptors()
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    as_json = "--json" in options
    name = next((word for word in options if word in COMMANDS), "")
    try:
        with disk_errors():
            result = typer.main.get_command(app).main(arguments, prog_name="promptx-mem", standalone_mode=False)
        if not isinstance(result, Result):  # help, version, completion
            return result if isinstance(result, int) else 0
        return output.show(result, as_json=as_json)
    except PromptxMemError as error:
        return output.show_error(name, error, as_json=as_json)
    except typer.TyperException as error:
        return output.show_error(name, _usage(error), as_json=as_json)
    except (KeyboardInterrupt, typer.Abort):
        return 130


def _usage(error: typer.TyperException) -> UsageError:
    message = getattr(error, "format_message", error.__str__)()
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "promptx-mem"
    hint = f"{path} --help"
    if "No such option" in message and path.endswith("remember"):
        hint += "   (a text that begins with - goes after --)"
    return UsageError(message, hint=hint)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
