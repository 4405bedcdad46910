"""What a person asked an agent to remember, told again from what the agent stores: by hashes of its words alone.

An agent says "the user is vegetarian" where the person said "remember I'm vegetarian". So words that only say of whom
it is do not count; every other word of what is stored must have been in the message, and no negation may go or come.
"""

import re
from collections.abc import Iterable

from promptx_mem.core.ids import digest
from promptx_mem.core.text import unicode

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_DENSE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_PERSON = re.compile(r"用户|使用者|本人|[我你您他她]的?")
_NEGATION = re.compile(r"\b(?:not?|never|none|without|cannot|\w+n['’]t)\b|[不别没勿非无]")
_NEGATED = "¬"
_SMALL = frozenset(
    (
        "a", "an", "and", "are", "be", "been", "by", "do", "does", "for", "from", "has", "have", "he", "her", "hers",
        "him", "his", "i", "i'm", "i’m", "i've", "i’ve", "in", "is", "it", "its", "me", "my", "of", "on", "or", "our",
        "she", "that", "the", "their", "them", "they", "this", "to", "us", "user", "user's", "user’s", "uses", "was",
        "we", "were", "will", "with", "you", "your",
    )
)  # fmt: skip


def terms(text: str) -> set[str]:
    """Return the hashes of the words of a text; of Chinese and Japanese text of its characters, in pairs."""
    lower = unicode(text).lower()
    words = {_NEGATED} if _NEGATION.search(lower) else set()
    for word in _WORD.findall(_PERSON.sub(" ", lower)):
        if _DENSE.search(word):
            words.update(word[i : i + 2] for i in range(max(len(word) - 1, 1)))
        elif word not in _SMALL:
            words.add(_plain(word))
    return {_hashed(word) for word in words}


def covers(request: Iterable[object], text: str) -> bool:
    """Return whether the terms of a request include all those of a text."""
    asked, words, negated = set(request), terms(text), _hashed(_NEGATED)
    return bool(words - {negated}) and words <= asked and (negated in words) == (negated in asked)


def _hashed(word: str) -> str:
    return digest(word.encode("utf-8", "surrogatepass"), 5)


def _plain(word: str) -> str:
    """A word without the ending that tells "I like" from "the user likes"."""
    stem = word.removesuffix("'s").removesuffix("’s")
    return stem[:-1] if len(stem) > len("its") and stem.endswith("s") and not stem.endswith("ss") else stem
