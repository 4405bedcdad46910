"""Conversations: a unit contains the messages of a session in order, a slice is a part of them with a summary.

Source 004 (docs/design.md) calls them *MemoryUnit* and *MemorySlice*. A memory refers to a slice as `unit:slice`, for
example `u_5f0c91d2aa:3`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from types import MappingProxyType

from promptx_mem.core.ids import short_hash
from promptx_mem.core.text import shorten
from promptx_mem.core.times import HOUR, epoch
from promptx_mem.record import NamedTuple, TypedDict

ROLES = ("user", "assistant", "system", "tool")
SPEAKERS = ("user", "assistant")

WORKING_MEMORY = 30
"""Maximum number of a session's messages that are not summarised. If there are more, the oldest are summarised."""

KEPT = 10
"""Number of the newest messages that stay without a summary when WORKING_MEMORY is exceeded."""

PAUSE = 4 * HOUR
"""Seconds without a message after which a conversation has ended."""

SCORE, TAG = 7.5, "对话"
"""Score and tag of an episode (a memory that summarises a slice)."""

PART = 8_000
"""Maximum characters of a stored message. A longer message is split, so that a search finds the right part."""

PURGED = "[purged]"
"""Text that replaces the text of destroyed messages."""

_WORDS, _OF_ONE = 160, 48
_BEFORE, _TERMS, _PLACES = 200, 20, 20
"""Limits for `passage`: characters before the first term, number of terms, and positions compared for each term."""

DATED = re.compile(r"\[[^\]]{16}\] ")
"""Expression for the time in brackets before the summary in an episode's text."""

_REFERENCE = re.compile(r"([A-Za-z0-9][A-Za-z0-9_-]{0,63}):([1-9][0-9]{0,8})")
_UNIT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


class Reference(NamedTuple):
    """A reference to a slice of a unit. The slices of a unit are numbered from 1."""

    unit: str
    number: int

    def __str__(self) -> str:
        return f"{self.unit}:{self.number}"


class Message(NamedTuple):
    """One message. `at` is RFC 3339 with offset, or None if the time is unknown.

    `heard`: when it was received, if that differs from when it was sent. `key`: the id that the host gave to it.
    """

    role: str
    text: str
    at: str | None = None
    heard: str | None = None
    key: str | None = None

    def times(self) -> tuple[float, float]:
        """Return the epoch seconds of sending and, not earlier, receiving. An unknown time is the other one, or 0."""
        moment = epoch(self.at) if self.at else 0.0
        came = epoch(self.heard) if self.heard else moment
        return min(moment, came) or came, came


def slice_size(waiting: Sequence[Message], *, is_over: bool) -> int:
    """Return how many of the oldest messages form the next slice; 0 if no slice is complete.

    A slice ends at a pause of four hours. Of more than 30 messages without a pause, the oldest 21 are a slice. So
    slices do not depend on the time of this call. If neither applies and `is_over`, all messages are a slice.
    """
    for count in range(1, len(waiting)):
        pairs = zip(waiting[count - 1].times(), waiting[count].times(), strict=True)
        if any(earlier and later - earlier >= PAUSE for earlier, later in pairs):
            return count
        if count == WORKING_MEMORY:
            return WORKING_MEMORY + 1 - KEPT
    return len(waiting) if is_over else 0


def first_words(messages: Sequence[Message]) -> str:
    """Return the default summary: the first words of the user's messages, or of all messages if there are none."""
    whole = list(joined(dict(enumerate(messages))).values())
    own = [message for message in whole if message.role == "user"] or whole
    return shorten(" / ".join(shorten(message.text, _OF_ONE) for message in own), _WORDS)


class Slice(NamedTuple):
    """The messages `first` to `last` of a unit, both counted from 1 and both included.

    `topic`, `related` and `profile` are its *recall profile*, as in an Entry.
    """

    number: int
    first: int
    last: int
    at: str
    summary: str
    topic: str | None = None
    related: tuple[str, ...] = ()
    profile: tuple[float, float, float] | None = None


