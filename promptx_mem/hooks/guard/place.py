"""Whether a path lies in a store, by stat calls alone.

The guard runs before every tool call, so it may not load store/; tests hold this to store/layout and store/location.
"""

import os

DIRECTORY = ".memory"
ENVIRONMENT = "PROMPTX_MEM_DIR"
AUDIT = "audit.jsonl"
CONFIG = "config.yaml"
CACHE = ".cache"
FILES = ("declarative.md", "MEMORY.md", "journal.jsonl", AUDIT)
"""Names by which a search comes upon what a store holds."""


MAX_PATH = 4096
"""A longer one is no path; resolving it would take long."""

MEMORY_AREA, CONFIG_AREA, OUTSIDE = "memory", "config", ""
_RANK = (MEMORY_AREA, CONFIG_AREA, OUTSIDE)


def find(cwd: str) -> str | None:
    """Return the existing store for a working directory: PROMPTX_MEM_DIR, else found by walking up, else the user's."""
    override = os.environ.get(ENVIRONMENT)
    if override:
        path = os.path.join(cwd, os.path.expanduser(override))
        return path if os.path.isdir(path) else None
    folder = os.path.abspath(cwd)
    top: str | None = None
    while True:
        candidate = os.path.join(folder, DIRECTORY)
        if os.path.lexists(candidate) and not _is_users(candidate):
            return candidate if _is_own(candidate) else None
        if top is None and os.path.lexists(os.path.join(folder, ".git")):
            from promptx_mem.places import repository_top

            top = repository_top(folder)
            if top is not None and top != folder:
                folder = top
                continue
        parent = os.path.dirname(folder)
        if parent == folder:
            return None if top else _user_store()
        folder = parent


def _is_users(path: str) -> bool:
    from promptx_mem.places import is_users

    return is_users(path)


def _user_store() -> str | None:
    """Return the user store, if there is one that commands would use."""
    from promptx_mem.places import USER_STORE, is_trusted, user_store

    path = user_store()
    if path is None or not os.path.isdir(path):
        return None
    return path if os.environ.get(USER_STORE) or is_trusted(os.stat(path)) else None


def user_store_in_use() -> str | None:
    """Return the user store if commands would use it."""
    return _user_store()


def _is_own(path: str) -> bool:
    """Whether a store that was found is one that commands would use; the rule is that of store/location."""
    if os.path.islink(path) or not os.path.isdir(path):
        return False
    from promptx_mem.places import is_trusted

    return is_trusted(os.stat(path))


def area(path: str, root: str | None) -> str:
    """Tell what a write to an absolute path would change: the memories, the settings, or nothing of a store.

    Whatever lies in a directory named `.memory` is in a store, and whatever lies below `root` or the user store by any
    name. What the path says and what it leads to both count, so a link is seen from either end. `.cache/` may be
    deleted by anyone.
    """
    if "\0" in path or len(path) > MAX_PATH:
        return OUTSIDE
    try:
        os.fsencode(path)
    except UnicodeEncodeError:  # JSON can say what no name of a file can hold
        path = path.encode("utf-8", "replace").decode()
    real = os.path.realpath(path)
    areas = {
        _by_name(os.path.normpath(path)),
        _by_name(real),
        _by_identity(real, root),
        _by_identity(real, _user_store()),
    }
    return next(kind for kind in _RANK if kind in areas or kind == OUTSIDE)


def _by_name(path: str) -> str:
    parts = path.split(os.sep)
    for index, name in enumerate(parts):
        if name == DIRECTORY or matches(DIRECTORY, name) or _other_case(parts, index):
            return _kind(parts[index + 1 :])
    return OUTSIDE


def _other_case(parts: list[str], index: int) -> bool:
    """Whether a name is `.memory` on a file system that does not tell cases apart."""
    if parts[index].lower() != DIRECTORY:
        return False
    folder = os.sep.join(parts[:index]) or os.sep
    identity = _identity(os.path.join(folder, parts[index]))
    return identity is not None and identity == _identity(os.path.join(folder, DIRECTORY))


def _by_identity(path: str, root: str | None) -> str:
    store = _identity(root) if root else None
    if store is None:
        return OUTSIDE
    below: list[str] = []
    while True:
        if _identity(path) == store:
            return _kind(below)
        parent, name = os.path.split(path)
        if parent == path:
            return OUTSIDE
        below.insert(0, name)
        path = parent


def _kind(below: list[str]) -> str:
    if below[:1] == [CACHE]:
        return OUTSIDE
    return CONFIG_AREA if below == [CONFIG] else MEMORY_AREA


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def matches(name: str, pattern: str) -> bool:
    """Whether a shell pattern with `*` and `?` takes in a hidden name; a pattern must begin with the dot itself."""
    return pattern.startswith(".") and ("*" in pattern or "?" in pattern) and glob(name, pattern)


def glob(name: str, pattern: str) -> bool:
    """Whether a pattern with `*` and `?` takes in a name."""
    at = mark = 0
    star = -1
    for_name = 0
    while for_name < len(name):
        if at < len(pattern) and pattern[at] == "*":
            star, mark, at = at, for_name, at + 1
        elif at < len(pattern) and pattern[at] in ("?", name[for_name]):
            at, for_name = at + 1, for_name + 1
        elif star >= 0:
            mark += 1
            at, for_name = star + 1, mark
        else:
            return False
    return all(char == "*" for char in pattern[at:])
