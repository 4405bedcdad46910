"""Event: a change of a memory after it was stored. Each event is a line of journal.jsonl."""

from collections.abc import Callable, Iterable

from promptx_mem.core.entry import read_aliases, read_count, read_flag, read_number
from promptx_mem.core.ids import short_hash
from promptx_mem.core.json_text import dumps, load_object
from promptx_mem.core.text import escape_json
from promptx_mem.core.times import epoch, is_time
from promptx_mem.record import Any, NamedTuple

KINDS = (
    "adopted", "repeated", "boosted", "recalled", "verified", "kept", "promoted",
    "deleted", "forgotten", "restored", "purged", "imported", "owned", "confirmed", "replaced", "unscored",
    "contradicted", "aliased",
)  # fmt: skip

ENDING_KINDS = ("forgotten", "deleted", "purged")

RECALLED = "recalled"
REPLACED = "replaced"
CONTRADICTED = "contradicted"
ALIASED = "aliased"
AUTOMATIC_KINDS = frozenset({"adopted", RECALLED, "imported", "owned", REPLACED, CONTRADICTED})
"""Events that the program records by itself. If a person edits a memory's line, these events can be dropped."""

DELETED_LINE = "its line was deleted"
"""Beginning of the reason in a `forgotten` event that confirms the deliberate deletion of a line."""

_LATEST = 253_402_300_800.0  # the end of the year 9999
BOM = "\ufeff"
"""The byte order mark that some editors put at the start of a file."""


class Event(NamedTuple):
    """One event. It concerns the memories `ids`.

    `k` orders events: microseconds of the writer's clock, but always above every `k` that the writer has read. `at` is
    RFC 3339. `gain` is the increase of importance by a boost or a repeat (default 0.3). A `repeated` or `restored`
    event has a score if the text itself, not a near duplicate, was stored again. `supersedes`: in `restored`, all
    memories that had replaced this memory; in `purged`, the memories that the destroyed memory replaces. `topic` and
    `related`: the paths given when the text was stored again. Then `line` has the tags, score and duration in the
    memory's line; in `restored`, the tags replace those of the memory. In `replaced`, `line` is the hash of the old
    line, and `by` is the hash of the new line. `contradicted` names two memories; the first is newer. If `verified` is
    False, the event records the answer that both memories are valid. `aliased` replaces a memory's aliases by `aka`. An
    `aliased` event with a reason only records that an agent was asked for aliases.
    """

    k: int
    host: str
    at: str
    kind: str
    ids: tuple[str, ...]
    score: float | None = None
    duration: str | None = None
    tags: tuple[str, ...] = ()
    reason: str | None = None
    supersedes: tuple[str, ...] = ()
    gain: float | None = None
    verified: bool | None = None
    topic: str | None = None
    related: tuple[str, ...] = ()
    line: str | None = None
    by: str | None = None
    aka: tuple[str, ...] = ()


def format_event(event: Event) -> str:
    """Return the event's line, without newline. Unprintable characters, `<`, `>` and `&` become JSON escapes."""
    fields: dict[str, Any] = {"k": event.k, "host": event.host, "at": event.at, "e": event.kind}
    if len(event.ids) == 1:
        fields["id"] = event.ids[0]
    else:
        fields["ids"] = event.ids
    for key in _OPTIONAL:
        value = getattr(event, key)
        if value is not None and value != ():
            fields[key] = value
    return escape_json(dumps(fields, ascii_only=False))


def parse_event(line: str) -> Event | None:
    """Read one line of the journal. Return None if the line is invalid. Unknown keys are ignored."""
    fields = load_object(line.removeprefix(BOM))
    if fields is None:
        return None
    k, host, at, kind = (reader(fields.get(key)) for key, reader in _REQUIRED.items())
    ids = _texts([fields["id"]] if "id" in fields else fields.get("ids"))
    if k is None or host is None or at is None or kind is None or not ids:
        return None
    read: dict[str, Any] = {}
    for key, reader in _OPTIONAL.items():
        if (field := fields.get(key)) is not None:
            read[key] = value = reader(field)
            if value is None:
                return None
    return Event(k, host, at, kind, ids, **read)


def event_hash(event: Event) -> str:
    """Return a hash of the event's line. It orders events with the same `k` in the same way on every machine."""
    return short_hash(format_event(event))


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _at(value: Any) -> str | None:
    good = isinstance(value, str) and is_time(value) and 0 <= epoch(value) < _LATEST
    return value if good else None


def _texts(value: Any) -> tuple[str, ...] | None:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        return None
    return tuple(dict.fromkeys(value))


def _duration(value: Any) -> str | None:
    from promptx_mem.core.durations import canonical

    return canonical(value) if isinstance(value, str) else None


_REQUIRED: dict[str, Callable[[Any], Any]] = {
    "k": read_count,
    "host": _text,
    "at": _at,
    "e": lambda value: _text(value) or None,
}
_OPTIONAL: dict[str, Callable[[Any], Any]] = {
    "score": read_number(10),
    "duration": _duration,
    "tags": _texts,
    "reason": _text,
    "supersedes": _texts,
    "gain": read_number(1),
    "verified": read_flag,
    "topic": _text,
    "related": _texts,
    "line": _text,
    "by": _text,
    "aka": read_aliases,
}


def latest(events: Iterable[Event], kind: str) -> dict[str, int]:
    """Return the greatest `k` of the events of a kind about each memory, by id."""
    ordered = sorted((event for event in events if event.kind == kind), key=lambda event: event.k)
    return {ident: event.k for event in ordered for ident in event.ids}
