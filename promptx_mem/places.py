"""Look-ups in files and environment: owners of files, git repositories, the user's own files, private sessions."""

import os

TYPE_CHECKING = False  # the guard loads this module; to import typing would take longer than everything else
if TYPE_CHECKING:
    from collections.abc import Iterator

STORE = "PROMPTX_MEM_DIR"
USER_STORE = "PROMPTX_MEM_USER_DIR"
SETTINGS = "PROMPTX_MEM_CONFIG"
OFF = "PROMPTX_MEM_OFF"
"""Environment variable for a private session: hooks are silent, the MCP server has no tools, nothing is stored."""

_GIT = ".git"
_STORE = ".memory"


def is_private() -> bool:
    """Return whether this process is private: PROMPTX_MEM_OFF is neither empty nor 0."""
    return os.environ.get(OFF, "") not in ("", "0")


def is_parent_private() -> bool:
    """Return whether the process that started this one is private, for example a host. False if the system hides it."""
    try:
        with open(f"/proc/{os.getppid()}/environ", "rb") as file:
            variables = file.read().split(b"\0")
    except OSError:
        return False
    name = f"{OFF}=".encode()
    return any(one.startswith(name) and one not in (name, name + b"0") for one in variables)


def is_trusted(status: os.stat_result) -> bool:
    """Return whether a file belongs to this user, to root, or to the user who called sudo."""
    me = os.geteuid()
    return status.st_uid in (me, 0) or (me == 0 and str(status.st_uid) == os.environ.get("SUDO_UID"))


def user_path(variable: str, default: str, below: str) -> str | None:
    """Return the path `below` in one of the user's XDG directories.

    The directory is the environment variable `variable`, or else `default` in HOME. None if neither is absolute.
    """
    base = os.environ.get(variable, "")
    if not os.path.isabs(base):
        base = os.path.join(_home() or "", default)
    return os.path.join(base, below) if os.path.isabs(base) and "\0" not in base else None


def _home() -> str | None:
    home = os.environ.get("HOME", "")
    return home if os.path.isabs(home) and "\0" not in home else None


def state_folder() -> str | None:
    """Return the user's state folder, which need not exist. None if `user_path` returns None."""
    return user_path("XDG_STATE_HOME", os.path.join(".local", "state"), "promptx-mem")


def guard_folder(store: str, *, create: bool = False) -> str | None:
    """Return the folder for the guard's records about a store. The folder and the store need not exist.

    The path of the folder is `guard` in the state folder, followed by the store's path.
    Return None if `user_path` returns None, or if `guard` does not exist and `create` is false.
    """
    folder = state_folder()
    if folder is None or (not os.path.isdir(place := os.path.join(folder, "guard")) and not create):
        return None
    return os.path.join(place, os.path.realpath(store).lstrip(os.sep))


def members_folder() -> str | None:
    """Return the folder of author lists: one per store, with its authors. None if `user_path` returns None."""
    folder = state_folder()
    return folder and os.path.join(folder, "members")


def settings_file() -> str | None:
    """Return the default path of the user's settings file. None if `user_path` returns None."""
    return user_path("XDG_CONFIG_HOME", ".config", os.path.join("promptx-mem", "config.yaml"))


def may_have_settings() -> bool:
    """Return whether the user could have settings. If not, the module that reads them is not loaded."""
    return bool(os.environ.get(SETTINGS)) or os.path.exists(settings_file() or "")


def user_store() -> str | None:
    """Return the path of the user store, which need not exist.

    The path is PROMPTX_MEM_USER_DIR, or else ~/.memory. None if it is relative, or if there is no home.
    """
    path = os.environ.get(USER_STORE)
    if path:
        path = os.path.expanduser(path)
        return os.path.normpath(path) if os.path.isabs(path) and "\0" not in path else None
    return home_store()


def home_store() -> str | None:
    """Return the path of `~/.memory`, which is never a project's store. None if there is no home directory."""
    home = _home()
    return home and os.path.join(home, _STORE)


def is_user_store(store: str) -> bool:
    """Return whether an existing store is the user store or `.memory` in the home directory.

    Links are compared by their own path: a link in a project that leads to the user store is the project's store.
    """
    same = is_same_entry if os.path.islink(store) else is_same
    return any(same(store, place) for place in {user_store(), home_store()})


def is_same_entry(path: str, place: str | None) -> bool:
    """Return whether two paths have the same name in the same directory, which must exist."""
    folder, name = os.path.split(path)
    parent, same = os.path.split(place or "")
    return name == same and is_same(folder, parent)


def is_same(path: str, second: str | None) -> bool:
    """Return whether two paths lead to the same existing file or folder."""
    found = identity(path)
    return found is not None and second is not None and found == identity(second)


def store_candidates(folder: str) -> "Iterator[tuple[str, str | None]]":
    """Yield pairs, from a folder upwards: a path where a project's store can be, and a git repository's top or None.

    The top is None until the search leaves a repository's top folder. Later pairs have the top of this repository. From
    a linked worktree, the search continues in the main worktree. The last pair has an empty path.
    """
    top: str | None = None
    while True:
        yield os.path.join(folder, _STORE), top
        if top is None and (top := repository_top(folder)) not in (None, folder):
            folder = str(top)
            continue
        parent = os.path.dirname(folder)
        if parent == folder:
            yield "", top
            return
        folder = parent


def repository_top(folder: str) -> str | None:
    """Return `folder` if it is a git repository's top, else None. For a linked worktree, return its main worktree.

    The home directory and the folders above it never count as a repository.
    """
    if not os.path.lexists(os.path.join(folder, _GIT)) or _is_home_or_above(folder):
        return None
    return _main_worktree(folder) or folder


def parents(folder: str) -> "Iterator[str]":
    """Yield a folder, and the folders above it."""
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent


def worktrees(folder: str) -> "Iterator[str]":
    """Yield every git working tree that contains a folder, the innermost first. Nested trees track different files."""
    return (one for one in parents(folder) if os.path.lexists(os.path.join(one, _GIT)))


def main_store(root: str) -> str | None:
    """For a store in a linked worktree, return the same path in the main worktree. Return None for any other store."""
    folder = os.path.dirname(os.path.realpath(root))
    top = next(worktrees(folder), None)
    main = top and _main_worktree(top)
    if not top or not main:
        return None
    return os.path.normpath(os.path.join(main, os.path.relpath(folder, top), os.path.basename(root)))


def _is_home_or_above(folder: str) -> bool:
    home, wanted = _home(), identity(folder)
    return home is not None and wanted is not None and wanted in map(identity, parents(os.path.realpath(home)))


def _main_worktree(top: str) -> str | None:
    """Return the main worktree for a linked worktree whose files are trusted; None for any other working tree."""
    if os.path.isdir(os.path.join(top, _GIT)):
        return None
    from promptx_mem import git_files

    return git_files.main_worktree(top, is_trusted)


MISSING = "-"


def stamp(path: str) -> str:
    """Return a text that changes with a file: its device, inode, size, mtime and ctime. MISSING if there is no file."""
    try:
        status = os.stat(path)
    except OSError:
        return MISSING
    return f"{status.st_dev}.{status.st_ino}.{status.st_size}.{status.st_mtime_ns}.{status.st_ctime_ns}"


def identity(path: str) -> tuple[int, int] | None:
    """Return the device and inode of the file that a path leads to; None if there is no such file."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino
