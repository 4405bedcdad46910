"""Git's own files: the folder that a `.git` file names, and the main worktree of a linked worktree."""

import os
import stat

TYPE_CHECKING = False  # the guard loads this module; to import typing would take longer than everything else
if TYPE_CHECKING:
    from collections.abc import Callable

_GIT = ".git"
_LONGEST = 8_192


def git_folder(top: str) -> str:
    """Return the path of a working tree's git folder. The tree can also be a linked worktree or a submodule."""
    return _linked_git_folder(top) or os.path.join(top, _GIT)


def head_log(top: str) -> str:
    """Return the path of git's reflog for the HEAD of a working tree."""
    return os.path.join(git_folder(top), "logs", "HEAD")


def main_worktree(top: str, is_trusted: "Callable[[os.stat_result], bool]") -> str | None:
    """Return the main worktree for a linked worktree; None if `top` is another tree or a check fails.

    A `.git` file can name any folder. It is followed only if the main repository lists this worktree, and if the
    file and its target folders are trusted. Submodules and repositories with a separate git folder are not worktrees.
    """
    link, own = os.path.join(top, _GIT), _linked_git_folder(top)
    if own is None:
        return None
    common, back = _read_start(os.path.join(own, "commondir")), _read_start(os.path.join(own, "gitdir"))
    if not common or not back:
        return None
    repository = os.path.realpath(os.path.join(own, common))
    main = os.path.dirname(repository)
    try:
        registered = os.path.samefile(os.path.dirname(os.path.realpath(own)), os.path.join(repository, "worktrees"))
        returns = os.path.samefile(os.path.join(own, back), link)
        is_main = os.path.samefile(os.path.join(main, _GIT), repository)
        is_own = all(is_trusted(os.lstat(path)) for path in (link, own, repository, main))
    except (OSError, ValueError):
        return None
    return main if registered and returns and is_main and is_own else None


def _linked_git_folder(top: str) -> str | None:
    """Return the folder that a `.git` file names, as in a linked worktree or a submodule; None if there is none."""
    pointer = _read_start(os.path.join(top, _GIT))
    return os.path.join(top, pointer.removeprefix("gitdir:").strip()) if pointer.startswith("gitdir:") else None


def _read_start(path: str) -> str:
    """Return the first 8,192 bytes of a regular file, stripped; '' for a link or a file that cannot be read."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (OSError, ValueError):
        return ""
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return ""
        return os.fsdecode(os.read(fd, _LONGEST)).strip()
    except OSError:
        return ""
    finally:
        os.close(fd)
