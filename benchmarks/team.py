"""Sizes and times of a team's server: syncs, and the search of a space. `python -m benchmarks.team --memories 1000000`.

It starts its own PostgreSQL, as the tests do, and measures the program's calls; `--json FILE` saves the figures.
"""

import argparse
import contextlib
import datetime
import gc
import json
import os
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.speed import corpus
from promptx_mem.core.line import format_line
from promptx_mem.memory import Memory
from promptx_mem.store.settings import Binding
from promptx_mem.team import notes, port, postgres, remote, sync
from promptx_mem.team.port import Record
from promptx_mem.team.postgres import Derived
from promptx_mem.team.remote import derive
from promptx_mem.usecases.recall import Cues
from tests.team import binaries
from tests.team.server import Server
from tests.team.tables import Tables

SPACE = 40_000
WRITERS = 32
AT_ONCE = 1_000
BEHIND = 100
QUESTIONS = 500

_SIZES = """
SELECT regexp_replace(relname, '_[0-9]+$', ''), sum(pg_total_relation_size(oid))::bigint, sum(pg_relation_size(oid))::bigint
FROM pg_class WHERE relnamespace = 'promptx_mem'::regnamespace AND relkind = 'r' GROUP BY 1 ORDER BY 2 DESC
"""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--memories", type=int, default=SPACE, help="in all, in spaces of 40,000")
    options.add_argument("--space", type=int, default=SPACE, help="memories of a space")
    options.add_argument("--seconds", type=float, default=10.0, help="for which the writers write")
    options.add_argument("--json", type=Path)
    chosen = options.parse_args()
    programs = binaries.find()
    if programs is None:
        raise SystemExit(binaries.HOW)
    settings = "shared_buffers = '256MB'\nmaintenance_work_mem = '256MB'\nfsync = on\nfull_page_writes = on\n"
    with tempfile.TemporaryDirectory() as scratch, Server(programs, settings) as server:
        for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
            os.environ[name] = scratch
        own = Path(scratch) / "promptx-mem" / "config.yaml"
        own.parent.mkdir()
        own.write_text("store: {megabytes: 50}\n", "utf-8")  # a copy must have room for the space
        result = {"machine": machine.describe(), **Measure(server, Path(scratch), chosen).run()}
    print(json.dumps(result, indent=1))
    if chosen.json:
        chosen.json.write_text(f"{json.dumps(result, indent=1)}\n", "utf-8")


def _seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _shares(values: list[float]) -> dict[str, float]:
    """Return the median and the 95th percentile in milliseconds."""
    cuts = statistics.quantiles(values, n=20)
    return {"p50_ms": round(1e3 * statistics.median(values), 1), "p95_ms": round(1e3 * cuts[-1], 1)}


