"""Output on a terminal in columns and colours, questions to a person, text from stdin, and progress of long work."""

import _thread
import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping

from promptx_mem.cli.folding import spans
from promptx_mem.cli.output import fitted, local, write, write_error
from promptx_mem.core.shell import quote
from promptx_mem.core.text import printable_lines, shorten
from promptx_mem.errors import Refused, UsageError
from promptx_mem.record import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


def cell(value: object) -> str:
    """Return a value from a file as one short, printable text; – for None."""
    return "–" if value is None else shorten(str(value), 24)


def print_wrapped(console: "Console", text: "Text | str", indent: int = 4, *, commands: bool = True) -> None:
    """Draw lines. Long lines are wrapped with an indent, but a promptx-mem command stays on one line."""
    from rich.text import Text

    for line in (Text(text) if isinstance(text, str) else text).split("\n", allow_blank=True) or [Text()]:
        for start, end in spans(line.plain, console.width, indent, commands=commands):
            console.print(Text(" " * indent if start else "") + line[start:end], soft_wrap=True)


def _ask(question: str, *, err: bool) -> str:
    """Return the person's answer to a question. Raises KeyboardInterrupt for Ctrl-C or Ctrl-D."""
    (write_error if err else write)(f"{question} ")
    try:
        return input().strip()
    except (EOFError, KeyboardInterrupt):
        write_error("\n")
        raise KeyboardInterrupt from None


_YES_OR_NO = {"y": "yes", "n": "no", "是": "yes", "是的": "yes", "对": "yes", "否": "no", "不是": "no"}


def confirmed(question: str, *, err: bool = False) -> bool:
    """Return whether the answer to a question is yes (default: no). Raises KeyboardInterrupt for Ctrl-C or Ctrl-D."""
    return _one_of(local(f"{printable_lines(question)} [y/N]:"), ("yes", "no"), _YES_OR_NO, err=err) == "yes"


def typed_name(question: str, name: str) -> bool:
    """Ask the person to type a store's name. Return whether it was typed. Raises KeyboardInterrupt for Ctrl-C."""
    name = " ".join(name.split()) or "yes"
    asked = local(f"{printable_lines(question)}\nTo confirm, type {name}:")
    return " ".join(_ask(asked, err=True).split()) == name


def demand_typed_name(question: str, name: str, refusal: str) -> None:
    """Ask the person to type a store's name. Raises Refused for another text, and KeyboardInterrupt for Ctrl-C."""
    if not typed_name(question, name):
        raise Refused(refusal, code="not_confirmed")


def chosen(question: str, answers: tuple[str, ...], words: Mapping[str, str]) -> str:
    """Ask for one of several answers; the last is the default. `words` maps other words to answers.

    Two letters of a word are enough. Raises KeyboardInterrupt for Ctrl-C or Ctrl-D.
    """
    listed = local(f"{', '.join(answers)} [{answers[-1]}]:")
    return _one_of(fitted(f"{local(printable_lines(question))} {listed}", sys.stdout), answers, words)


def _one_of(asked: str, answers: tuple[str, ...], words: Mapping[str, str], *, err: bool = False) -> str:
    words = {**words, **{name: name for name in answers}}
    while True:
        answer = (_ask(asked, err=err) or answers[-1]).lower()
        matches = {name for word, name in words.items() if word.startswith(answer) and name in answers}
        if len(matches) == 1 and (len(answer) > 1 or answer in words):
            return matches.pop()
        (write_error if err else write)(
            local(f"{shorten(answer, 40)!r} is not one of the answers above; to stop: Ctrl-C\n")
        )


def read_stdin(limit: int, hint: str) -> str:
    """Read all of stdin. Raises UsageError if it is closed, is a terminal, exceeds `limit` bytes, or is not UTF-8."""
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("stdin is a terminal or closed: pipe the text in", code="no_text", hint=hint)
    data = sys.stdin.buffer.read(limit + 1)
    if len(data) > limit:
        raise UsageError(f"stdin has more than {limit} bytes", hint=hint)
    return decoded(data)


def read_question() -> str:
    """Read a query from stdin, of at most 100,000 bytes, more than a memory can have. Raises UsageError."""
    hint = "for example: echo 'how do we deploy?' | promptx-mem recall -"
    if question := read_stdin(100_000, hint).strip():
        return question
    raise UsageError("there is nothing on stdin", code="no_text", hint=hint)


def decoded(data: bytes, name: str = "") -> str:
    """Return the bytes of the file `name`, or of stdin, as text. Raises UsageError if they are not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        hint = "convert it to UTF-8 first, for Chinese often: iconv -f gbk -t utf-8" + f" {quote(name)}" * bool(name)
        raise UsageError(
            f"{shorten(name, 60) or 'stdin'} is not UTF-8 (byte {error.start + 1})", code="bad_encoding", hint=hint
        ) from None


_AFTER_SECONDS = 0.5
_EVERY_SECONDS = 0.2
_drawing = _thread.allocate_lock()


@contextlib.contextmanager
def progress(*, show: bool, label: str = "reading the store") -> Iterator[Callable[[int, int], None] | None]:
    """Yield a callback for (done, total) that shows progress on stderr; None without `show` or a terminal.

    A thread draws the progress at intervals, because some steps do not call the callback.
    """
    if not show or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    import threading

    over, start, numbers = threading.Event(), time.monotonic(), [0, 0]

    def note(*done_and_total: int) -> None:
        numbers[:] = done_and_total

    def draw() -> None:
        pause = _AFTER_SECONDS
        while not over.wait(pause):
            pause = _EVERY_SECONDS
            count, total = numbers
            amount = f"{count}/{total}" if 0 < count < total else f"… {time.monotonic() - start:.0f} s"
            with _drawing:
                # cut to less than the terminal's width, because a wrapped line cannot be erased
                _put(f"\r\x1b[K{f'{label} {amount}'[: _columns() - 1]}")
        if pause == _EVERY_SECONDS:
            _put("\r\x1b[K")

    drawing = threading.Thread(target=draw, daemon=True)
    drawing.start()
    try:
        yield note
    finally:
        over.set()
        drawing.join()


def _columns() -> int:
    """Return the width of the terminal, or 80 if it is unknown."""
    with contextlib.suppress(OSError, ValueError):
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    return 80


@contextlib.contextmanager
def paused() -> Iterator[None]:
    """Stop drawing while a person answers a question."""
    with _drawing:
        if sys.stderr is not None and sys.stderr.isatty():
            _put("\r\x1b[K")
        yield


def _put(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):  # the terminal was closed
        sys.stderr.write(text)
        sys.stderr.flush()
