"""The command line: what goes round the parser, and the one place where an error becomes an exit status."""

import contextlib
import importlib
import io
from itertools import pairwise

from promptx_mem.cli import output
from promptx_mem.cli.commands import COMMANDS, command_index
from promptx_mem.errors import PromptxMemError
from promptx_mem.result import Result
from promptx_mem.store.files import occupy_standard_descriptors

_JSON = "--json"
_OF_WORDS = frozenset({"remember", "recall"})
_ALONE = frozenset({"index", "decay", "audit"})
"""Commands that take any number of words, and those that mean something without arguments."""


def run(arguments: list[str]) -> int:
    """Run one command line and return the exit status. Output and errors are written here and nowhere else."""
    occupy_standard_descriptors()
    words = arguments[: arguments.index("--")] if "--" in arguments else arguments
    as_json = _JSON in words or "--format=json" in words or ("--format", "json") in pairwise(words)
    index = command_index(arguments)
    name = arguments[index] if index is not None and arguments[index] in COMMANDS else ""
    said = io.StringIO()
    try:
        if _has_no_options(arguments):
            outcome = _call(name, arguments[1:])
        else:
            from promptx_mem.cli import parser

            # What typer itself prints (help, version, completion) is caught, so that it goes out as a result does.
            with _stdout(said if as_json or not name or "--help" in words else None):
                outcome = parser.call(arguments)
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # noqa: BLE001 - a fault of ours must not pass for a verdict: Python's own status is 1
        return output.show_error(name, _explained(error), as_json=as_json)
    if isinstance(outcome, Result):
        return output.show(outcome, as_json=as_json)
    return output.show_text(said.getvalue(), "version" if "--version" in words else "help", outcome, as_json=as_json)


def _has_no_options(arguments: list[str]) -> bool:
    """Whether there is nothing to parse: a command and words, of which none begins with - but --json, read above.

    Loading typer costs four times what Python does to start (docs/performance.md).
    """
    name, *words = arguments or ("",)
    texts = [word for word in words if word != _JSON]
    return (name in _OF_WORDS or (name in _ALONE and not texts)) and not any(word.startswith("-") for word in texts)


def _call(name: str, words: list[str]) -> Result:
    """Call a command as the parser would: with its words and the defaults of its options."""
    texts = [word for word in words if word != _JSON]
    command = importlib.import_module(f"promptx_mem.cli.{name}").command
    result: Result = command(*([texts] if texts else []), json=_JSON in words)
    return result


def _explained(error: Exception) -> PromptxMemError:
    """What went wrong, as an error of ours."""
    if isinstance(error, PromptxMemError):
        return error
    return _disk_error(error) if isinstance(error, OSError) else output.fault(error)


def _disk_error(error: OSError) -> PromptxMemError:
    from promptx_mem.store.store import disk_errors

    try:
        with disk_errors():
            raise error
    except PromptxMemError as explained:
        return explained


def _stdout(caught: io.StringIO | None) -> contextlib.AbstractContextManager[object]:
    return contextlib.nullcontext() if caught is None else contextlib.redirect_stdout(caught)
