"""Whether git tracks anything of a store: then it came with a repository, and was written by whoever wrote that."""

import os
from collections.abc import Iterator

from promptx_mem.places import is_trusted

_SECONDS = 5
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
}  # fmt: skip
_UNTRACKED = 1
"""The exit status of `git ls-files --error-unmatch` for what it does not know; all but this and 0 is no answer."""


def is_tracked(root: str) -> bool:
    """Whether a git repository around a store tracks anything of it, or cannot be asked; False without a repository.

    A link counts as tracked where it is, or where what it leads to is.
    """
    path = os.path.join(os.path.realpath(os.path.dirname(root)), os.path.basename(root))
    places = dict.fromkeys((path, os.path.realpath(root)))
    return any(_tracks_now(top, place) for place in places for top in _tops(place))


_answers: dict[tuple[str, str], tuple[tuple[int, ...], bool]] = {}
"""What git said of a place, and how the index was then which it reads: a process that asks often asks it once."""


def _tracks_now(top: str, place: str) -> bool:
    stamp = _stamp(os.path.join(top, ".git", "index"))
    before = _answers.get((top, place))
    if before is not None and before[0] == stamp:
        return before[1]
    answer = _tracks(top, place)
    if stamp is not None:
        _answers[top, place] = (stamp, answer)
    return answer


def _stamp(path: str) -> tuple[int, ...] | None:
    """What changes with a file, nothing where there is none; None where it lies elsewhere, as of a linked worktree."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return ()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _tracks(top: str, place: str) -> bool:
    git, repository = program(), os.path.join(top, ".git")
    if git is None or not _is_ours(repository):
        return True
    import subprocess

    # Named, not looked for: a repository's settings may say that its files lie elsewhere, and a broken one that it is
    # another one above.
    named = {"GIT_DIR": repository, "GIT_WORK_TREE": top}

    # Cases are not told apart: on some file systems `.Memory` is what opens as `.memory`.
    below = os.path.relpath(place, top)
    pathspec = below if below == "." else f":(literal,icase){below}"
    # Nothing that the repository's own settings name is run: no monitor of its files, no pager, no transport.
    command = [git, "--no-pager", "-c", "core.fsmonitor=false", "ls-files", "--error-unmatch", "--", pathspec]
    try:
        process = subprocess.run(  # noqa: S603 - fixed words; the path stands behind --
            command,
            cwd=top,
            env=environment() | named,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return True
    return process.returncode != _UNTRACKED


def environment() -> dict[str, str]:
    """The environment in which git is asked: without what the caller has set for a git of its own."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | _ENVIRONMENT


def top(folder: str) -> str | None:
    """The working tree that a folder lies in, found as git finds it; None where there is none."""
    return next(_tops(folder), None)


def _is_ours(repository: str) -> bool:
    try:
        return is_trusted(os.stat(repository))
    except OSError:
        return False


def program() -> str | None:
    """Return git's own path. A relative place on the PATH does not count: it would lie in the repository."""
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        git = os.path.join(folder, "git")
        if os.path.isabs(folder) and os.path.isfile(git):
            return git
    return None


def _tops(folder: str) -> Iterator[str]:
    """Yield every working tree that a folder lies in: an outer one may track what an inner one does not."""
    while True:
        if os.path.lexists(os.path.join(folder, ".git")):
            yield folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent
