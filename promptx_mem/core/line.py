"""The line format: one memory per line, written as `- visible part <!-- {json} -->` (docs/file-format.md).

Also a line's position among the events, and the state of a memory that has only this line.
"""

from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache

from promptx_mem.core.entry import DEFAULT_SCORE, FIELDS, FORMAT_VERSION, LONG, NEWER, Entry
from promptx_mem.core.ids import is_id, line_mark, make_id, short_hash
from promptx_mem.core.json_text import dumps, load_object
from promptx_mem.core.state import NEVER, State, ending, initial, is_steady, review_after
from promptx_mem.core.syntax import format_visible, parse_argument
from promptx_mem.core.text import escape_json, pattern, shorten
from promptx_mem.core.times import epoch, is_time, parse_at
from promptx_mem.record import Any, NamedTuple

_OPEN, _CLOSE = " <!-- {", "} -->"
_DAMAGED = (
    r' ?(?:<!-- ?(?=\{"id":)|[<!-]{0,4} ?(?=\{"id":"m_[0-9a-z]{10}","at":"))'
    r'(?:\{(?:"(?:[^"\\]|\\.)*"|[^"{}])*\} ?-*>?|.*)'
)
"""Expression for a comment without an end, or with a damaged beginning. It excludes text after the JSON object."""

_QUOTES = 8  # around two keys and two values
_READERS = {field.name: field.read for field in FIELDS}


class Problem(NamedTuple):
    """A part of a file that could not be read. It stays in the file unchanged."""

    file: str
    line: int
    message: str
    fix: str


class Line(NamedTuple):
    """A parsed line: the memory, and messages about invalid parts."""

    entry: Entry
    problems: tuple[str, ...] = ()


def format_line(entry: Entry) -> str:
    """Return the line of a memory, without newline. Raises ValueError if the memory has no `id` or `at`."""
    if not entry.id or entry.at is None:
        msg = "a line needs an id and a time"
        raise ValueError(msg)
    visible = format_visible(entry.text, entry.tags, entry.score, entry.duration)
    comment: dict[str, Any] = {"id": entry.id, "at": entry.at}
    parsed = parse_argument(visible)
    if (parsed.text, parsed.tags, parsed.score, parsed.duration) != entry[:4]:
        comment["text"] = entry.text
        comment["vis"] = line_mark(visible)
    for field in FIELDS:
        value = getattr(entry, field.name)
        if value != field.default:
            comment[field.name] = value
    encoded = escape_json(dumps(comment, ascii_only=False))
    return f"- {visible} <!-- {encoded} -->"


def is_line(raw: str) -> bool:
    """Return whether a line begins and ends like a line in our format."""
    return raw.startswith("- ") and raw.endswith(_CLOSE) and raw.rfind(_OPEN) > 0


def parse_line(raw: str) -> Line | None:
    """Parse a line (no newline). None unless it begins with `- `, ends in a comment with a valid id and has no NUL."""
    cut = raw.rfind(_OPEN)
    if cut <= 0 or not (raw.startswith("- ") and raw.endswith(_CLOSE)) or "\0" in raw:
        return None
    visible, encoded = raw[2:cut], raw[cut + len(_OPEN) - 1 : len(raw) - len(_CLOSE) + 1]
    comment = (plain := _plain(encoded)) or load_object(encoded)
    if comment is None or not isinstance(ident := comment.get("id"), str) or not is_id(ident):
        return None
    parsed = parse_argument(visible)
    text, problems, fields = parsed.text, [*parsed.problems], {}
    if not plain:
        if isinstance(original := comment.get("text"), str) and comment.get("vis") == line_mark(visible):
            text = original
        fields = _optional(comment, problems)
    at = comment.get("at")
    if not (isinstance(at, str) and is_time(at)):
        at = None
        problems.append("the time (`at`) is missing or invalid")
    if not plain and (version := comment.get("v", FORMAT_VERSION)) != FORMAT_VERSION:
        problems.append(f"{NEWER} (format {shorten(repr(version), 40)}): some of it may not be understood")
    score = DEFAULT_SCORE if parsed.score is None else parsed.score
    entry = Entry(text, parsed.tags, score, parsed.duration or LONG, ident, at, **fields)
    return Line(entry, tuple(problems))


def _plain(encoded: str) -> dict[str, Any] | None:
    """Read a comment with only an id and a time, four times as fast as JSON. None for any other."""
    is_plain = encoded[:7] == '{"id":"' and encoded[19:27] == '","at":"' and encoded[-2:] == '"}'
    if is_plain and encoded.count('"') == _QUOTES and "\\" not in encoded:
        return {"id": encoded[7:19], "at": encoded[27:-2]}
    return None


