"""`.hosts/`: the events that hooks record in each session of an agent's host (docs/file-format.md).

There is one file per session. Losing a line does little harm, so lines are written without a lock or a sync.

The user's requests are recorded in such files too, but in the user's state folder. A record has hashes of the words
that the session was asked to remember. A text for the user store is checked against the hashes.
"""

import contextlib
import datetime
import os
from collections.abc import Iterable, Iterator

from promptx_mem.core.ids import short_hash
from promptx_mem.core.json_text import as_line, objects
from promptx_mem.core.text import narrowed, pattern, replace_surrogates
from promptx_mem.errors import StoreError
from promptx_mem.places import state_folder
from promptx_mem.record import Any
from promptx_mem.store import disk, files
from promptx_mem.store.files import StorePath
from promptx_mem.store.layout import Layout

Record = dict[str, Any]

MAX_DAYS = 30
_LONGEST = 100
"""Maximum length of a session's name in characters."""

MAX_BYTES, MAX_TOTAL = 200_000, 300_000
"""Maximum bytes of one session's file, and of all earlier sessions' files (checked only when a session begins)."""

GIVEN, ASKED = "given", "asked"
"""Names of events: memories were injected; the agent was asked for something to store."""

_DAY = "reviews.txt"
"""Name of the file with the last day on which a session's start mentioned pending reviews."""

_NAME = r"s_[0-9a-f]{10}\.jsonl"


def of_host(ident: str, agent: str = "") -> str:
    """Return the name of a host's session, under which hooks record the injected memories.

    PROMPTX_MEM_SESSION is ignored, because two sessions can share its value. Each model sees only the memories
    injected into its own session. The name for a subagent also has the subagent's id.
    """
    ident = f"{ident} {agent}" if agent not in ("", ident) else ident
    if len(ident) <= _LONGEST:
        return ident
    return ident[: _LONGEST - 10] + short_hash(ident.encode("utf-8", "surrogatepass"), 5)


def path(layout: Layout, session: str) -> StorePath:
    """Return the path of a session's file. The name has a hash, since not every session's name is a valid file name."""
    return layout.hosts / f"s_{short_hash(session.encode('utf-8', 'surrogatepass'), 5)}.jsonl"


def events(layout: Layout, session: str) -> list[Record]:
    """Return the records of a session, in order. Empty if they cannot be read."""
    return _records(path(layout, session))


def sessions(layout: Layout) -> Iterator[tuple[str, list[Record]]]:
    """Yield the name and the records of each recorded session that `note` has not removed."""
    for name in sorted(filter(pattern(_NAME).fullmatch, disk.names(layout.hosts))):
        records = _records(layout.hosts / name)
        named = next((record["session"] for record in records if isinstance(record.get("session"), str)), "")
        yield str(named), records


def _records(file: StorePath) -> list[Record]:
    with contextlib.suppress(OSError, StoreError):
        return objects(files.read(file, 0, MAX_BYTES) or b"")
    return []


def note(layout: Layout, session: str, event: str, now: datetime.datetime, more: Record | None = None) -> bool:
    """Record an event of a session, with further fields (`more`). Return whether the event was written.

    At the first event of a session, files without an event for 30 days, and those above MAX_TOTAL, are removed.
    """
    record: Record = {"at": now.isoformat(timespec="seconds"), "e": event, **(more or {})}
    where = path(layout, session)
    with contextlib.suppress(OSError, StoreError):
        identity = files.identity(where)
        if identity is None:
            disk.make_directory(layout.hosts, layout.directory_mode)
            _clean(layout, now.timestamp() - MAX_DAYS * 86_400)
            record["session"] = session
        elif identity[2] >= MAX_BYTES:
            return False
        with files.opened(where, os.O_RDWR | os.O_APPEND, layout.mode) as fd:
            disk.append(fd, as_line(record))
            return True
    return False


def day_of_reviews(layout: Layout) -> str:
    """Return the last day on which a session's start mentioned pending reviews; empty if there is none."""
    with contextlib.suppress(OSError, StoreError):
        return (files.read(layout.hosts / _DAY) or b"").decode("utf-8", "replace")
    return ""


def note_reviews(layout: Layout, day: str) -> None:
    """Record that a session's start mentioned pending reviews on this day."""
    with contextlib.suppress(OSError, StoreError):  # if the store is read-only, the next session mentions them again
        disk.make_directory(layout.hosts, layout.directory_mode)
        disk.replace(layout.hosts / _DAY, day.encode(), layout.mode)


def _clean(layout: Layout, horizon: float) -> None:
    """Remove files last changed before `horizon` (epoch seconds). Keep the newest files, up to `MAX_TOTAL` bytes."""
    found = (layout.hosts / name for name in filter(pattern(_NAME).fullmatch, disk.names(layout.hosts)))
    known = [(status, file) for file in found if (status := files.status(file)) is not None]
    total = 0
    for status, file in sorted(known, key=lambda one: -one[0].st_mtime):
        total += status.st_size
        if status.st_mtime < horizon or total > MAX_TOTAL:
            with contextlib.suppress(OSError, StoreError):
                disk.unlink(file)


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


def note_request(session: str, words: Iterable[str], now: datetime.datetime) -> None:
    """Record the hashed words of one request. Errors are ignored, since a hook must not stop its host."""
    from promptx_mem.store import outside

    if folder := outside.folder():
        note(Layout(folder), session, _REQUEST, now, {"w": list(words)})


def requests(session: str) -> list[list[object]]:
    """Return the hashed words of each request of a session, in order; an empty list if they cannot be read."""
    folder = state_folder()
    records = events(Layout(folder), session) if folder else []
    return [record["w"] for record in records if record.get("e") == _REQUEST and isinstance(record.get("w"), list)]
