"""The part of a sentence that asks to remember the rest, found by the weights of its words.

This test follows the patterns of `requests`, which know the usual wordings. The part is at the beginning or the end of
the sentence. It asks if the sum of the weights of its words, and of pairs of neighbouring words, exceeds a threshold.
The weights are fitted to the sentences in tests/hooks/rows by `python -m benchmarks.weights requests`.
"""

from itertools import pairwise

from promptx_mem.core.text import pattern
from promptx_mem.data import weights
from promptx_mem.hooks.decisions import PLAIN, WORD
from promptx_mem.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

LEAST = 5.0
"""A part with a greater sum of weights asks."""
IN_QUESTION = LEAST + 2
"""The same for a question, which can ask whether the agent remembers something."""

_LESS = 0.8
_LONGEST = 14
"""Maximum number of words, or Chinese characters, of the part."""

_SURE = r"\b(?:reme|remm|rember|rmb|memo|memr|mind|forget|jot|not(?:e|es|ed|ing)\b)|记|计住|忘|备忘"
CUES = (
    r"\b(?:record|down|sav(?:e|ing)|store|keep|kept|retain|learn|(?:log|file|h[ao](?:ng|ld) on)\b)"
    rf"|备[注查份]|笔记|存|留|{_SURE}"
)
"""Words of which the part has one. With none of _SURE, its weight is _LESS smaller."""

_OTHERS = (
    r"[让叫]我牢?记|请忘[记掉]"
    r"|(?<!n't )(?<!not )(?<!never )\bforget\b|\bremember(?:\(| that (?:time|day|night|moment)\b)"
    r"|\b(?:add|put|leave|write) a (?:note|comment)\b.* (?:in|to|into|on|at) (?:the|this|our) (?!notes|memory)"
    r"|\b(?:as you (?:\w+ )?remember|you remembered)\b|\bnote in (?!your\b|the memory|memory)|\bnever ?mind\b|读书笔记"
    r"|\b(?:store|save|write|log) (?!(?:this|that|it|these|those|the following|following|a note)\b)\w+ (?!that\b)\w+,"
    r"|\b(?:store|save|put|write|log) (?:\w+ ){1,3}(?:in|to|into) "
    r"(?!(?:(?:your|the|my|our|ur) )?(?:long|mem|mind|note|record|file|knowledge|head|future|back|list|context))"
)
"""A request to the person or to forget, the wish to think of the past, code, or a thing stored elsewhere."""

_MARKS = frozenset("?,:;")


def find(mask: str, least: float = LEAST) -> slice | None:
    """Return the place of the text that a sentence asks to remember; None if no part exceeds the sum `least`."""
    if not pattern(CUES).search(mask) or pattern(_OTHERS).search(mask):
        return None
    known = weights("hooks/leads.txt")
    best: slice | None = None
    for span, names in candidates(mask):
        part = mask[span.stop :] if span.start is None else mask[: span.start]
        weight = round(sum(known.get(name, 0.0) for name in names) - _LESS * (not pattern(_SURE).search(part)), 1)
        has_end = span.start is None and best is not None and best.start is None
        if weight > least and not has_end:  # a longer part at the end can contain another clause
            best, least = span, weight
    return best


def candidates(mask: str) -> "Iterator[tuple[slice, set[str]]]":
    """Yield each text that a sentence could ask to remember: its place, and the features of the rest of the sentence.

    The features are the words, pairs of neighbours (`a>b`), the number of words to remember and the next of them, and
    whether the sentence is a question. `^` is the sentence's end on the side of the part, `|` the end of the part.
    Features of a part at the end of the sentence, which is read backwards, begin with `<`.
    """
    words = list(pattern(WORD).finditer(mask.translate(PLAIN)))
    texts = [match[0] for match in words]
    for kind in ("", "<"):
        run = texts[::-1] if kind else texts
        for size in range(1, min(_LONGEST, len(run) - 1) + 1):
            if (run[size - 1] not in _MARKS) if kind else (run[size] in _MARKS):
                continue
            at = words[len(words) - size if kind else size].start()
            if not pattern(CUES).search(mask[at:] if kind else mask[:at]):
                continue
            edges = pairwise(("^", *run[:size], "|", run[size]))
            names = {*run[:size], *(f"{one}>{two}" for one, two in edges), f"rest{min(len(run) - size, 3)}"}
            names |= {"question"} if texts[-1] == "?" else set()
            yield slice(None, at) if kind else slice(at, None), {kind + name for name in names}
