"""Order among memories of like relevance: of those that say nearly the same the newest first, and for now the newer."""

from itertools import combinations
from typing import TYPE_CHECKING

from promptx_mem.core.text import pattern
from promptx_mem.search.folding import fold
from promptx_mem.search.ranking import COPIES, NEWER
from promptx_mem.search.shingles import shingles
from promptx_mem.search.tokens import plain_terms

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from promptx_mem.search.hit import Hit

ALIKE = 0.7
"""Likeness (Jaccard of trigrams) from which memories stand together."""

LOOKED_AT = 30
"""So many of the best are compared."""

NEAR = 0.5
"""Only memories with this share of the best score by words of their own gain from being newer."""

_HEAD = 500
"""Characters of a text that are compared."""

_NOW = "(?<![出呈表体实发浮])现在|目前|如今|当前|眼下"
"""出现在 is no 现在."""

_ENGLISH_NOW = (
    "now",
    "currently",
    "current",
    "nowadays",
    "presently",
    "today",
    "at present",
    "these days",
    "at the moment",
)


def asks_for_now(words: str) -> bool:
    """Tell whether a question is about how things are now."""
    lower = fold(words).lower()
    spaced = f" {' '.join(plain_terms(lower))} "
    return pattern(_NOW).search(lower) is not None or any(f" {word} " in spaced for word in _ENGLISH_NOW)


def favour_newer(hits: "Sequence[Hit]", noted: "Callable[[Hit], float]") -> None:
    """Let the newer gain among the hits that are nearly as good as the best."""
    top = max((hit.score for hit in hits), default=0.0)
    near = sorted((hit for hit in hits if hit.own >= NEAR * top), key=noted)
    for place, hit in enumerate(near):
        if place:
            hit.add(NEWER, NEWER.weight * top * place / (len(near) - 1))


def together(hits: "list[Hit]", noted: "Callable[[Hit], float]") -> "list[Hit]":
    """Put those that say nearly the same beside the best of them, the newest first."""
    looked_at, rest = hits[:LOOKED_AT], hits[LOOKED_AT:]
    scores = [hit.score for hit in looked_at]
    pairs = _alike([shingles(hit.state.entry.text[:_HEAD]) for hit in looked_at])
    out: list[Hit] = []
    numbers: set[int] = set()
    for number, hit in enumerate(looked_at):
        if number not in numbers:
            same = [n for n in pairs[number] if n not in numbers and scores[n] >= COPIES.weight * scores[number]]
            numbers.update(same)
            out += sorted([hit, *(looked_at[n] for n in same)], key=noted, reverse=True) if same else [hit]
    return out + rest


def _alike(texts: list[frozenset[int]]) -> list[list[int]]:
    """For each text the numbers of the later ones that say nearly the same.

    Only a text that has most of its members in common with any other can; of these, what is shared is numbered, so that
    what two have in common is one operation on two numbers.
    """
    seen: set[int] = set()
    shared: set[int] = set()
    for text in texts:
        shared |= text & seen
        seen |= text
    places = {member: place for place, member in enumerate(shared)}
    flags = {n: _flags(own, places) for n, text in enumerate(texts) if len(own := text & shared) >= ALIKE * len(text)}
    sizes = list(map(len, texts))
    out: list[list[int]] = [[] for _ in texts]
    for number, other in combinations(flags, 2):
        size, second = sizes[number], sizes[other]
        if size < ALIKE * second or second < ALIKE * size:
            continue
        both = (flags[number] & flags[other]).bit_count()
        if both >= ALIKE * (size + second - both):
            out[number].append(other)
    return out


def _flags(members: frozenset[int], places: dict[int, int]) -> int:
    """A number with a flag for every member: a byte each, which takes less time to set than a bit."""
    flags = bytearray(len(places))
    for member in members:
        flags[places[member]] = 1
    return int.from_bytes(flags, "little")
