"""A progress bar on a terminal for what takes longer than half a second."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

_AFTER_SECONDS = 0.5
_WIDTH = 30


@contextlib.contextmanager
def progress(*, show: bool, label: str = "reading the store") -> Iterator[Callable[[int, int], None] | None]:
    """Give a callback for (done, total) that draws on stderr where that is a terminal; None elsewhere."""
    if not show or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    start = time.monotonic()
    drawn = False

    def report(count: int, total: int) -> None:
        nonlocal drawn
        if time.monotonic() - start < _AFTER_SECONDS:
            return
        drawn = True
        filled = _WIDTH * count // max(total, 1)
        sys.stderr.write(f"\r{label} {'━' * filled}{'╌' * (_WIDTH - filled)} {count}/{total}")
        sys.stderr.flush()

    try:
        yield report
    finally:
        if drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
