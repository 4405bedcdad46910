"""What leaves the program: results on stdout, everything else on stderr."""

import contextlib
import json
import os
import sys
from typing import Any, TextIO

from promptx_mem.errors import PromptxMemError
from promptx_mem.result import Result, failure

WRITING_COMMANDS = frozenset({"remember", "import", "init"})
MODULES = {"import": "import_file"}
"""Commands whose file has another name."""

_CANNOT_SHOW = 3


def show(result: Result, *, as_json: bool) -> int:
    """Write a result and return the exit status.

    Where stdout cannot take it, stderr says so; a command that has changed the store has still done so, exit 0.
    """
    if as_json:
        text = encode(result.envelope())
    else:
        for warning in result.warnings:
            write_error(f"warning: {warning}\n")
        text = _render(result)
    try:
        write(text)
    except OSError as error:
        done = result.command in WRITING_COMMANDS
        note = "what was to be stored is stored" if done else "the result is lost"
        write_error(f"promptx-mem: stdout cannot be written ({error.strerror}); {note}\n")
        return result.exit_status if done else _CANNOT_SHOW
    return result.exit_status


def show_error(command: str, error: PromptxMemError, *, as_json: bool) -> int:
    """Write an error: one line, and a second one with the way out. The exit status is the error's."""
    if as_json:
        with contextlib.suppress(OSError):
            write(encode(failure(command, error.exit_status, error.code, error.message, error.hint, error.data)))
    else:
        mark = "🚫 " if error.exit_status == 1 else "promptx-mem: "
        write_error(f"{mark}{error.message}\n" + (f"  → {error.hint}\n" if error.hint else ""))
    return error.exit_status


def encode(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": ")) + "\n"


def write(text: str) -> None:
    """Write to stdout. A reader that has gone away (`| head`) is no error; a closed stdout is."""
    if sys.stdout is None:
        raise OSError(9, "it is closed")
    _put(sys.stdout, text)


def write_error(text: str) -> None:
    """Write to stderr, as well as it can be."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            _put(sys.stderr, text)


def _put(stream: TextIO, text: str) -> None:
    encoding = stream.encoding or "utf-8"
    data = text.encode(encoding, "replace")
    try:
        stream.flush()
        fd = stream.fileno()
        while data:
            data = data[os.write(fd, data) :]
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _render(result: Result) -> str:
    from promptx_mem.cli.render import render

    return render(result, MODULES.get(result.command, result.command))