class Measure:
    """One server with spaces of the same generated memories."""

    def __init__(self, server: Server, scratch: Path, options: argparse.Namespace) -> None:
        self.scratch, self.options = scratch, options
        self.tables = Tables(server)
        self.server = server
        self.spaces = [f"space{number}" for number in range(max(options.memories // options.space, 1))]
        self.tables.role("alice", *self.spaces)
        self.tables.role("bob", *self.spaces)
        self.tables.role("indexer", *self.spaces, kinds=("indexer",))
        self.now = datetime.datetime.now().astimezone()
        self.lines = list(corpus.entries(options.space, self.now))
        self.records = [taken.record for line in self.lines if (taken := port.of_entry(line))]

    def run(self) -> dict[str, Any]:
        """Return all measurements."""
        put, derived = [], []
        for space in self.spaces:
            put.append(_seconds(partial(self._fill, space)))
            derived.append(_seconds(partial(self._derive, space, len(self.records))))
            print(f"{space}: put {put[-1]:.0f} s, derived {derived[-1]:.0f} s", flush=True)
        with self.tables.admin() as admin:
            admin.execute("VACUUM (ANALYZE) promptx_mem.records, promptx_mem.derived, promptx_mem.derived_terms")
            rows = admin.execute(_SIZES).fetchall()
        memories = len(self.spaces) * self.options.space
        return {
            "memories": memories,
            "spaces": len(self.spaces),
            "put_s": round(statistics.median(put), 1),
            "derive_s": round(statistics.median(derived), 1),
            "bytes_a_memory": {name: round(size / memories) for name, size, _ in rows},
            "bytes_a_memory_without_indexes": {name: round(size / memories) for name, _, size in rows},
            "sync": self._syncs(),
            "recall": self._recalls(),
            "writers": self._writers(),
        }

    def _fill(self, space: str) -> None:
        server = self.tables.space("alice", space)
        for start in range(0, len(self.records), AT_ONCE):
            server.put(self.records[start : start + AT_ONCE])
        self._let_go()

    def _derive(self, space: str, many: int) -> None:
        """Derive so many records; wait until no other transaction on the server delays them."""
        table = Derived(self.tables.session("indexer"), space)
        server = self.tables.space("indexer", space)
        while (many := many - derive(server, table, self.now.timestamp())) > 0:
            time.sleep(0.1)
        self._let_go()

    def _let_go(self) -> None:
        self.tables.close()
        self.tables.sessions.clear()

    def _recalls(self) -> dict[str, Any]:
        pick = random.Random(3)
        memory = Memory.open(str(self.scratch / "copy" / ".memory"))
        server = self.tables.space("bob", self.spaces[0])
        whole, there, own, here = [], [], [], []
        same = 0
        gc.disable()  # as the program does
        for number in range(QUESTIONS):
            if number % 50 == 0:
                gc.collect()
            words = _part(pick.choice(self.lines).text, pick)
            space = _Timed(server)
            start = time.process_time()
            begin = time.perf_counter()
            answer = _ask(memory.context, words, space)
            whole.append(time.perf_counter() - begin)
            own.append(time.process_time() - start)
            begin = time.perf_counter()
            same += _ids(memory.recall(Cues(words, touch=False))) == _ids(answer)
            here.append(time.perf_counter() - begin)
            there.append(space.seconds)
        gc.enable()
        shares = {
            "whole": whole,
            "of it waiting for the server": there,
            "processor time of the client": own,
            "the same asked of a copy": here,
        }
        return {
            "questions": QUESTIONS,
            "of which the first ten are those of a copy": same,
            **{name: _shares(values) for name, values in shares.items()},
        }

    def _syncs(self) -> dict[str, Any]:
        store = self.scratch / "copy" / ".memory"
        store.mkdir(parents=True, mode=0o700)
        (store / "declarative.md").write_text(f"{format_line(self.lines[0])}\n", "utf-8")
        context = Memory.open(str(store)).context
        notes.note(context.layout, Binding(self.server.dsn(self.tables.name, self.tables.roles["bob"]), self.spaces[0]))
        first = _seconds(lambda: sync.sync(context, postgres.connect))
        others = self.tables.space("alice", self.spaces[0])
        again, behind = [], []
        for number in range(5):
            others.put([_new(f"late {number} {place}") for place in range(BEHIND)])
            behind.append(_seconds(lambda: sync.sync(context, postgres.connect)))
            again.append(_seconds(lambda: sync.sync(context, postgres.connect)))
        self._derive(self.spaces[0], len(behind) * BEHIND)
        return {
            "first_s": round(first, 1),
            "behind_100_s": round(statistics.median(behind), 2),
            "nothing_new_s": round(statistics.median(again), 2),
        }

    def _writers(self) -> dict[str, Any]:
        """Connect, put one record and read the records of others, repeatedly, as a small sync does."""
        done = [0] * WRITERS
        servers = [self.tables.space("alice", self.spaces[place % len(self.spaces)]) for place in range(WRITERS)]
        marks = [next(iter(server.newest())).mark for server in servers]
        end = time.perf_counter() + self.options.seconds

        def write(place: int) -> None:
            mark = marks[place]
            while time.perf_counter() < end:
                servers[place].put([_new(f"writer {place} {done[place]} {os.urandom(4).hex()}")])
                for page in servers[place].since(mark):
                    mark = page.mark
                done[place] += 1

        threads = [threading.Thread(target=write, args=[place]) for place in range(WRITERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return {"writers": WRITERS, "exchanges_a_second": round(sum(done) / self.options.seconds)}


class _Timed:
    """The calls of a recall to a server, with their times."""

    def __init__(self, server: postgres.Postgres) -> None:
        self.server, self.space, self.seconds = server, server.space, 0.0

    @contextlib.contextmanager
    def _measured(self) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds += time.perf_counter() - start

    def __getattr__(self, name: str) -> Any:
        call = getattr(self.server, name)

        def timed(*values: Any, **named: Any) -> Any:
            with self._measured():
                answer = call(*values, **named)
                return list(answer) if name == "since" else answer

        return timed


def _ask(context: Any, words: str, server: Any) -> Any:
    return remote.recall(context, Cues(words, touch=False), server)


def _ids(answer: Any) -> list[str]:
    return [memory["id"] for memory in answer.data["memories"]]


def _part(text: str, pick: random.Random) -> str:
    words = text.strip(".").split() if " " in text else list(text)
    size = pick.randint(2, 4 if " " in text else 8)
    start = pick.randrange(max(len(words) - size, 1))
    return (" " if " " in text else "").join(words[start : start + size])


def _new(text: str) -> Record:
    from promptx_mem.core.entry import Entry
    from promptx_mem.core.ids import make_id

    at = datetime.datetime.now(datetime.UTC)
    entry = Entry(text, ("late",), 8.0, "长期", make_id(text), at.isoformat(timespec="seconds"))
    taken = port.of_entry(entry._replace(k=int(at.timestamp() * 1e6)))
    assert taken is not None
    return taken.record


if __name__ == "__main__":
    main()
