"""A settings file that is the user's own in a project: git is told not to see it, in a place that is not committed."""

import os
import subprocess
from typing import NamedTuple

from promptx_mem.store import git as repository

_SECONDS = 5


class Exclusion(NamedTuple):
    """What has to be said of a file; `done` where git does not see it by what was written just now."""

    sentence: str
    done: bool = False


def from_git(path: str) -> Exclusion | None:
    """Add a file to the repository's own exclude file where nothing ignores it yet; None where all is well."""
    folder, name = os.path.split(path)
    top = repository.top_of(folder)
    git = repository.program()
    if top is None or git is None:
        return None
    if _ask(git, folder, "ls-files", "--error-unmatch", "--", name) is not None:
        return Exclusion(f"git tracks {path}, the next commit takes the hooks along")
    if _ask(git, folder, "check-ignore", "--quiet", "--", name) is not None:
        return None
    place = _ask(git, folder, "rev-parse", "--git-path", "info/exclude")
    if not place:
        return Exclusion(f"git sees {path}: leave it out of commits")
    exclude = os.path.abspath(os.path.join(folder, place.strip()))
    line = "/" + os.path.relpath(path, os.path.realpath(top)).replace(os.sep, "/")
    try:
        os.makedirs(os.path.dirname(exclude), exist_ok=True)
        with open(exclude, "a+", encoding="utf-8") as file:
            file.seek(0)
            before = file.read()
            file.write(("" if not before or before.endswith("\n") else "\n") + line + "\n")
    except (OSError, ValueError):
        return Exclusion(f"git sees {path}: leave it out of commits")
    return Exclusion(f"Git is told not to see it: {line} is in {exclude}.", done=True)


def _ask(git: str, folder: str, *words: str) -> str | None:
    """What git answers; None where it says no, or cannot be asked."""
    try:
        process = subprocess.run(  # noqa: S603 - fixed words; the name stands behind --
            [git, "--no-pager", "-c", "core.fsmonitor=false", *words],
            cwd=folder,
            env=repository.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return process.stdout.decode("utf-8", "replace") if process.returncode == 0 else None
