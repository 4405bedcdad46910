"""Output of the program: results on stdout, everything else on stderr."""

import contextlib
import io
import os
import sys
from collections.abc import Mapping

from promptx_mem.cli.commands import COMMANDS, handler_of, payload_of
from promptx_mem.core.json_text import dumps
from promptx_mem.core.text import NO_COMMAND, is_plain, printable_lines, printable_values, replace_unprintable
from promptx_mem.machine import is_chinese
from promptx_mem.record import Any, TextIO
from promptx_mem.result import Result, complete

MOST_TOKENS = 4_000
"""Maximum number of tokens of text output with a `Result.cut`. Commands with -n set none."""

_ASCII = ("ascii", "us-ascii", "ansi_x3.4-1968")
"""Names of ASCII, the encoding of the C locale. Output is UTF-8 instead, because terminals can show it."""


class Verbatim(str):
    """The text of a result that must be shown unchanged, without wrapping: a prompt for a model, a file or a diff."""

    __slots__ = ()


named_store: str | None = None
"""The value of --memory-dir in the command line. Printed commands contain it too, to name the same store."""


def write_result(result: Result[Any], *, as_json: bool) -> int:
    """Write a result and return the exit status.

    If stdout cannot be written, report this on stderr and return 3. A command that changes the store keeps its status.
    """
    result = result._replace(warnings=tuple(map(located, result.warnings)))
    if not as_json:
        for warning in result.warnings:
            if warning != result.instead:
                write_error(printable_lines(local(f"warning: {local(warning)}\n")))
        if result.instead:
            write_error(printable_lines(local(f"{result.instead}\n")))
            return result.exit_status
    is_stored = COMMANDS[result.command].writes
    note = "; the change is stored" if is_stored else "; repeat the command"
    text = encode(result.envelope(payload_of(result.command))) if as_json else _bounded(result)
    status = write_or_report(text, result.exit_status, note)
    return result.exit_status if is_stored else status


def write_or_report(text: str, status: int, note: str = "") -> int:
    """Write a text to stdout and return `status`. If that fails, report it on stderr and return 3."""
    try:
        write(text)
    except OSError as error:
        write_error(f"promptx-mem: the result cannot be shown ({error.strerror}){note}\n")
        return 3
    return status


def encode(value: Mapping[str, object]) -> str:
    """Return an object as one line of JSON. Unprintable characters are escaped, because terminals could act on them."""
    return replace_unprintable(dumps(value, ascii_only=False, space=" "), lambda char: dumps(char)[1:-1]) + "\n"


def write(text: str) -> None:
    """Write to stdout. Raises OSError, for example if stdout is closed, but not if its reader has ended (`| head`)."""
    if sys.stdout is None:
        raise OSError(9, "stdout is closed")
    _write_to(sys.stdout, text)


def write_error(text: str) -> None:
    """Write to stderr, if that is possible."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            _write_to(sys.stderr, fitted(text, sys.stderr))


def _write_to(stream: TextIO, text: str) -> None:
    try:
        stream.flush()
        fd = stream.fileno()
    except io.UnsupportedOperation:  # `stream` is not a file, because the output is caught
        stream.write(text)
        return
    # Files and pipes get UTF-8, like the store. A terminal gets its own encoding.
    encoding = (stream.encoding or "utf-8") if stream.isatty() else "utf-8"
    data = text.encode("utf-8" if encoding.lower() in _ASCII else encoding, "replace")
    try:
        while data:
            data = data[os.write(fd, data) :]
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), fd)


def _bounded(result: Result[Any]) -> str:
    """Render a result. Shorten a list that is too long, and print on stderr how many items were left out."""
    text = rendered(result)
    if not result.cut or len(text.encode("utf-8", "replace")) <= MOST_TOKENS:  # a token has at least one byte
        return text
    from promptx_mem.cli import folding

    text, note = folding.cut(result, text, rendered, MOST_TOKENS)
    write_error(printable_lines(local(note)))
    return text


def rendered(result: Result[Any]) -> str:
    """Return the text of a result for stdout. Rich is loaded only to draw on a terminal."""
    handler = handler_of(result.command)
    data = complete(payload_of(result.command), result.data)
    is_terminal = is_on_terminal() and os.environ.get("TERM") != "dumb"  # it has colours and cursor control
    if not is_terminal and handler.is_exact and handler.is_exact(data):
        return str(handler.as_text(data))
    as_one = dumps(data, ascii_only=False)  # to test it takes less time than to test each text
    if "\\" in as_one or not is_plain(as_one):
        data = printable_values(data)
    if is_terminal and handler.draw:
        from rich.console import Console

        console = Console(highlight=False, markup=False, emoji=False, no_color="NO_COLOR" in os.environ or None)
        with console.capture() as capture:
            handler.draw(data, console)
        return capture.get()
    text: str = handler.as_text(data)
    return text if isinstance(text, Verbatim) else fitted(text, sys.stdout).replace(NO_COMMAND, "")


def fitted(text: str, stream: TextIO | None) -> str:
    """Wrap the text to the width of the terminal, if the stream is a terminal."""
    try:
        if stream is None or not stream.isatty():
            return text
        told = os.environ.get("COLUMNS", "")  # overrides the width of the terminal, unless it is 0
        columns = (int(told) if told.isdecimal() else 0) or os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        return text
    if not columns or all(len(line) <= columns // 2 for line in text.split("\n")):
        return text
    from promptx_mem.cli.folding import fold

    return fold(text, columns)


def located(text: str) -> str:
    """Return a message whose commands name the store of this command line."""
    if named_store is None or "promptx-mem " not in text:
        return text
    from promptx_mem.cli.folding import located

    return located(text, named_store)


def local(text: str) -> str:
    """Return a message in the user's language. Its commands name the store of this command line."""
    text = located(text)
    if "<0-10>" in text:
        from promptx_mem.cli.folding import of_person

        text = of_person(text)
    if not is_chinese():
        return text
    from promptx_mem.cli import chinese

    return chinese.translated(text)


def hints(text: str, indent: str = "  ") -> str:
    """Return the lines that show the hint of an error."""
    return "".join(f"{indent}→ {local(line)}\n" for line in text.splitlines() if line)


def is_on_terminal() -> bool:
    """Return whether stdout is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()
