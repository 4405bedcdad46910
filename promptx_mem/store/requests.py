"""Requests of users: hashes of the words that a session was asked to remember. Texts are checked against the hashes."""

import contextlib
import datetime
import os
import time
from collections.abc import Iterable

from promptx_mem.core.ids import digest
from promptx_mem.core.json_text import encode, objects
from promptx_mem.core.text import pattern, unicode
from promptx_mem.errors import StoreError
from promptx_mem.places import state_folder
from promptx_mem.store import files

_WORD = r"[^\W_]+(?:['’][^\W_]+)?"
_DENSE = (("\u3040", "\u30ff"), ("\u3400", "\u9fff"), ("\uf900", "\ufaff"))
_PERSON = r"用户|使用者|本人|[我你您他她]的?"
_NEGATION = r"\b(?:not?|never|none|without|cannot|\w+n['’]t)\b|[不别没勿非无]"
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
    """Return hashes of a text's words (Chinese and Japanese: pairs of characters). Common words are left out."""
    lower = unicode(text).lower()
    words = {_NEGATED} if pattern(_NEGATION).search(lower) else set()
    for word in pattern(_WORD).findall(pattern(_PERSON).sub(" ", lower)):
        if any(first <= char <= last for char in word for first, last in _DENSE):
            words.update(word[i : i + 2] for i in range(max(len(word) - 1, 1)))
        elif word not in _SMALL:
            words.add(_plain(word))
    return {_hashed(word) for word in words}


def covers(request: Iterable[object], text: str) -> bool:
    """Return whether the request contains all terms of the text. A negation must be in both or in neither."""
    asked, words, negated = set(request), terms(text), _hashed(_NEGATED)
    return bool(words - {negated}) and words <= asked and (negated in words) == (negated in asked)


def _hashed(word: str) -> str:
    return digest(word.encode("utf-8", "surrogatepass"), 5)


def _plain(word: str) -> str:
    """Return a word without a final s, so that "I like" and "the user likes" have the same words."""
    stem = word.removesuffix("'s").removesuffix("’s")
    return stem[:-1] if len(stem) > len("its") and stem.endswith("s") and not stem.endswith("ss") else stem


MAX_DAYS = 30
MAX_BYTES = 1_000_000
"""Maximum size in bytes of a session's file. Nothing is added to a larger file."""


def note(session: str, words: Iterable[str], now: datetime.datetime) -> None:
    """Record the hashed words of one request. Errors are ignored, since a hook must not stop its host."""
    path = _path(session)
    if path is None:
        return
    folder = os.path.dirname(path)
    record = {"at": now.isoformat(timespec="seconds"), "w": list(words)}
    with contextlib.suppress(OSError, ValueError, StoreError):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        for entry in os.scandir(folder):  # remove the files of sessions without a request in the last 30 days
            if entry.stat(follow_symlinks=False).st_mtime < time.time() - MAX_DAYS * 86_400:
                os.unlink(entry.path)
        with files.opened(path, os.O_RDWR | os.O_APPEND) as fd:
            if os.fstat(fd).st_size < MAX_BYTES:
                files.append(fd, encode(record))


def words(session: str) -> list[list[object]]:
    """Return the hashed words of each request of a session, in order; an empty list if they cannot be read."""
    path, data = _path(session), None
    with contextlib.suppress(OSError, ValueError):
        data = files.read(path, 0, 2 * MAX_BYTES) if path else None
    return [record["w"] for record in objects(data or b"") if isinstance(record.get("w"), list)]


def _path(session: str) -> str | None:
    folder = state_folder()
    name = f"s_{digest(session.encode('utf-8', 'surrogatepass'), 5)}.jsonl"
    return folder and os.path.join(folder, "requests", name)