def strip_comment(raw: str) -> str:
    """Return a line without its comment of our format, even if the comment is damaged or has text after it."""
    if is_line(raw):
        return raw[: raw.rfind(_OPEN)]
    return pattern(_DAMAGED).sub("", raw) if '{"id":' in raw else raw


def is_edited(entry: Entry) -> bool:
    """Return whether the hash in the id is not that of the text, since a person edited the file."""
    return entry.id != make_id(entry.text, entry.salt)


def with_offset(entry: Entry) -> Entry:
    """Return the entry with a UTC offset in its time; PromptX writes none. Raises ValueError if the time is invalid."""
    at = str(entry.at)
    if is_time(at):
        return entry
    return entry._replace(at=parse_at(at).astimezone().isoformat(timespec="seconds"))


def _optional(comment: dict[str, Any], problems: list[str]) -> dict[str, Any]:
    """Return the optional fields of a comment. Add messages about invalid ones to `problems`."""
    fields: dict[str, Any] = {}
    for name in filter(comment.__contains__, _READERS):
        value = _READERS[name](comment[name])
        if value is None:
            problems.append(f"the field `{name}` is invalid and is ignored")
        else:
            fields[name] = value
    return fields


class Superseded(NamedTuple):
    """A replacement by the memory `by`; `k`: its place among the events. `purged`: the text of `by` is destroyed."""

    by: str
    k: int
    at: str
    purged: bool = False


def line_key(entry: Entry) -> int:
    """Return the position of a line in the order of events: its `k` or, without `k`, its `at` in microseconds.

    An event with a smaller `k` belongs to an earlier memory with this text. Raises ValueError if the line has no time.
    """
    if entry.at is None:
        raise ValueError(f"memory {entry.id} has no time")
    return micros(entry.at) if entry.k is None else entry.k


def state_of_line(line: Entry) -> State:
    """Return the State of a memory that, like most memories, has a single line and no events."""
    at, stamp = stored_at(line)
    category, duration = line.category, line.duration
    importance, lasts, end, fades = _course_of_fading(line.score, category, duration)
    ends_at = at + lasts
    if not is_steady(duration):
        from promptx_mem.core.durations import end_of

        due = end_of(duration, parse_at(stamp))
        ends_at, end = ending(importance, category, duration, accessed=at, since=at, due=due)
    if line.behind:
        ends_at, end, fades = NEVER, None, NEVER
    return State(
        line, at, tuple(dict.fromkeys(line.tags)), line.score, duration, category, line.verified,
        importance, at, at, ends_at, end, (), at + fades,
    )  # fmt: skip


@lru_cache(maxsize=4096)
def _course_of_fading(score: float, category: str, duration: str) -> tuple[float, float, str | None, float]:
    """Return importance, seconds until the end, reason for the end, and seconds until a review for fading.

    Both times count from storing. A duration that is an amount or a date is ignored.
    """
    importance = initial(score, category)
    lasts, end = ending(importance, category, duration, accessed=0.0, since=0.0, due=None)
    return importance, lasts, end, review_after(importance, category, duration)


def stored_at(line: Entry) -> tuple[float, str]:
    """Return when a line was stored, in epoch seconds and as text: its `at` or, with `behind` and `k`, its `k`.

    Raises ValueError if the line has no time.
    """
    if line.at is None:
        raise ValueError(f"memory {line.id} has no time")
    if line.behind and line.k is not None:
        time = line.k / 1e6
        return time, datetime.fromtimestamp(time, parse_at(line.at).tzinfo).isoformat()
    return epoch(line.at), line.at


def value_hash(value: Any) -> str:
    """Return a hash of a named tuple's fields. It is the same on every machine and in every version of Python.

    Default values and `was` are left out, so that a version with more fields computes the same hash.
    """
    default = value._field_defaults
    fields = zip(value._fields, value, strict=True)
    named = {name: field for name, field in fields if name != "was" and (name not in default or field != default[name])}
    return short_hash(dumps(named, space=" "))


def line_ranges(data: bytes, start: int = 0) -> Iterator[tuple[bytes, int, int]]:
    """Yield each line without its newline, the offset of its start, and the offset after its newline.

    `data` begins at the offset `start`. After a final newline there is one more line, which is empty.
    """
    last = start + len(data)
    for raw in data.split(b"\n"):
        stop = min(start + len(raw) + 1, last)
        yield raw, start, stop
        start = stop


def micros(at: str) -> int:
    """Return an RFC 3339 time as microseconds since the epoch."""
    return round(epoch(at) * 1e6)
