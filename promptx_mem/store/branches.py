"""What another branch of the git repository around a store holds of it: a switch takes lines away on purpose."""

import os
import subprocess

from promptx_mem.store import tracked
from promptx_mem.store.layout import Layout

_MAX_BRANCHES = 50
_SECONDS = 10


def elsewhere(layout: Layout, path: str) -> set[bytes]:
    """The lines of one of the store's files that some other branch, tag or stash has and the present one has not.

    Nothing where there is no repository, or it cannot be asked.
    """
    top = tracked.top(layout.root)
    if top is None:
        return set()
    named = os.path.relpath(os.path.realpath(path), os.path.realpath(top))
    options = ("for-each-ref", "--sort=-committerdate", f"--count={_MAX_BRANCHES}", "--format=%(objectname)")
    refs = dict.fromkeys(_ask(top, *options).decode("ascii", "replace").split())
    lines = {line for ref in refs for line in _ask(top, "cat-file", "blob", f"{ref}:{named}").split(b"\n") if line}
    return lines - set(_ask(top, "cat-file", "blob", f"HEAD:{named}").split(b"\n"))


def _ask(top: str, *words: str) -> bytes:
    git = tracked.program()
    if git is None:
        return b""
    command = [git, "--no-pager", "-c", "core.fsmonitor=false", *words]
    try:
        process = subprocess.run(  # noqa: S603 - words of ours, and names that git itself gave
            command,
            cwd=top,
            env=tracked.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return b""
    return process.stdout if process.returncode == 0 else b""
