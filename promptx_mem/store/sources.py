"""A reader of all memories and events of a store, including archived ones, and of the lines of the journal."""

import stat
from collections.abc import Iterable

from promptx_mem.core.entry import FORMAT_VERSION, NEWER
from promptx_mem.core.journal import BOM, KINDS, Event, parse_event
from promptx_mem.core.json_text import load_object
from promptx_mem.core.line import Problem
from promptx_mem.core.text import shorten
from promptx_mem.core.times import iso
from promptx_mem.record import TYPE_CHECKING, NamedTuple
from promptx_mem.store import append, files
from promptx_mem.store.files import Path
from promptx_mem.store.layout import Layout
from promptx_mem.store.parsing import Line, episode_lines, read_lines, with_adopted_times

if TYPE_CHECKING:
    from promptx_mem.core.state import State

_TRIES = 5
_UNREAD = "not a valid event"


class Sources(NamedTuple):
    """All lines and events, with the bytes of their files. `events` has each event once.

    `whole` is False if a file was left out for lack of permission. Then the results must not be cached.
    """

    lines: tuple[Line, ...]
    events: tuple[Event, ...]
    problems: tuple[Problem, ...]
    declarative: bytes
    journal: bytes
    whole: bool = True
    recalled: bytes = b""
    episodes: bytes = b""

    def states(self, layout: Layout) -> "dict[str, State]":
        """Compute each memory's state from its line and events, and mark memories that members of a team sent."""
        from promptx_mem.core.fold import fold_all
        from promptx_mem.store import members

        lines = [line.entry for line in self.lines]
        return members.read(layout).mark(fold_all(lines, self.events), lines)


def newer(problems: Iterable[Problem]) -> int:
    """Return the number of lines that a newer version of promptx-mem has written."""
    return sum(problem.message.startswith(NEWER) for problem in problems)


def read(layout: Layout) -> Sources:
    """Read all memories and events of a store.

    A hand-written line without a time gets the file's modification time, until an `adopted` event records the time.
    """
    from promptx_mem.store import archive

    try:
        for _ in range(_TRIES):
            names = archive.names(layout)
            sources = _read(layout, names)
            if archive.names(layout) == names:
                break  # otherwise a compaction could have moved lines that we missed
    except PermissionError:
        return _read(layout, [])._replace(whole=False)
    return sources


def _read(layout: Layout, names: list[str]) -> Sources:
    from promptx_mem.store import archive, episodes, recalled

    lines: list[Line] = []
    events: list[Event] = []
    whole = True
    for name in names:
        try:
            data = archive.read_permitted(layout, name)
        except PermissionError:
            whole = False
            continue
        if name.endswith(archive.LINES):
            lines += read_lines(data, modified(layout.archive / name), name).lines
        else:
            events += read_events(data, name)[0]
    declarative = append.read_settled(layout, layout.declarative)
    live = read_lines(declarative, modified(layout.declarative))
    journal = append.read_settled(layout, layout.journal)
    live_events, wrong = read_events(journal, "journal.jsonl")
    recalls = recalled.read(layout)
    try:
        talks = episodes.read(layout)
    except PermissionError:
        talks, whole = b"", False
    lines += episode_lines(talks)
    all_events = tuple(dict.fromkeys((*events, *live_events, *recalled.parse(recalls))))
    all_lines = with_adopted_times((*lines, *live.lines), all_events)
    return Sources(all_lines, all_events, (*live.problems, *wrong), declarative, journal, whole, recalls, talks)


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


def modified(path: Path) -> str:
    """Return a file's modification time in RFC 3339 format, 1970 if missing.

    Raises OSError. With another time instead, a hand-written memory would keep the wrong time.
    """
    status = files.status(path)
    stamp = status.st_mtime if status is not None and stat.S_ISREG(status.st_mode) else 0.0
    return iso(stamp)
