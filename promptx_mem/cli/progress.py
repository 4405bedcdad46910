"""The progress of work that takes longer than half a second: a count, or the elapsed time, on a terminal."""

import _thread
import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator

from promptx_mem.record import TYPE_CHECKING

if TYPE_CHECKING:
    from threading import Event

_AFTER_SECONDS = 0.5
_EVERY_SECONDS = 0.2
_drawing = _thread.allocate_lock()

_UNTOLD = 80
"""Assumed number of columns of a terminal whose width is unknown."""


class _Work:
    """The progress of a task. The task only updates the numbers, and another thread draws them."""

    def __init__(self, label: str) -> None:
        self.label, self.start = label, time.monotonic()
        self.count = self.total = 0

    def note(self, count: int, total: int) -> None:
        self.count, self.total = count, total

    def line(self, columns: int) -> str:
        """Return the line to draw, cut to less than the terminal's width, because a wrapped line cannot be erased."""
        is_counting = 0 < self.count < self.total
        amount = f"{self.count}/{self.total}" if is_counting else f"… {time.monotonic() - self.start:.0f} s"
        return f"{self.label} {amount}"[: columns - 1]


@contextlib.contextmanager
def progress(*, show: bool, label: str = "reading the store") -> Iterator[Callable[[int, int], None] | None]:
    """Yield a callback for (done, total) that shows progress on stderr, or None if stderr is not a terminal.

    A thread draws the progress at intervals, because some steps do not call the callback.
    """
    if not show or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    import threading

    work, over = _Work(label), threading.Event()
    drawing = threading.Thread(target=_draw, args=(work, over), daemon=True)
    drawing.start()
    try:
        yield work.note
    finally:
        over.set()
        drawing.join()


def _draw(work: _Work, over: "Event") -> None:
    pause = _AFTER_SECONDS
    while not over.wait(pause):
        pause = _EVERY_SECONDS
        columns = 0
        with contextlib.suppress(OSError, ValueError):
            columns = os.get_terminal_size(sys.stderr.fileno()).columns
        with _drawing:
            _put(f"\r\x1b[K{work.line(columns or _UNTOLD)}")
    if pause == _EVERY_SECONDS:
        _put("\r\x1b[K")


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
