"""What stands in the place of a store's files and folders: links above all, also directories, pipes and devices.

To readers it is absent, and they say so; who would write there is refused, and told how to make room.
"""

import contextlib
import os
from collections.abc import Iterator

from promptx_mem.errors import StoreError
from promptx_mem.store import inside
from promptx_mem.store.inside import Inside
from promptx_mem.store.layout import FILES, FOLDERS, Layout

_DECIDE = ("declarative.md", "journal.jsonl")
_SHOWN = 3


def demand_own(where: Layout) -> list[str]:
    """Return the names in the store's folder, for who is about to write.

    Raises StoreError where a link has the name of one of ours, or one of the two files that decide is no file.
    """
    listing: dict[str, os.DirEntry[str]] = {}
    with contextlib.suppress(FileNotFoundError), os.scandir(where.root) as entries:
        listing |= {entry.name: entry for entry in entries}
    for name in (*FILES, *FOLDERS):
        entry = listing.get(name)
        if entry and (entry.is_symlink() or (name in _DECIDE and not entry.is_file(follow_symlinks=False))):
            raise inside.blocked(Inside(where.root, (name,)))
    return list(listing)


def demand_nothing(where: Layout) -> None:
    """Raise StoreError where anything is planted: a purge would not reach all that is to be destroyed."""
    for place in everywhere(where):
        raise inside.blocked(place)


def warnings(where: Layout) -> tuple[str, ...]:
    """What readers have to say of it."""
    planted: list[Inside] = []
    with contextlib.suppress(OSError):  # a folder that may not be listed
        planted += (place for place in everywhere(where) if place.names != ("config.yaml",))  # told with the settings
    texts = [f"it counts as absent: {inside.in_one_line(inside.blocked(place))}" for place in planted[:_SHOWN]]
    if len(planted) > _SHOWN:
        texts.append(f"{len(planted) - _SHOWN} more such names count as absent: promptx-mem audit --verify")
    return tuple(texts)


def everywhere(where: Layout) -> Iterator[Inside]:
    """Every name of ours, in every folder, that is not what it should be."""
    kinds = _kinds(where.root)
    for name in (*FILES, *FOLDERS):
        if kinds.get(name, name in FOLDERS) is not (name in FOLDERS):
            yield Inside(where.root, (name,))
    shelf = where.archive / "conversations"
    for folder in (where.archive, where.conversations, shelf):
        if kinds.get(folder.names[0]):
            inner = _kinds(folder)
            if folder == where.archive and inner.pop(shelf.names[-1], True) is not True:
                yield shelf
            for name in sorted(name for name, is_folder in inner.items() if is_folder is not False):
                if inner[name] is None or name.endswith((".gz", ".jsonl")):
                    yield folder / name


def _kinds(folder: str | Inside) -> dict[str, bool | None]:
    """Of each name whether it is a folder; None for what is neither that nor a file. Nothing of what is no folder."""
    try:
        with inside.opened_folder(folder) as place, os.scandir(place) as entries:
            return {entry.name: _kind(entry) for entry in entries}
    except (FileNotFoundError, NotADirectoryError, StoreError):
        return {}


def _kind(entry: "os.DirEntry[str]") -> bool | None:
    if entry.is_file(follow_symlinks=False):
        return False
    return True if entry.is_dir(follow_symlinks=False) else None
