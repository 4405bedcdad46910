"""What `--redact` leaves out of a page: personal data in every text of it, and what names a machine or a session."""

from collections import Counter
from typing import Any

from promptx_mem.core.privacy import redacted

_PLAIN = frozenset({
    "id", "at", "e", "duration", "category", "type", "origin", "source", "scope", "review",
    "end", "superseded_by", "supersedes", "slice_ref", "role", "verdict", "command", "hash",
})  # fmt: skip
"""Keys whose values are words and numbers of the program's own."""

_NAMES = frozenset({"session", "host"})


class Redaction:
    """Goes through a page's data and counts the kinds of what it leaves out."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def of(self, value: Any) -> Any:
        """The value without personal data."""
        if isinstance(value, str):
            text, kinds = redacted(value)
            self.counts.update(kinds)
            return text
        if isinstance(value, dict):
            return {key: self._under(key, item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.of(item) for item in value]
        return value

    def _under(self, key: str, value: Any) -> Any:
        if key in _NAMES:
            return None
        return value if key in _PLAIN else self.of(value)
