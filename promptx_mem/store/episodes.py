"""conversations/episodes.jsonl: private memories of category episode, which were made from conversations.

One JSON object per line, `{"line": "- [2026-01-03 18:00] …"}`, so that a line cut short by a crash does not parse.
"""

from collections.abc import Iterator, Sequence

from promptx_mem.core.entry import Entry
from promptx_mem.core.json_text import as_line, load_object
from promptx_mem.core.line import line_ranges, parse_line
from promptx_mem.core.text import lines_at
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.store import disk, files, intent
from promptx_mem.store.layout import Layout

if TYPE_CHECKING:
    from promptx_mem.core.slices import Reference


def read(layout: Layout) -> bytes:
    """Return the complete lines of the episodes file. Raises OSError, StoreError."""
    data = files.read(layout.episodes) or b""
    return data[: data.rfind(b"\n") + 1]


def parse(data: bytes, start: int = 0) -> Iterator[tuple[Entry, int, int]]:
    """Yield each episode with the start and end offset of its line; skip invalid lines.

    `data` is the file from offset `start`.
    """
    for raw, first, stop in line_ranges(data, start):
        if raw and (entry := entry_of(raw)) is not None:
            yield entry, first, stop


def entry_of(raw: bytes) -> Entry | None:
    """Return the episode in a line of the file; None if the line is invalid."""
    fields = load_object(raw) or {}
    line = fields.get("line")
    if not isinstance(line, str) or (read_back := parse_line(line)) is None:
        return None
    entry = read_back.entry
    return entry if entry.at is not None and entry.category == "episode" else None


def of_slice(data: bytes, reference: "Reference") -> Entry | None:
    """Return the episode made from a slice; None if there is none. Lines without the reference are not parsed."""
    name = str(reference)
    found = map(entry_of, lines_at(name.encode(), data).values())
    return next((entry for entry in found if entry is not None and entry.slice == name), None)


def add(layout: Layout, lines: Sequence[str]) -> None:
    """Append the lines of episodes durably. The caller holds the lock. Raises OSError, StoreError."""
    from promptx_mem.store import conversations

    intent.clear(layout)  # records that MEMORY.md is out of date
    conversations.add_raw(layout, conversations.EPISODES, b"".join(as_line({"line": line}) for line in lines))


def take_out(layout: Layout, idents: set[str]) -> bool:
    """Remove the lines of some episodes, and invalid lines. Return whether any were removed. Needs the lock."""
    data = files.read(layout.episodes) or b""
    raws = data.splitlines(keepends=True)
    rest = [raw for raw in raws if (entry := entry_of(raw)) is not None and entry.id not in idents]
    if len(rest) == len(raws):
        return False
    intent.clear(layout)
    disk.replace(layout.episodes, b"".join(rest), layout.mode, durable=True)
    return True
