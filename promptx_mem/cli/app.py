"""The entry point of the command line. Only this module maps errors to exit statuses."""

from itertools import pairwise

from promptx_mem.cli import output, plain
from promptx_mem.cli.commands import COMMANDS, HELP, command_index, handler_of
from promptx_mem.record import Any
from promptx_mem.result import Result
from promptx_mem.store.files import occupy_standard_descriptors

_OUTPUT = ("-o", "--output")
"""Options that send an export to a file. Then `--format` is the format of the file, not of the answer."""


def run(arguments: list[str]) -> int:
    """Run one command line, write its result or error, and return the exit status."""
    occupy_standard_descriptors()
    words = arguments[: arguments.index("--")] if "--" in arguments else arguments
    wants_json = "--format=json" in words or ("--format", "json") in pairwise(words)
    as_json = "--json" in words or (wants_json and not any(word.startswith(_OUTPUT) for word in words))
    index = command_index(arguments)
    name = arguments[index] if index is not None and arguments[index] in COMMANDS else ""
    output.named_store = None
    try:
        outcome = _outcome(arguments, index, name, as_json=as_json)
    except KeyboardInterrupt:
        if name == "import":
            output.write_error("promptx-mem: interrupted: the same command skips memories that are already stored\n")
        return 130
    except Exception as error:  # noqa: BLE001 - Python would exit with 1, the status of a refusal
        from promptx_mem.cli import usage

        return usage.show(name, error, as_json=as_json)
    return output.write_result(outcome, as_json=as_json) if isinstance(outcome, Result) else outcome


def _outcome(arguments: list[str], index: int | None, name: str, *, as_json: bool) -> Result[Any] | int:
    """Run a command and return its result; or print help, the version or completions, and return the exit status."""
    if index is not None:
        if not name:
            from promptx_mem.cli import usage

            raise usage.no_such_command(arguments[index])
        values = plain.read(name, [*arguments[:index], *arguments[index + 1 :]])
        if values is not None:
            result: Result[Any] = handler_of(name).command(**values)
            return result
        arguments = [name, HELP[0]]
    from promptx_mem.cli import parser

    return parser.show(arguments, as_json=as_json)
