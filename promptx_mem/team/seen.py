"""What of the files was looked at in the last exchange, all of it sent: what stands behind it is all that is new."""

from collections.abc import Iterator
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from promptx_mem.core.journal import Event, format_event, parse_event
from promptx_mem.core.line import parse_line
from promptx_mem.search.cache import archive_identity, identity
from promptx_mem.store import append, recalled
from promptx_mem.team import notes
from promptx_mem.team.notes import Prefix, Seen

if TYPE_CHECKING:
    from promptx_mem.core.entry import Entry
    from promptx_mem.store.layout import Layout


class Files(NamedTuple):
    """The files at one moment."""

    declarative: bytes
    journal: bytes
    archive: str
    episodes: str

    def seen(self, layout: "Layout", count: int) -> Seen:
        """What is noted of them, once all that they hold is sent."""
        sizes = (_prefix(self.declarative), _prefix(self.journal))
        return Seen(*sizes, self.archive, self.episodes, sent_digest(layout), count)


class Tail(NamedTuple):
    """What came since: lines of ours with their bytes, and events."""

    lines: "list[tuple[bytes, Entry]]"
    events: list[tuple[bytes, Event]]


def read(layout: "Layout") -> Files:
    """Read the files. Raises OSError, StoreError."""
    archive, episodes = archive_identity(layout), identity(layout.episodes)
    data = (append.read_settled(layout, path) for path in (layout.declarative, layout.journal))
    return Files(next(data), next(data), archive, episodes)


def sent_digest(layout: "Layout") -> str:
    """A digest of `.team/sent` as it is."""
    return blake2b(notes.sent_bytes(layout), digest_size=16).hexdigest()


def tail(layout: "Layout", files: Files, seen: Seen | None, sent: set[bytes]) -> Tail | None:
    """What stands behind what was seen and was not sent; None where that is not all that can have happened since.

    So it is with an edit, with a line that is not whole and ours, and with a purge.
    """
    if seen is None or seen[2:5] != (files.archive, files.episodes, sent_digest(layout)):
        return None
    parts = [_behind(files.declarative, seen.declarative), _behind(files.journal, seen.journal)]
    if None in parts:
        return None
    out = Tail([], [])
    for raw in _fresh(parts[0] or b"", sent):
        line = parse_line(raw.decode("utf-8", "replace"))
        if line is None or line.problems or line.entry.at is None or line.entry.category == "episode":
            return None
        out.lines.append((raw, line.entry))
    for raw in _fresh(parts[1] or b"", sent):
        event = parse_event(raw.decode("utf-8", "replace"))
        if event is None or event.kind == "purged":
            return None
        out.events.append((raw, event))
    recalls = ((format_event(event).encode(), event) for event in recalled.events(recalled.loose(layout)))
    out.events.extend((raw, event) for raw, event in recalls if notes.digest(raw) not in sent)
    return out


def _prefix(data: bytes) -> Prefix:
    return Prefix(len(data), blake2b(data, digest_size=16).hexdigest())


def _behind(data: bytes, before: Prefix) -> bytes | None:
    if _prefix(data[: before.size]) != before or (before.size and data[before.size - 1 : before.size] != b"\n"):
        return None
    rest = data[before.size :]
    return rest if not rest or rest.endswith(b"\n") else None


def _fresh(data: bytes, sent: set[bytes]) -> Iterator[bytes]:
    return (raw for raw in data.split(b"\n") if raw and notes.digest(raw) not in sent)
