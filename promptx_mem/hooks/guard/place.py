"""Tell whether a path lies in a store, by stat calls alone.

The guard runs before every tool call, so it may not load store/; tests hold this to store/layout and store/location.
"""

import os

from promptx_mem.places import USER_STORE, above, identity, is_trusted, is_users, user_store

DIRECTORY = ".memory"
ENVIRONMENT = "PROMPTX_MEM_DIR"
AUDIT = "audit.jsonl"
CONFIG = "config.yaml"
CACHE = ".cache"
FILES = ("declarative.md", "MEMORY.md", "journal.jsonl", AUDIT, CONFIG)

MAX_PATH = 4096
"""A longer one is no path; resolving it would take long."""

MEMORY_AREA, CONFIG_AREA, OUTSIDE = "memory", "config", ""


class Attempt:
    """A write that is to be denied: the tool, where it would go, and what it would write.

    `text` is appended, `edit` is (before, after), `call` are the arguments of another program's `remember`, each only
    where that is certain; `lines` are for the record. `is_lowest`: the command advised has the lowest score.
    """

    __slots__ = ("area", "call", "edit", "is_lowest", "lines", "path", "tags", "text", "tool")

    def __init__(self, tool: str, path: str = "", area: str = MEMORY_AREA) -> None:
        self.tool, self.path, self.area = tool, path, area
        self.text = ""
        self.tags: tuple[str, ...] = ()
        self.edit: tuple[str, str] | None = None
        self.call: list[str] = []
        self.lines: list[str] = []
        self.is_lowest = False


def find(cwd: str) -> str | None:
    """Return the existing store for a working directory: PROMPTX_MEM_DIR, else found by walking up, else the user's."""
    override = os.environ.get(ENVIRONMENT)
    if override:
        path = os.path.join(cwd, os.path.expanduser(override))
        return path if os.path.isdir(path) else None
    for candidate, top in above(os.path.abspath(cwd)):
        if not candidate:
            return None if top else user_store_in_use()
        if os.path.lexists(candidate) and not is_users(candidate):
            is_own = not os.path.islink(candidate) and os.path.isdir(candidate) and is_trusted(os.stat(candidate))
            return candidate if is_own else None
    return None


def user_store_in_use() -> str | None:
    """Return the user store if commands would use it."""
    path = user_store()
    if path is None or not os.path.isdir(path):
        return None
    return path if os.environ.get(USER_STORE) or is_trusted(os.stat(path)) else None


def area(path: str, root: str | None, *, exists: bool = False) -> str:
    """Tell what a write to an absolute path would change: the memories, the settings, or nothing of a store.

    Whatever lies in a directory named `.memory` is in a store, and whatever lies below `root` or the user store by any
    name. What the path says and what it leads to both count, so a link is seen from either end. With `exists` only a
    directory that is there counts. `.cache/` may be deleted by anyone.
    """
    if "\0" in path or len(path) > MAX_PATH:
        return OUTSIDE
    try:
        os.fsencode(path)
    except UnicodeEncodeError:  # JSON can say what no name of a file can hold
        path = path.encode("utf-8", "replace").decode()
    real = os.path.realpath(path)
    kinds = {_by_name(os.path.normpath(path), exists=exists), _by_name(real, exists=exists)}
    kinds |= {_by_identity(real, store) for store in (root, user_store_in_use()) if store}
    return next((kind for kind in (MEMORY_AREA, CONFIG_AREA) if kind in kinds), OUTSIDE)


def store_of(path: str) -> str | None:
    """Return the directory named `.memory` that a path lies in or is."""
    parts = path.split(os.sep)
    for index, name in enumerate(parts):
        if name == DIRECTORY or (name[:1] == "." and ("*" in name or "?" in name) and glob(DIRECTORY, name)):
            return os.sep.join([*parts[:index], DIRECTORY])
    return None


def _by_name(path: str, *, exists: bool) -> str:
    store = store_of(path)
    if store is None or (exists and not os.path.isdir(store)):
        return OUTSIDE
    return _kind(path.split(os.sep)[store.count(os.sep) + 1 :])


def _by_identity(path: str, store: str) -> str:
    wanted = identity(store)
    below: list[str] = []
    while wanted is not None:
        if identity(path) == wanted:
            return _kind(below)
        parent, name = os.path.split(path)
        if parent == path:
            break
        below.insert(0, name)
        path = parent
    return OUTSIDE


def _kind(below: list[str]) -> str:
    if below[:1] == [CACHE]:
        return OUTSIDE
    return CONFIG_AREA if below == [CONFIG] else MEMORY_AREA


def glob(name: str, pattern: str) -> bool:
    """Return whether a pattern with `*` and `?` takes in a name."""
    ends = {0}
    for char in pattern:
        if char == "*":
            ends = set(range(min(ends, default=len(name) + 1), len(name) + 1))
        else:
            ends = {at + 1 for at in ends if at < len(name) and char in ("?", name[at])}
    return len(name) in ends
