"""The progress of work that takes longer than half a second: a count, or the elapsed time, on a terminal."""

import _thread
import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator

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
