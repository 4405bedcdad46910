"""Base of the import formats: a format recognises a file by its text, and reads memories from it."""

import datetime
import json
import re
from collections.abc import Callable, Iterable
from functools import cached_property

from promptx_mem.core import json_text, times
from promptx_mem.core.labels import normalise_tag, unique
from promptx_mem.core.slices import Message
from promptx_mem.core.text import plural, shorten
from promptx_mem.record import Any, NamedTuple

DATE = r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})(?!\d)[日号號]?"
_CLOCK = r"(?:,?[ T]+(\d{1,2})[:：](\d{1,2})(?:[:：](\d{1,2}))?)?"
_LOOSE = re.compile(DATE + _CLOCK)
_DATED = re.compile(
    rf"[\[(【（]?(?P<at>{DATE}{_CLOCK}(?:Z|[+-]\d\d:\d\d)?)"
    r"(?:[\])】）][.:：,，]?|[.,](?=\s|$)|:(?!\d)|[：，]|(?=\s|$|[\u2e80-\u9fff]))"
    r"[^\S\n]*(?P<dash>[-–—]+\s+)?(?P<text>.*)",
    re.DOTALL,
)
_NEEDS_DATE = re.compile(r"(?:[-–—~～/至到&]|to |until )\s*\d|(?:is|was|will)\b|是", re.IGNORECASE)
"""Pattern of a text that needs the date before it: `- 2026-03-20` or `was sunny`."""

_MILLIS = 100_000_000_000
"""Numbers of at least this size are times in milliseconds since 1970. Smaller numbers are times in seconds."""


def moment(value: object) -> str | None:
    """Return a time as ISO 8601 text; None if it is invalid or before 1970.

    The value is ISO 8601, `2025/06/05 18:47`, `2025年6月5日`, or a number of seconds or milliseconds since 1970.
    """
    if isinstance(value, datetime.datetime | datetime.date):
        value = value.isoformat()
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _since_1970(value) if value >= 0 else None
    if not isinstance(value, str) or not (text := value.strip()):
        return None
    if re.fullmatch(r"\d{9,13}(?:\.\d+)?", text):
        return _since_1970(float(text))
    if match := _LOOSE.fullmatch(text):
        year, month, day, hour, minute, second = (int(part or 0) for part in match.groups())
        text = f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"
    try:
        iso = datetime.datetime.fromisoformat(text).isoformat(timespec="seconds")
        return iso if times.epoch(iso) >= 0 else None
    except (ValueError, OverflowError):
        return None


def dated(text: str) -> tuple[str | None, str, str]:
    """Split a text that begins with a date. Return the date's time, the date as written, and the rest of the text.

    Without a date, the time is None. A date that the text needs (`2026-03-14 - 2026-03-20: …`) stays in the rest.
    """
    match = _DATED.fullmatch(text)
    at = moment(match["at"]) if match else None
    if match is None or at is None:
        return None, "", text
    rest = match["text"]
    if _NEEDS_DATE.match(rest) or (match["dash"] and rest[:1].isdigit()):
        return at, "", text
    return at, text[: match.start("text")], rest


