"""git with a name of its own, whatever the user's settings are."""

import subprocess
from pathlib import Path

_WHO = ("user.name=a", "user.email=a@example.org", "init.defaultBranch=main", "protocol.file.allow=always")


def git(folder: Path, *words: str) -> str:
    """Run git in a folder and return its output; it must succeed."""
    settings = [word for setting in _WHO for word in ("-c", setting)]
    return subprocess.run(["git", *settings, *words], cwd=folder, check=True, capture_output=True, text=True).stdout
