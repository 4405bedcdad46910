"""A memory that a search has found."""

from collections.abc import Iterable

from promptx_mem.core.state import State


class Hit:
    """A memory found: what gave it its score, and by which ways it was found."""

    __slots__ = ("message", "rowid", "state", "terms", "via", "weak")

    def __init__(
        self, rowid: int, state: State, terms: dict[str, float] | None = None, via: Iterable[str] = ()
    ) -> None:
        self.rowid = rowid
        self.state = state
        self.terms = terms or {}
        self.via = list(via)
        self.weak = False
        """Whether it has too little of the words to be shown unasked."""
        self.message: int | None = None
        """Of a conversation the message that has the words, by its number."""

    @property
    def score(self) -> float:
        return sum(self.terms.values())
