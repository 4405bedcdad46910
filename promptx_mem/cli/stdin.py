"""What comes through a pipe, as text."""

import sys

from promptx_mem.errors import UsageError


def read(limit: int, hint: str) -> str:
    """All of stdin, UTF-8 with replacement. Raises UsageError where there is none, or more than `limit` bytes."""
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("there is nothing to read: no argument, and nothing on stdin", code="no_text", hint=hint)
    data = sys.stdin.buffer.read(limit + 1)
    if len(data) > limit:
        raise UsageError(f"stdin has more than {limit} bytes", hint=hint)
    return data.decode("utf-8", "replace")
