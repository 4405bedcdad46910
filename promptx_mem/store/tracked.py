"""Whether git tracks a file: what came with a repository was written by whoever wrote the repository."""

import os

_SECONDS = 10
_ENVIRONMENT = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": "none", "LC_ALL": "C"}
_UNTRACKED = 1
"""The exit status of `git ls-files --error-unmatch` for what it does not know; all but this and 0 is no answer."""


def is_tracked(path: str) -> bool:
    """Whether a git repository around a file tracks it, or cannot be asked; False without a repository or git.

    A link counts as tracked where it is, or where what it leads to is.
    """
    here = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    return any(_tracks(place) for place in dict.fromkeys((here, os.path.realpath(path))))


def _tracks(path: str) -> bool:
    tree = top(os.path.dirname(path))
    if tree is None:
        return False
    import subprocess

    # Cases are not told apart: on some file systems `.Memory` is what opens as `.memory`.
    asked = ":(literal,icase)" + os.path.relpath(path, tree)
    # Nothing that the repository's own settings name is run: no monitor of its files, no pager, no transport.
    command = ["git", "--no-pager", "-c", "core.fsmonitor=false", "ls-files", "--error-unmatch", "--", asked]
    try:
        done = subprocess.run(  # noqa: S603 - fixed words; the path stands behind --
            command,
            cwd=tree,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        return False
    except (OSError, ValueError, subprocess.SubprocessError):
        return True
    return done.returncode != _UNTRACKED


def environment() -> dict[str, str]:
    """The environment in which git is asked: without what the caller has set for a git of its own."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | _ENVIRONMENT


def top(folder: str) -> str | None:
    """The working tree that a folder lies in, found as git finds it; None where there is none."""
    while True:
        if os.path.lexists(os.path.join(folder, ".git")):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
