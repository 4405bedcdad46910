"""Replace a file by a link, a folder or a pipe."""

import os
from pathlib import Path


def link(path: Path) -> None:
    """Move a file away and leave a link to it."""
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)
