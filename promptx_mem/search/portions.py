"""Ask for many values in statements of few lengths: to read one takes SQLite as long as to answer it."""

from collections.abc import Iterable, Iterator
from typing import Any

_MOST = 480
"""Variables of one statement: SQLite before 3.32 takes 999, and others stand beside these."""

_STEP = 16


def portions(values: Iterable[Any]) -> Iterator[tuple[str, list[Any]]]:
    """Yield question marks for an IN, and as many of the values; the last of them fills up what is over."""
    every = list(values)
    for start in range(0, len(every), _MOST):
        some = every[start : start + _MOST]
        some += some[-1:] * (-len(some) % _STEP)
        yield ",".join("?" * len(some)), some
