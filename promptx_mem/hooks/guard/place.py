"""Tell whether a path lies in a store, by stat calls alone: the guard runs before every tool call."""

import os

from promptx_mem.places import identity, user_store_in_use

DIRECTORY = ".memory"
AUDIT = "audit.jsonl"
CONFIG = "config.yaml"
CACHE = ".cache"
FILES = ("declarative.md", "MEMORY.md", "journal.jsonl", AUDIT, CONFIG)

MAX_PATH = 4096
"""A longer one is no path; resolving it would take long."""


class Attempt:
    """A write that is to be denied: the tool, where it would go, and what it would write.

    `text` is appended, `edit` is (before, after), `call` are the arguments of another program's `remember`, each only
    where that is certain; `lines` are for the record. `is_lowest`: the command advised has the lowest score.
    """

    __slots__ = ("call", "edit", "is_lowest", "lines", "path", "tags", "text", "tool")

    def __init__(self, tool: str, path: str = "") -> None:
        self.tool, self.path = tool, path
        self.text = ""
        self.tags: tuple[str, ...] = ()
        self.edit: tuple[str, str] | None = None
        self.call: list[str] = []
        self.lines: list[str] = []
        self.is_lowest = False


def is_inside(path: str, root: str | None, *, exists: bool = False) -> bool:
    """Return whether a write to an absolute path changes a store.

    Whatever lies in a directory named `.memory` is in a store, and whatever lies below `root` or the user store by any
    name. What the path says and what it leads to both count, so a link is seen from either end. With `exists` only a
    directory that is there counts. `.cache/` may be deleted by anyone.
    """
    if "\0" in path or len(path) > MAX_PATH:
        return False
    path = path.encode("utf-8", "replace").decode()  # JSON can hold what no name of a file can
    stores = {identity(store) for store in (root, user_store_in_use()) if store} - {None}
    for one in (os.path.normpath(path), os.path.realpath(path)):
        place, below = one, ""
        while place != os.path.dirname(place):
            name = os.path.basename(place)
            is_named = name == DIRECTORY or (name[:1] == "." and ("*" in name or "?" in name) and glob(DIRECTORY, name))
            if (is_named and (not exists or os.path.isdir(place))) or identity(place) in stores:
                if below != CACHE:
                    return True
                break
            place, below = os.path.dirname(place), name
    return False


def glob(name: str, pattern: str) -> bool:
    """Return whether a pattern with `*` and `?` takes in a name."""
    ends = {0}
    for char in pattern:
        if char == "*":
            ends = set(range(min(ends, default=len(name) + 1), len(name) + 1))
        else:
            ends = {at + 1 for at in ends if at < len(name) and char in ("?", name[at])}
    return len(name) in ends
