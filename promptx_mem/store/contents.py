"""All contents of a store, as bytes by file name, for a bundle. Archived lines and events are unpacked."""

from promptx_mem.core import bundle
from promptx_mem.core.bundle import DECLARATIVE, JOURNAL
from promptx_mem.core.ids import digest
from promptx_mem.core.journal import format_event
from promptx_mem.core.slices import is_unit
from promptx_mem.store import append, archive, conversations, episodes, files, recalled, shelved
from promptx_mem.store.layout import Layout

_TRIES = 5
_CONVERSATIONS, _SHELVED = "conversations/", "archive/conversations/"


def read(layout: Layout, *, talks: bool) -> dict[str, bytes]:
    """Return the files of a store at one time. Raises OSError, StoreError."""
    for _ in range(_TRIES):
        names = archive.names(layout)
        files = {
            DECLARATIVE: append.read_settled(layout, layout.declarative),
            JOURNAL: append.read_settled(layout, layout.journal),
        }
        files[JOURNAL] += _recalls(layout, files[JOURNAL])
        packed = {_label(name, data): data for name in names if (data := archive.read_permitted(layout, name))}
        if archive.names(layout) == names:
            break  # otherwise a compaction may have moved lines past us
    files |= dict(sorted(packed.items()))
    return files | (_talks(layout) if talks else {})


def _recalls(layout: Layout, journal: bytes) -> bytes:
    """Return the recalls that no `decay` has moved to the journal yet, as journal lines."""
    present = set(journal.split(b"\n"))
    lines = (format_event(event).encode() for event in recalled.events(recalled.loose(layout)))
    fresh = b"".join(line + b"\n" for line in lines if line not in present)
    return (b"\n" if fresh and journal and not journal.endswith(b"\n") else b"") + fresh


def _label(name: str, data: bytes) -> str:
    """Return the archive file's name in a bundle, from its unpacked bytes, since packers differ."""
    stamp = name[: name.rindex("-")] if "-" in name else name.partition(".")[0]
    return f"archive/{stamp}-{digest(data)}{'.md' if name.endswith(archive.LINES) else '.jsonl'}"


def _talks(layout: Layout) -> dict[str, bytes]:
    live = {f"{_CONVERSATIONS}{unit}.jsonl": conversations.path(layout, unit) for unit in conversations.units(layout)}
    live[episodes.NAME] = layout.episodes
    out = {name: data for name, path in live.items() if (data := files.read(path))}
    return out | {
        f"{_SHELVED}{unit}.jsonl": data
        for unit in shelved.units(layout)
        if is_unit(unit) and (data := shelved.read(layout, unit))
    }


def stamp_of(name: str) -> str:
    """Return the day that begins the name of an archived file in a bundle."""
    return name.removeprefix("archive/").rpartition("-")[0]


def unit_of(name: str) -> tuple[str, bool]:
    """Return the unit of a conversation's name in a bundle, and whether it is shelved."""
    assert bundle.CONVERSATION.fullmatch(name)
    return name.rpartition("/")[2].removesuffix(".jsonl"), name.startswith(_SHELVED)
