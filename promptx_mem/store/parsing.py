"""Lines of memories, parsed from the bytes of a store's files. Few commands need events, which `sources` parses."""

import contextlib
import os
from collections.abc import Iterable, Sequence

from promptx_mem.core.entry import Entry
from promptx_mem.core.journal import Event
from promptx_mem.core.line import Problem, parse_line
from promptx_mem.core.times import epoch
from promptx_mem.errors import StoreError
from promptx_mem.record import NamedTuple
from promptx_mem.store import files
from promptx_mem.store.files import Path
from promptx_mem.store.layout import EPISODES as EPISODES_FILE

EPISODES = f"conversations/{EPISODES_FILE}"
"""The name of the file of episodes in messages and in `Line.archived`."""


class Line(NamedTuple):
    """A memory's line, with its byte offsets in declarative.md or in the file `archived` of archive/.

    For an episode made from a conversation, `archived` is EPISODES. `has_time` is False for a hand-written line
    that has no time, or a time without a UTC offset.
    """

    entry: Entry
    start: int
    end: int
    archived: str | None = None
    has_time: bool = True


class Lines(NamedTuple):
    lines: list[Line]
    problems: tuple[Problem, ...]


def read_lines(data: bytes, seen_at: str = "1970-01-01T00:00:00+00:00", archived: str | None = None) -> Lines:
    """Read memory lines. `seen_at` becomes the time of a line that has no time."""
    if data.find(b"\n", 0, -1) < 0:  # one line: it is nearly always promptx-mem's, so try the quick parser
        own = parse_line(data.removesuffix(b"\n").decode("utf-8", "replace"))
        if own is not None and not own.problems and own.entry.at is not None:
            return Lines([Line(own.entry, 0, len(data), archived)], ())
    from promptx_mem.core import document

    read_back = document.read(data, archived or "declarative.md")
    lines = []
    for bullet in read_back.bullets:
        entry = bullet.as_entry()
        has_time = entry.at is not None and bullet.entry is not None
        entry = entry if entry.at is not None else entry._replace(at=seen_at)
        lines.append(Line(entry, bullet.start, bullet.end, archived, has_time))
    return Lines(lines, read_back.problems)


def episode_lines(data: bytes, start: int = 0) -> list[Line]:
    """Return the episodes in `data`, which are the bytes of the episodes file from offset `start`."""
    from promptx_mem.store import episodes

    return [Line(entry, first, stop, EPISODES) for entry, first, stop in episodes.parse(data, start)]


def with_adopted_times(lines: Iterable[Line], events: Iterable[Event]) -> tuple[Line, ...]:
    """Return the lines. Hand-written lines get the time of an `adopted` event, since file times differ by machine."""
    adopted: dict[str, str] = {}
    adoptions = [event for event in events if event.kind == "adopted"]
    for event in sorted(adoptions, key=lambda event: (epoch(event.at), event.at), reverse=True):
        adopted.update(dict.fromkeys(event.ids, event.at))  # the earliest event is last, so it counts
    out = []
    for line in lines:
        at = None if line.has_time else adopted.get(line.entry.id) or adopted.get(line.entry.was or "")
        out.append(line._replace(entry=line.entry._replace(at=at)) if at else line)
    return tuple(out)


def read_ranges(path: Path, places: Sequence[tuple[int, int]]) -> list[bytes]:
    """Return the bytes between each pair of positions in a store's file; all empty if the file is missing."""
    if not places:
        return []
    with contextlib.suppress(FileNotFoundError, StoreError), files.opened(path, os.O_RDONLY) as fd:
        return [os.pread(fd, stop - start, start) for start, stop in places]
    return [b""] * len(places)
