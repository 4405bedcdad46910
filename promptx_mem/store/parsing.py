"""Lines and events, parsed from the bytes of a store's files."""

import contextlib
import os
from collections.abc import Iterable, Sequence

from promptx_mem.core.entry import FORMAT_VERSION, NEWER, Entry
from promptx_mem.core.journal import BOM, KINDS, Event, parse_event
from promptx_mem.core.json_text import load_object
from promptx_mem.core.line import Problem, parse_line
from promptx_mem.core.text import shorten
from promptx_mem.core.times import epoch
from promptx_mem.errors import StoreError
from promptx_mem.record import NamedTuple
from promptx_mem.store import files
from promptx_mem.store.files import Path
from promptx_mem.store.layout import EPISODES as EPISODES_FILE

_UNREAD = "not a valid event"

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


def read_events(data: bytes, name: str) -> tuple[list[Event], list[Problem]]:
    """Read journal lines. Return the events, and a Problem for each invalid or newer line."""
    events: list[Event] = []
    problems: list[Problem] = []
    unread: list[tuple[int, str]] = []
    for number, raw in enumerate(data.split(b"\n"), 1):
        text = raw.decode("utf-8", "replace").strip()
        if not text:
            continue
        event = parse_event(text)
        if event is not None:
            events.append(event)
        if (event is None or event.kind not in KINDS or '"v"' in text) and (trouble := version_trouble(text)):
            problems.append(Problem(name, number, trouble, "upgrade promptx-mem"))
        elif event is None:
            unread.append((number, text))
    if unread:
        from promptx_mem.core import document

        groups = document.conflicts((number, text) for number, text in unread if document.is_marker(text))
        problems += [Problem(name, group[0], document.CONFLICT, document.CONFLICT_FIX) for group in groups]
        marks = {number for group in groups for number in group}
        wrong = (number for number, _ in unread if number not in marks)
        problems += [Problem(name, number, _UNREAD, "fix or delete this line") for number in wrong]
    return events, sorted(problems, key=lambda problem: problem.line)


def version_trouble(line: str) -> str:
    """Return the warning about a journal line that a newer version wrote; empty for any other line."""
    fields = load_object(line.removeprefix(BOM)) or {}
    kind = fields.get("e")
    if (version := fields.get("v", FORMAT_VERSION)) != FORMAT_VERSION:
        return f"{NEWER} (format {shorten(repr(version), 40)})"
    return f"{NEWER} (an event {shorten(kind, 40)!r})" if isinstance(kind, str) and kind and kind not in KINDS else ""


def read_ranges(path: Path, places: Sequence[tuple[int, int]]) -> list[bytes]:
    """Return the bytes between each pair of positions in a store's file; all empty if the file is missing."""
    if not places:
        return []
    with contextlib.suppress(FileNotFoundError, StoreError), files.opened(path, os.O_RDONLY) as fd:
        return [os.pread(fd, stop - start, start) for start, stop in places]
    return [b""] * len(places)
