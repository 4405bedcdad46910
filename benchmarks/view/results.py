"""Measurements of the page, and their limits."""

from typing import Any, TypedDict

OPEN_MS, FILTER_MS = 1000.0, 100.0


class Times(TypedDict):
    """Median, minimum and maximum in ms."""

    ms: float
    least: float
    most: float


class Filtered(Times):
    """`first`: typed as soon as the page is open, before its texts are folded; `left`: the count that it shows."""

    name: str
    first: bool
    left: str


class Opened(TypedDict):
    """Results of the browser."""

    chromium: str
    opened: Times
    filters: list[Filtered]
    frame_ms: float
    heap_mb: float


class Result(Opened):
    """All results. `bare_ms` of the machine is the time of a start of Python."""

    v: int
    version: str
    made: str
    machine: dict[str, Any]
    memories: int
    rounds: int
    bytes: int
    written_s: float
