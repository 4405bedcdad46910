"""Order among memories of like relevance: of those that say nearly the same the newest first, and for now the newer."""

import re
from typing import TYPE_CHECKING

from promptx_mem.search.shingles import jaccard, shingles

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

_NOW = re.compile(
    r"现在|目前|如今|当前|眼下"
    r"|\b(?:now|currently|current|nowadays|presently|today|at present|these days|at the moment)\b"
)


def asks_for_now(words: str) -> bool:
    """Tell whether a question is about how things are now."""
    return _NOW.search(words.lower()) is not None


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
    texts = [shingles(hit.state.entry.text[:_HEAD]) for hit in looked_at]
    out: list[Hit] = []
    numbers: set[int] = set()
    for number, hit in enumerate(looked_at):
        if number not in numbers:
            same = [n for n in range(number + 1, len(looked_at)) if n not in numbers]
            same = [n for n in same if looked_at[n].score >= AS_GOOD * hit.score]
            same = [n for n in same if jaccard(texts[number], texts[n]) >= ALIKE]
            numbers.update(same)
            out += sorted([hit, *(looked_at[n] for n in same)], key=noted, reverse=True) if same else [hit]
    return out + rest
