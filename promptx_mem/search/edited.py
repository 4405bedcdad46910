"""The line by hand as which a memory lives on whose text somebody has edited: its id is that of its text."""

from collections import Counter
from collections.abc import Container

from promptx_mem.core.entry import Entry
from promptx_mem.store.sources import Sources

EDITED_FROM = 0.5
"""Likeness from which a new line by hand counts as the edited form of one that is gone."""

_COMPARED = 64
"""Lines that are compared with one that is gone: what a mass of both costs grows with their number, not its square."""

_FACTORS = (
    0x9E3779B97F4A7C15,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0xD6E8FEB86659FD93,
    0xA0761D6478BD642F,
    0xE7037ED1A0B428DB,
)
_LANES = (1 << 64) - 1


class ByHand:
    """The lines by hand whose ids are not `known`, to find the edited form of one that is gone.

    Of many only those are compared that share the least hash of their trigrams under one of some functions: of two
    texts that are half alike at least, 98 of 100 do.
    """

    def __init__(self, everything: Sources, ids: Container[str] = ()) -> None:
        self.entries = [line.entry for line in everything.lines if not line.has_time and line.entry.id not in ids]
        self._alike: dict[tuple[int, int], list[int]] | None = None

    def edited_form(self, entry: Entry) -> Entry | None:
        """The line as which a memory lives on whose text somebody has edited: its id is that of its text."""
        from promptx_mem.search import shingles

        grams = shingles.shingles(entry.text)
        for candidate in self._candidates(grams):
            if shingles.jaccard(grams, shingles.shingles(candidate.text)) >= EDITED_FROM:
                return candidate
        return None

    def _candidates(self, grams: frozenset[int]) -> list[Entry]:
        if len(self.entries) <= _COMPARED:
            return self.entries
        if self._alike is None:
            from promptx_mem.search import shingles

            self._alike = {}
            for number, entry in enumerate(self.entries):
                for key in _least(shingles.shingles(entry.text)):
                    self._alike.setdefault(key, []).append(number)
        shared = Counter(number for key in _least(grams) for number in self._alike.get(key, ())[:_COMPARED])
        return [self.entries[number] for number, _ in shared.most_common(_COMPARED)]


def _least(shingles: frozenset[int]) -> list[tuple[int, int]]:
    return (
        [
            (number, min((shingle * factor & _LANES) >> 20 for shingle in shingles))
            for number, factor in enumerate(_FACTORS)
        ]
        if shingles
        else []
    )
