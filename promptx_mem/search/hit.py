"""A memory that a search has found."""

from collections.abc import Iterable

from promptx_mem.core.state import State
from promptx_mem.search import ranking

OWN_WORD = f"{ranking.WORD.name} "
"""Begins the name of what a word gives that a memory has itself."""

ALIAS = "alias "
"""Begins the name of what a word gives that only the aliases of a memory have."""

LENT = f"{ranking.LENT.name} "
"""Begins the name of what a word gives that only others noted beside it have."""


class Hit:
    """A memory found: what gave it its score, and by which ways it was found."""

    __slots__ = ("message", "rowid", "see", "state", "terms", "via", "weak")

    def __init__(
        self, rowid: int, state: State, terms: dict[str, float] | None = None, via: Iterable[str] = ()
    ) -> None:
        self.rowid = rowid
        self.state = state
        self.terms = terms or {}
        self.via = list(via)
        self.weak = False
        """Whether it has too little of the words to be shown unasked."""
        self.see: dict[str, bool] = {}
        """Ids of memories that may contradict it, and whether it is the older one that stands below them."""
        self.message: int | None = None
        """Of a conversation the message that has the words, by its number."""

    def add(self, signal: ranking.Signal, part: float) -> None:
        """Count what a signal adds."""
        self.terms[signal.name] = part

    @property
    def score(self) -> float:
        return sum(self.terms.values())

    @property
    def own(self) -> float:
        """Its score without the words that only what was noted beside it has."""
        return sum(part for name, part in self.terms.items() if not name.startswith(LENT))


def by_certainty(hits: Iterable[Hit]) -> list[Hit]:
    """Return `hits` with the weak ones last; otherwise the order stays."""
    return sorted(hits, key=lambda hit: hit.weak)