def _since_1970(value: float) -> str | None:
    seconds = value / 1000 if value >= _MILLIS else value
    try:
        return datetime.datetime.fromtimestamp(seconds, datetime.UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return None


MAX_TAG = 40
"""Maximum length in characters of a tag that is made from a heading or name."""

_JUNK = " \t\"'`*()[]{}<>:：,，;；!！?？。、|&+=~^$%@…“”‘’「」『』【】（）《》/\\"


class Item(NamedTuple):
    """A memory that was read from a file. `line` is its line number from 1; 0 if the format has no lines.

    `score`, `duration` and `at` are None if the file does not contain them. `at` is an ISO 8601 time; without an
    offset, it is local time. `bare` marks a list item with neither tags nor a score. `date` is the date as written
    before the text.
    """

    text: str
    line: int = 0
    tags: tuple[str, ...] = ()
    score: float | None = None
    duration: str | None = None
    at: str | None = None
    topic: str | None = None
    related: tuple[str, ...] = ()
    type: str | None = None
    dims: tuple[float, ...] | None = None
    reason: str | None = None
    session: str | None = None
    bare: bool = False
    aka: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()
    date: str = ""


SAME = ("topic", "related", "type", "dims", "reason", "session", "aka", "cites")
"""Fields that are copied by name from an Entry to an Item and back."""


class Rest(NamedTuple):
    """A part of a file that is not imported, and the reason. `is_damaged`: it may contain a memory."""

    line: int
    why: str
    text: str = ""
    is_damaged: bool = False


class Talk(NamedTuple):
    """A conversation that was read from a file. Its `name` is the same at each import."""

    name: str
    messages: tuple[Message, ...]


class Reading:
    """The content of a file: memories (`items`) and conversations (`talks`).

    `leftovers` are parts that are not imported. `notes` are about the whole file.
    """

    def __init__(self, items: Iterable[Item] = (), leftovers: Iterable[Rest] = (), notes: Iterable[str] = ()) -> None:
        self.items, self.leftovers, self.notes = list(items), list(leftovers), list(notes)
        self.talks: list[Talk] = []
        self._invalid_times: list[str] = []

    def leave(self, line: int, why: str, text: str = "", *, is_damaged: bool = False) -> None:
        """Add a part of the file that is not imported, and the reason. `is_damaged`: it may contain a memory."""
        self.leftovers.append(Rest(line, why, text, is_damaged))

    def time(self, line: int, *values: object) -> str | None:
        """Return the first valid time of `values` (`moment`). If all are invalid, keep one for `all_notes`."""
        at = next(filter(None, map(moment, values)), None)
        if at is None and (given := [value for value in values if value not in (None, "")]):
            self._invalid_times.append(f"line {line}: " * bool(line) + repr(shorten(str(given[0]), 40)))
        return at

    def all_notes(self) -> list[str]:
        """Return the notes, and a note that names up to 10 invalid times."""
        if not (invalid := self._invalid_times):
            return self.notes
        shown = ", ".join(invalid[:10]) + ", …" * (len(invalid) > 10)
        return [*self.notes, f"{plural(len(invalid), 'invalid time')} (write 2026-12-31 15:00): {shown}"]


class Source:
    """One file to import: its name and its text."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.text = name, text

    @cached_property
    def json(self) -> Any:
        """Return the file as a JSON object or list; None if it is neither."""
        return self._load(self.text) if self.text.lstrip()[:1] in ("{", "[") else None

    @cached_property
    def records(self) -> list[tuple[int, Any]]:
        """Return the number and the JSON value of each line that is not blank. The value of an invalid line is None.

        The list is empty if the first line is not a JSON object.
        """
        lines = [(number, line) for number, line in enumerate(self.text.split("\n"), 1) if line.strip()]
        if not lines or not lines[0][1].lstrip().startswith("{") or not isinstance(self._load(lines[0][1]), dict):
            return []
        return [(number, self._load(line)) for number, line in lines]

    def json_fault(self) -> str:
        """Return why the file is not valid JSON; empty if it is valid, or does not begin like JSON."""
        if self.json is not None or self.records or self.text.lstrip()[:1] not in ("{", "["):
            return ""
        try:
            json_text.loads(self.text)
        except (ValueError, RecursionError) as error:
            place = f" (line {error.lineno}, column {error.colno})" if isinstance(error, json.JSONDecodeError) else ""
            return f"it is not valid JSON{place}"
        return ""

    @staticmethod
    def _load(text: str) -> Any:
        try:
            return json_text.loads(text)
        except (ValueError, RecursionError):
            return None


class Form(NamedTuple):
    """An import format: its name for `--from`, a function that recognises a file, and a reader."""

    name: str
    matches: Callable[[Source], bool]
    read: Callable[[Source], Reading]


def tag(words: object) -> str | None:
    """Return a name or heading as a tag, with its words joined by hyphens. None if it cannot be a valid tag."""
    if not isinstance(words, str):
        return None
    if (exact := normalise_tag(words.strip())) and len(exact) <= MAX_TAG:
        return exact
    plain = "".join(" " if c in _JUNK else c for c in words)
    parts = (normalise_tag(part.strip("#＃-.")) for part in plain.split())
    name = "-".join(part for part in parts if part)
    return name if name and len(name) <= MAX_TAG else None


def tags(words: object) -> tuple[str, ...]:
    """Return the tags for a list of names, or for a text with names separated by commas or `#`, or else by spaces."""
    if isinstance(words, str):
        words = re.split(r"[,，;；、|#＃]" if re.search("[,，;；、|]", words) else r"[\s#＃]", words)
    return unique(name for word in words if (name := tag(word))) if isinstance(words, list | tuple) else ()


def text_of(value: object) -> str:
    """Return a string without spaces around it; an empty string if the value is not a string."""
    return value.strip() if isinstance(value, str) else ""


def fields_of(value: object) -> dict[str, Any]:
    """Return a JSON object; an empty one if the value is not an object."""
    return value if isinstance(value, dict) else {}
