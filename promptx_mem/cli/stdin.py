"""What comes through a pipe, as text."""

import sys

from promptx_mem.errors import UsageError

MAX_QUESTION = 100_000
"""Bytes of a question: more than the longest memory has."""


def read(limit: int, hint: str) -> str:
    """All of stdin. Raises UsageError where there is none, more than `limit` bytes, or what is not UTF-8."""
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("there is nothing to read: no argument, and nothing on stdin", code="no_text", hint=hint)
    data = sys.stdin.buffer.read(limit + 1)
    if len(data) > limit:
        raise UsageError(f"stdin has more than {limit} bytes", hint=hint)
    return decoded(data)


def asked(words: list[str]) -> str:
    """The question that words are, or where they are a single - what stdin has."""
    if words != ["-"]:
        return " ".join(words)
    hint = "echo QUESTION | promptx-mem recall -"
    if question := read(MAX_QUESTION, hint).strip():
        return question
    raise UsageError("there is nothing on stdin", code="no_text", hint=hint)


def decoded(data: bytes) -> str:
    """What stdin gave, as text. Raises UsageError where it is not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"stdin is not UTF-8 (byte {error.start + 1})",
            code="bad_encoding",
            hint="turn it into UTF-8 first, for Chinese often: iconv -f gbk -t utf-8",
        ) from None
