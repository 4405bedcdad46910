"""A settings file that is the user's own in a project: git is told not to see it, in a place that is not committed."""

import os
import subprocess

from promptx_mem.store import tracked

_SECONDS = 5


def from_git(path: str) -> tuple[str, ...]:
    """Add a file to the repository's own exclude file where nothing ignores it yet; what has to be said of it."""
    folder, name = os.path.split(path)
    top = tracked.top(folder)
    git = tracked.program()
    if top is None or git is None:
        return ()
    if _ask(git, folder, "ls-files", "--error-unmatch", "--", name) is not None:
        return (f"git tracks {path}, the next commit takes the hooks along",)
    if _ask(git, folder, "check-ignore", "--quiet", "--", name) is not None:
        return ()
    place = _ask(git, folder, "rev-parse", "--git-path", "info/exclude")
    if not place:
        return (f"git sees {path}: leave it out of commits",)
    exclude = os.path.join(folder, place.strip())
    line = "/" + os.path.relpath(path, os.path.realpath(top)).replace(os.sep, "/")
    try:
        os.makedirs(os.path.dirname(exclude), exist_ok=True)
        with open(exclude, "a+", encoding="utf-8") as file:
            file.seek(0)
            before = file.read()
            file.write(("" if not before or before.endswith("\n") else "\n") + line + "\n")
    except (OSError, ValueError):
        return (f"git sees {path}: leave it out of commits",)
    return (f"git is told not to see it: {line} is in {exclude}",)


def _ask(git: str, folder: str, *words: str) -> str | None:
    """What git answers; None where it says no, or cannot be asked."""
    try:
        process = subprocess.run(  # noqa: S603 - fixed words; the name stands behind --
            [git, "--no-pager", "-c", "core.fsmonitor=false", *words],
            cwd=folder,
            env=tracked.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return process.stdout.decode("utf-8", "replace") if process.returncode == 0 else None
