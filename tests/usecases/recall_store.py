"""Stores for the tests of recall: written directly, queried through Memory with a fixed clock."""

import datetime
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.api import Cues, Entry, Event, Memory, format_event, format_line, layout, make_id
from tests.inside import trust

ZONE = datetime.timezone(datetime.timedelta(hours=8))
NOW = datetime.datetime(2026, 11, 20, 12, 0, tzinfo=ZONE)
DAY = datetime.timedelta(days=1)


def ago(days: float) -> str:
    """Return the time this many days before NOW."""
    return (NOW - days * DAY).isoformat(timespec="seconds")


def entry(text: str, days: float = 0.1, **fields: Any) -> Entry:
    """Return a memory created this many days ago."""
    base: dict[str, Any] = {"tags": ("标签",), "score": 8.0, "duration": "长期", "id": make_id(text), "at": ago(days)}
    return Entry(text, **{**base, **fields})


def event(kind: str, ident: str, days: float, k: int = 1, **fields: Any) -> Event:
    when = NOW - days * DAY
    return Event(int(when.timestamp() * 1e6) + k, "host", when.isoformat(timespec="seconds"), kind, (ident,), **fields)


def store(root: Path, entries: Iterable[Entry], events: Iterable[Event] = ()) -> Memory:
    """Write a store below `root` and open it at NOW."""
    home = root / ".memory"
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "declarative.md").write_text("".join(format_line(one) + "\n" for one in entries), "utf-8")
    if lines := "".join(format_event(one) + "\n" for one in events):
        (home / "journal.jsonl").write_text(lines, "utf-8")
    trust.record(layout.at(str(home)), trust.PRIVATE)
    return reopened(root)


def reopened(root: Path, now: datetime.datetime = NOW) -> Memory:
    return Memory(layout.at(str(root / ".memory")), "test", clock=lambda: now)


def found(memory: Memory, text: str = "", **cues: Any) -> list[str]:
    """Return the texts that a recall finds, in order."""
    return [one["text"] for one in memory.recall(Cues(text=text, **cues)).data["memories"]]
