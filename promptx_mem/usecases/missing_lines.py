"""Lines that are not in declarative.md any more: archived by compaction, or lost to an editor's stale save."""

from typing import TYPE_CHECKING

from promptx_mem.core.ids import PREFIX
from promptx_mem.search import current, memories, vanished
from promptx_mem.search.lines import places
from promptx_mem.store import archive

if TYPE_CHECKING:
    from promptx_mem.usecases.change import Held


def bring_back(store: "Held", prefix: str) -> bool:
    """Append the saved lines of a vanished memory again, if that and nothing else is what the id names."""
    prefix = prefix.strip().lower()
    if store.lookup.cache is None or not PREFIX.fullmatch(prefix) or store.lookup.cache.matching(prefix):
        return False
    found = {ident: lines for ident, lines in vanished.saved(store.writer.layout).items() if ident.startswith(prefix)}
    if len(found) != 1:
        return False
    _append(store, [line for lines in found.values() for line in lines])
    return True


def unarchive(store: "Held", ident: str) -> None:
    """Append an archived memory's line again: what lives stands in declarative.md. Its old time revives nothing."""
    if not memories.archive_of(store.cache, ident):
        return
    raw = [
        archive.read_permitted(store.writer.layout, place.archived)[place.start : place.stop]
        for place in places(store.cache, ident)
    ]
    lines = [line for part in raw for line in part.decode("utf-8", "replace").rstrip("\n").split("\n")]
    _append(store, lines)


def _append(store: "Held", lines: list[str]) -> None:
    if lines:
        store.writer.add_lines(list(dict.fromkeys(lines)))
        current.catch_up(store.cache, store.writer)
