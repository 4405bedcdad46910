"""A bundle or a store of ours, taken apart: memories with the bytes that say them, events with theirs."""

from collections.abc import Iterable
from typing import NamedTuple

from promptx_mem.core import document
from promptx_mem.core.bundle import ARCHIVED_EVENTS, ARCHIVED_LINES, CONVERSATION, DECLARATIVE, JOURNAL, Files
from promptx_mem.core.entry import Entry, Problem
from promptx_mem.core.events import fold_all
from promptx_mem.core.journal import Event
from promptx_mem.core.state import State, lives
from promptx_mem.core.text import plural
from promptx_mem.importers.form import Item, Reading, Rest
from promptx_mem.importers.promptx_md import of_entry
from promptx_mem.store import sources


class Chunk(NamedTuple):
    """A memory as its file says it, all its bytes; `has_time` is False for a line by hand without a time of its own."""

    raw: bytes
    entry: Entry
    line: int
    has_time: bool


class Pieces(NamedTuple):
    """What lies in the files. `lines` and `events` are by the name of their file; `modified`: the time of its own."""

    lines: dict[str, list[Chunk]]
    events: dict[str, list[tuple[bytes, Event | None]]]
    talks: dict[str, bytes]
    problems: tuple[Problem, ...]
    modified: str

    def chunks(self) -> Iterable[Chunk]:
        return (chunk for chunks in self.lines.values() for chunk in chunks)

    def understood(self) -> list[Event]:
        return [event for events in self.events.values() for _, event in events if event is not None]


def apart(files: Files, modified: str) -> Pieces:
    """Take a store's files apart; `modified` is the time of a line by hand that has none."""
    lines: dict[str, list[Chunk]] = {}
    events: dict[str, list[tuple[bytes, Event | None]]] = {}
    problems: list[Problem] = []
    for name, data in files.items():
        if name == DECLARATIVE or ARCHIVED_LINES.fullmatch(name):
            content = document.read(data, name)
            lines[name] = [_chunk(bullet, data, modified) for bullet in content.bullets]
            problems += content.problems
        elif name == JOURNAL or ARCHIVED_EVENTS.fullmatch(name):
            events[name] = []
            for raw in data.splitlines(keepends=True):
                read, _ = sources.read_events(raw, name)
                if raw.strip():
                    events[name].append((raw, read[0] if read else None))
    talks = {name: data for name, data in files.items() if CONVERSATION.fullmatch(name)}
    return Pieces(lines, events, talks, tuple(problems), modified)


def _chunk(bullet: document.Bullet, data: bytes, modified: str) -> Chunk:
    entry = bullet.as_entry()
    has_time = bullet.entry is not None
    return Chunk(
        data[bullet.start : bullet.end], entry if entry.at else entry._replace(at=modified), bullet.line, has_time
    )


def reading(pieces: Pieces, now: float) -> Reading:
    """Read its living memories as any import's: no event, no core, nobody's word that it is confirmed."""
    folded = states(pieces)
    alive = [state for state in folded.values() if lives(state, now)]
    facts = [state for state in alive if state.category != "episode"]
    notes = []
    if ended := len(folded) - len(alive):
        notes.append(f"{plural(ended, 'memory has', 'memories have')} ended there, and come in with --mine alone")
    if episodes := len(alive) - len(facts):
        notes.append(f"{plural(episodes, 'episode')} of conversations come in with --mine alone")
    if pieces.talks:
        notes.append(f"{plural(len(pieces.talks), 'conversation')} come in with --mine alone")
    leftovers = tuple(Rest(problem.line, f"{problem.message}: {problem.mend}") for problem in pieces.problems)
    return Reading(tuple(_item(state) for state in facts), leftovers, notes=tuple(notes))


def states(pieces: Pieces) -> dict[str, State]:
    """Fold the memories of a store that were not purged."""
    lines = [sources.Line(chunk.entry, 0, 0, None, chunk.has_time) for chunk in pieces.chunks()]
    events = pieces.understood()
    folded = fold_all((line.entry for line in sources.settled(lines, events)), events)
    return {ident: state for ident, state in folded.items() if state.end != "purged"}


def _item(state: State) -> Item:
    entry = state.entry._replace(tags=state.tags, score=state.score, duration=state.duration)
    return of_entry(entry, 0)
