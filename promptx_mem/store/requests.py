"""Requests of users: hashes of the words that a session was asked to remember. Texts are checked against the hashes."""

import datetime
from collections.abc import Iterable

from promptx_mem.core.ids import short_hash
from promptx_mem.core.text import narrowed, pattern, replace_surrogates
from promptx_mem.places import state_folder
from promptx_mem.store import hosts
from promptx_mem.store.layout import Layout

_REQUEST = "request"
_WORD = r"[^\W_]+(?:['’][^\W_]+)?"
_UNSPACED_RANGES = (("\u3040", "\u30ff"), ("\u3400", "\u9fff"), ("\uf900", "\ufaff"))
_PERSON = r"用户|使用者|本人|[我你您他她]的?"
_NEGATION = r"\b(?:not?|never|none|without|cannot|\w+n['’]t)\b|[不别没勿非无]"
_NEGATED = "¬"
_STOP_WORDS = frozenset(
    (
        "a", "an", "and", "are", "be", "been", "by", "do", "does", "for", "from", "has", "have", "he", "her", "hers",
        "him", "his", "i", "i'm", "i’m", "i've", "i’ve", "in", "is", "it", "its", "me", "my", "of", "on", "or", "our",
        "she", "that", "the", "their", "them", "they", "this", "to", "us", "user", "user's", "user’s", "uses", "was",
        "we", "were", "will", "with", "you", "your",
    )
)  # fmt: skip


def terms(text: str) -> set[str]:
    """Return hashes of a text's uncommon words (Chinese and Japanese: pairs of characters), and of any negation."""
    lower = replace_surrogates(text).lower()
    words = {_NEGATED} if pattern(narrowed(_NEGATION, lower)).search(lower) else set()
    for word in pattern(_WORD).findall(pattern(narrowed(_PERSON, lower)).sub(" ", lower)):
        if any(first <= char <= last for char in word for first, last in _UNSPACED_RANGES):
            words.update(word[i : i + 2] for i in range(max(len(word) - 1, 1)))
        elif word not in _STOP_WORDS:
            words.add(_plain(word))
    return {_hashed(word) for word in words}


def is_covered(request: Iterable[object], text: str) -> bool:
    """Return whether the request contains all terms of the text, at least one. Both or neither must have a negation."""
    asked, words, negated = set(request), terms(text), _hashed(_NEGATED)
    return bool(words - {negated}) and words <= asked and (negated in words) == (negated in asked)


def _hashed(word: str) -> str:
    return short_hash(word.encode("utf-8", "surrogatepass"), 5)


def _plain(word: str) -> str:
    """Return a word without a final s, so that "I like" and "the user likes" have the same words."""
    stem = word.removesuffix("'s").removesuffix("’s")
    return stem[:-1] if len(stem) > len("its") and stem.endswith("s") and not stem.endswith("ss") else stem


def note(session: str, words: Iterable[str], now: datetime.datetime) -> None:
    """Record the hashed words of one request. Errors are ignored, since a hook must not stop its host."""
    from promptx_mem.store import outside

    if folder := outside.folder():
        hosts.note(Layout(folder), session, _REQUEST, now, {"w": list(words)})


def words(session: str) -> list[list[object]]:
    """Return the hashed words of each request of a session, in order; an empty list if they cannot be read."""
    folder = state_folder()
    records = hosts.events(Layout(folder), session) if folder else []
    return [record["w"] for record in records if record.get("e") == _REQUEST and isinstance(record.get("w"), list)]