class Unit(NamedTuple):
    """All data of one conversation. `messages` and `slices` are keyed by their numbers.

    `problems` counts invalid lines, which stay in the file. `episodes` maps a slice's number to the id of the memory
    that summarises it. `place`: device and inode of the file, and the number of bytes that were read. `gone`: the
    highest numbers of a deleted message and a deleted slice, 0 for none.
    """

    id: str
    session: str | None
    messages: dict[int, Message]
    slices: dict[int, Slice]
    problems: int = 0
    episodes: Mapping[int, str] = MappingProxyType({})
    place: tuple[int, int, int] | None = None
    gone: tuple[int, int] = (0, 0)

    def keys(self) -> set[str]:
        """Return the ids that the host gave to the messages."""
        return {message.key for message in self.messages.values() if message.key}

    def rolled(self) -> int:
        """Return the number of the last message that is in a slice or was deleted; 0 if there is none."""
        return max((self.gone[0], *(part.last for part in self.slices.values())))

    def next_message(self) -> int:
        """Return the number for the next message. Numbers are never reused."""
        return max((*self.messages, self.gone[0])) + 1

    def next_slice(self) -> int:
        """Return the number for the next slice. Numbers are never reused, since memories can refer to old slices."""
        return max((*self.slices, self.gone[1])) + 1

    def waiting(self) -> dict[int, Message]:
        """Return the messages that are not yet in a slice, by number. They are the working memory."""
        rolled = self.rolled()
        return {number: message for number, message in self.messages.items() if number > rolled}

    def is_due(self) -> bool:
        """Return whether the waiting messages form a complete slice. A pause after the last message does not count."""
        return slice_size(list(self.waiting().values()), is_over=False) > 0

    def unfinished(self) -> list[Slice]:
        """Return the slices whose memory (episode) was not stored because of a crash."""
        return [part for number, part in sorted(self.slices.items()) if number not in self.episodes]

    def of(self, part: Slice) -> list[Message]:
        """Return the messages of a slice, without damaged messages."""
        return [self.messages[number] for number in self.numbers(part)]

    def numbers(self, part: Slice) -> list[int]:
        """Return the numbers of the messages of a slice."""
        return [number for number in sorted(self.messages) if part.first <= number <= part.last]


class NewEpisode(TypedDict):
    """A memory that was created to summarise messages, and the part of the conversation (slice) that contains them."""

    id: str
    text: str
    slice: str
    topic: str | None


def split_message(message: Message) -> list[Message]:
    """Split a message longer than `PART`, if possible after a word. The parts, joined, are the whole text.

    Only the first part keeps the host's id.
    """
    text, start, out = message.text, 0, list[Message]()
    while len(text) - start > PART:
        stop = start + PART
        ends = (text.rfind(mark, stop - PART // 4, stop) + 1 for mark in "\n ")
        stop = next(filter(None, ends), stop)
        out.append(message._replace(text=text[start:stop], key=None if start else message.key))
        start = stop
    return [*out, message._replace(text=text[start:], key=None if start else message.key)]


def joined(parts: Mapping[int, Message]) -> dict[int, Message]:
    """Join the parts of long messages. Return each message under the number of its first part."""
    out: dict[int, Message] = {}
    first, goes_on = 0, False
    for number, part in sorted(parts.items()):
        first = first if goes_on else number
        out[first] = out[first]._replace(text=out[first].text + part.text) if goes_on else part
        goes_on = len(part.text) == PART or part.text[-1:].isspace()  # a stored message ends in no space
    return out


def passage(text: str, terms: Iterable[str], room: int) -> str:
    """Return at most `room` characters of a text: the part with the most different terms.

    If the text has no term, return its beginning.
    """
    some = [term for term in dict.fromkeys(terms) if len(term) > 1][:_TERMS]
    found = ((term, islice(re.finditer(re.escape(term), text, re.IGNORECASE), _PLACES)) for term in some)
    spots = sorted((match.start(), term) for term, matches in found for match in matches)
    before = min(_BEFORE, room // 4)
    width = room - 2 * before
    counts = {at: len({term for spot, term in spots if at <= spot < at + width}) for at, _ in spots}
    best = max(counts, key=lambda at: counts[at], default=0)
    start = best - before if best + width > room else 0
    shown = text[start : start + room]
    shown = f"…{shown[1:]}" if start else shown
    return f"{shown[:-1]}…" if start + room < len(text) else shown


def parse_reference(text: str) -> Reference | None:
    """Read a reference `unit:slice`. None for any other text, so that a reference never names a path."""
    match = _REFERENCE.fullmatch(text)
    return Reference(match[1], int(match[2])) if match else None


def is_unit(text: str) -> bool:
    """Return whether a text is a valid name of a unit (a stored conversation)."""
    return _UNIT.fullmatch(text) is not None


def unit_of(session: str) -> str:
    """Return the unit name of a session. It is a hash, since a session's name need not be a valid file name."""
    return "u_" + short_hash(session, 5)
