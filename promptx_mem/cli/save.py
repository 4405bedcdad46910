"""A file that the user named with -o."""

import os

from promptx_mem.errors import UsageError


def save(path: str, text: str) -> None:
    """Write a new file that others may not read, or the one that is there."""
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "w", encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}", code="no_file") from None
