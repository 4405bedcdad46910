"""What is measured of the page, and its bounds."""

from typing import Any, TypedDict

OPEN_MS, FILTER_MS = 1000.0, 100.0


class Times(TypedDict):
    """The median, the least and the most, in ms."""

    ms: float
    least: float
    most: float


class Filtered(Times):
    """`first`: typed as soon as the page is there, before its texts were folded; `left`: what the page then says."""

    name: str
    first: bool
    left: str


class Opened(TypedDict):
    """What the browser tells."""

    chromium: str
    opened: Times
    filters: list[Filtered]
    frame_ms: float
    heap_mb: float


class Result(Opened):
    """All of it. `bare_ms` of the machine is a start of Python."""

    v: int
    version: str
    made: str
    machine: dict[str, Any]
    memories: int
    rounds: int
    bytes: int
    written_s: float
