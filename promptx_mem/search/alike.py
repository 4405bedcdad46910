"""Order among memories of like relevance: of those that say nearly the same the newest first, and for now the newer."""

from typing import TYPE_CHECKING

from promptx_mem.search.folding import fold
from promptx_mem.search.shingles import jaccard, shingles
from promptx_mem.search.tokens import plain_terms

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from promptx_mem.search.hit import Hit

ALIKE = 0.7
"""Likeness (Jaccard of trigrams) from which memories stand together."""

AS_GOOD = 0.6
"""What a memory needs of the other's score, to stand before it: else what was asked for is in the other alone."""

LOOKED_AT = 30
"""So many of the best are compared."""

NOW, NEAR = 0.35, 0.5
"""What the newest gains where it is asked how things are now, as a share of the best score; the oldest gains nothing.
Only those gain that have this share of the best score."""

_HEAD = 500
"""Characters of a text that are compared."""

_BITS = 251
"""Of a sketch: a byte each, which takes less time to set than a bit."""

_NOW = ("现在", "目前", "如今", "当前", "眼下")
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
    return any(word in lower for word in _NOW) or any(f" {word} " in spaced for word in _ENGLISH_NOW)


def favour_newer(hits: "Sequence[Hit]", noted: "Callable[[Hit], float]") -> None:
    """Let the newer gain among the hits that are nearly as good as the best."""
    top = max((hit.score for hit in hits), default=0.0)
    near = sorted((hit for hit in hits if hit.score >= NEAR * top), key=noted)
    for place, hit in enumerate(near):
        if place:
            hit.terms["newer"] = NOW * top * place / (len(near) - 1)


def together(hits: "list[Hit]", noted: "Callable[[Hit], float]") -> "list[Hit]":
    """Put those that say nearly the same beside the best of them, the newest first."""
    looked_at, rest = hits[:LOOKED_AT], hits[LOOKED_AT:]
    scores = [hit.score for hit in looked_at]
    pairs = _alike([shingles(hit.state.entry.text[:_HEAD]) for hit in looked_at])
    out: list[Hit] = []
    numbers: set[int] = set()
    for number, hit in enumerate(looked_at):
        if number not in numbers:
            same = [n for n in pairs[number] if n not in numbers and scores[n] >= AS_GOOD * scores[number]]
            numbers.update(same)
            out += sorted([hit, *(looked_at[n] for n in same)], key=noted, reverse=True) if same else [hit]
    return out + rest


def _alike(texts: list[frozenset[int]]) -> list[list[int]]:
    """For each text the numbers of the later ones that say nearly the same.

    Only pairs whose sketches allow it are compared: what both have in common sets bits that both sketches have, but for
    as many members as share a bit with another one.
    """
    sketches = [_sketch(text) for text in texts]
    shared = [len(text) - sketch.bit_count() for text, sketch in zip(texts, sketches, strict=True)]
    least = [ALIKE * len(text) - same for text, same in zip(texts, shared, strict=True)]
    out = []
    for number, (text, sketch, bound) in enumerate(zip(texts, sketches, least, strict=True)):
        later = range(number + 1, len(texts))
        near = [n for n in later if (sketch & sketches[n]).bit_count() >= bound]
        out.append([n for n in near if jaccard(text, texts[n]) >= ALIKE])
    return out


def _sketch(members: frozenset[int]) -> int:
    """A number with a bit for every member, mostly one of its own."""
    bits = bytearray(_BITS)
    for member in members:
        bits[member % _BITS] = 1
    return int.from_bytes(bits, "little")
