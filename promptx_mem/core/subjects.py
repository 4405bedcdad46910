"""Subjects: the words of a short text that show what it is about."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from promptx_mem.core.text import pattern

_DROPPED_WORDS = (
    "a an the our my we i us your you to of is are was were be been it its has have at in on by with and this that now "
    "new currently instead from as user since all will do does team's today anymore any more longer there never "
    "s not don't no fine ok okay allowed can may must always should"
)
DROPPED = frozenset(_DROPPED_WORDS.split()) | frozenset(
    "应该的了我们在是都也就已经现新为把被要咱到改换成只仅才还每一律统于由用使从今起不再没别目前"
)
"""Words that are part of neither subject nor statement."""

_VERB_FORMS = (
    "kept:keep sent:send ran:run led:lead paid:pay written:write held:hold expiry:expire wants:prefer want:prefer"
    " favourite:prefer favorite:prefer include:has"
)
_FORMS = dict(form.split(":") for form in _VERB_FORMS.split())
"""Forms of one verb, and verbs of one meaning."""


_TERM = r"(?<![\w.])[a-z_][a-z0-9_]*(?:[./+#-][a-z0-9_]+)*"
_LIGHT_WORDS = (
    "default set setting current used using value only every each per about around after before then because so when"
    " where which who what how much many lot just still yet even over under into onto unless until while than same"
    " other another one two live go keep prefer work take get make start end use run listen happen place made read look"
    " for"
)
LIGHT = frozenset(_LIGHT_WORDS.split())
_LIGHT_ZH = frozenset(
    "的了我们在是都也就已经现为把被要咱到改换成只仅才还每于由用使从今起不再没别目前和与及或给对有跟个一这那他她它上下里中会能可以请得很最"
)
"""Words and characters that show no subject."""


@lru_cache(maxsize=64)
def subjects(lower: str) -> frozenset[str]:
    """Return the words and pairs of Chinese characters that may be the subject of a text."""
    found = {plain(word) for word in pattern(_TERM).findall(lower) if word not in DROPPED and len(word) > 1} - LIGHT
    pairs = () if lower.isascii() else pairwise(lower)
    return frozenset(found) | {a + b for a, b in pairs if _is_heavy(a) and _is_heavy(b)}


def _is_heavy(char: str) -> bool:
    return "\u3400" <= char <= "\u9fff" and char not in _LIGHT_ZH


@lru_cache(maxsize=512)
def plain(word: str) -> str:
    word = word.rstrip(".")
    word = word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
    word = word[:-3] if len(word) > 6 and word.endswith("ing") else word
    return _FORMS.get(word) or (word[:-2] if len(word) > 5 and word.endswith("ed") else word)
