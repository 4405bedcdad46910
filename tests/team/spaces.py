"""A copy and a space with the same invented memories, and the search table of the space."""

import datetime
import json
import random
from collections.abc import Iterator
from pathlib import Path

from benchmarks.speed import corpus
from tests.api import Cues, Entry, Event, Memory, format_event, format_line, layout
from tests.inside import trust
from tests.team.inside import Derived, Record, records, remote
from tests.team.tables import Tables

_SET = Path(__file__).parents[1] / "search" / "recall_set.jsonl"
NOW = datetime.datetime(2026, 11, 22, 12, tzinfo=datetime.UTC)
NAME = "team"


def entries(count: int) -> list[Entry]:
    """Return memories of several sessions, long and short ones."""
    pick = random.Random(7)
    out = []
    for number, entry in enumerate(corpus.entries(count, NOW)):
        session = f"s{number // 6 % 50}" if number % 3 else None
        more = " ".join(corpus.texts(9, number)) if number % 40 == 0 else ""
        out.append(entry._replace(text=f"{entry.text} {more}".strip(), session=session, k=None))
    for line in _SET.read_text("utf-8").splitlines():
        row = json.loads(line)
        if "text" in row:
            at = f"{row['day']}T{pick.randrange(10, 20)}:{pick.randrange(10, 60)}:00+08:00"
            out.append(Entry(row["text"], ("set",), 8.0, "长期", at=at))
    return [records.of_entry(_named(entry)).entry for entry in out]  # type: ignore[union-attr,misc]


def _named(entry: Entry) -> Entry:
    from tests.api import make_id

    return entry._replace(id=make_id(entry.text))


def events(lines: list[Entry]) -> Iterator[Event]:
    """Yield an event for every tenth memory; every thirtieth is forgotten."""
    for number, entry in enumerate(lines[::10]):
        assert entry.at
        at = datetime.datetime.fromisoformat(entry.at) + datetime.timedelta(hours=3)
        kind = "forgotten" if number % 3 == 0 else "boosted"
        yield Event(int(at.timestamp() * 1e6), "host", at.isoformat(timespec="seconds"), kind, (entry.id,))


class Both:
    """The same memories in a store and in a space."""

    def __init__(self, folder: Path, tables: Tables, count: int) -> None:
        self.lines = entries(count)
        self.events = list(events(self.lines))
        store = folder / ".memory"
        store.mkdir(mode=0o700, parents=True)
        (store / "declarative.md").write_text("".join(f"{format_line(line)}\n" for line in self.lines), "utf-8")
        (store / "journal.jsonl").write_text("".join(f"{format_event(event)}\n" for event in self.events), "utf-8")
        trust.record(layout.at(str(store)), trust.PRIVATE)
        self.memory = Memory.open(str(store))
        self.memory.context.now = lambda: NOW + datetime.timedelta(days=1)
        tables.role("alice", NAME)
        tables.role("indexer", NAME, kinds=("indexer",))
        self.tables = tables
        self.server = tables.space("alice", NAME)
        every = list(self.records())
        for start in range(0, len(every), 1_000):
            self.server.put(every[start : start + 1_000])
        self.indexer = tables.space("indexer", NAME)
        self.table = Derived(tables.session("indexer"), NAME)
        self.derive()

    def records(self) -> Iterator[Record]:
        for taken in (*map(records.of_entry, self.lines), *map(records.of_event, self.events)):
            assert taken is not None
            yield taken.record

    def derive(self, batch: int = remote.BATCH) -> int:
        now = self.memory.context.now().timestamp()
        return remote.derive(self.indexer, self.table, now, batch)

    def local(self, cues: Cues) -> list[str]:
        return [memory["id"] for memory in self.memory.recall(cues._replace(touch=False)).data["memories"]]

    def questions(self, count: int, seed: int = 1) -> Iterator[str]:
        """Yield the questions of the small set, then parts of memories."""
        pick = random.Random(seed)
        asked = [json.loads(line) for line in _SET.read_text("utf-8").splitlines()]
        some = [row["query"] for row in asked if "query" in row]
        yield from some[: count // 4]
        for _ in range(count - len(some[: count // 4])):
            text = pick.choice(self.lines).text
            words = text.strip(".").split() if " " in text else list(text)
            size = pick.randint(2, 5 if " " in text else 9)
            start = pick.randrange(max(len(words) - size, 1))
            yield (" " if " " in text else "").join(words[start : start + size])
