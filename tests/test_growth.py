"""The cost of a command does not grow with the store: system calls, bytes read, database steps, query plans."""

import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests import caches
from tests.api import Cues, Entry, Memory, Request
from tests.inside import current
from tests.usecases.recall_store import entry, event, store

SMALL, LARGE = 1_000, 8_000
SMALL_TABLES = ("SCAN lex_blocks", "SCAN meta", "SCAN front", "SCAN CONSTANT ROW")
OS_CALLS = (
    "open", "close", "read", "pread", "write", "fsync", "fdatasync", "stat", "lstat", "fstat", "ftruncate", "scandir",
)  # fmt: skip
FEW = ("用户喜欢第 {} 号颜色", "user number {} prefers dark mode", "deploy {} runs at night", "第 {} 次会议的结论")
TEXTS = ("something quite new 全新的事实", "user number 7 prefers dark mode", "用户喜欢第 12345678 号颜色")
CUES = {
    "none": Cues(),
    "a rare word": Cues(text="用户喜欢第 77 号"),
    "a common word": Cues(text="dark mode"),
    "Chinese": Cues(text="会议结论"),
    "a tag": Cues(tags=("rare",)),
    "a topic": Cues(topics=("home->garden",)),
    "a date": Cues(dates=("2026-05-04",)),
    "an id": Cues(text="m_"),
    "nothing found": Cues(text="zzzz qqqq"),
}


class Cost:
    """The cost of one command: calls through `os`, bytes read, statements and steps of SQLite."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.read = 0
        self.steps = 0
        self.statements: list[str] = []

    def install(self, patch: pytest.MonkeyPatch) -> None:
        for name in OS_CALLS:
            if hasattr(os, name):
                patch.setattr(os, name, self._counted(name, getattr(os, name)))
        connect = sqlite3.connect

        def watched(*args: Any, **more: Any) -> sqlite3.Connection:
            db: sqlite3.Connection = connect(*args, **more)
            db.set_trace_callback(self.statements.append)
            db.set_progress_handler(self._step, 1)
            return db

        patch.setattr(sqlite3, "connect", watched)

    def _step(self) -> int:
        self.steps += 1
        return 0

    def _counted(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **more: Any) -> Any:
            self.calls[name] += 1
            result = real(*args, **more)
            if name in ("read", "pread"):
                self.read += len(result)
            return result

        return counted


@pytest.fixture(scope="module")
def memories(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Memory]:
    """A store of each size, with its cache and MEMORY.md."""
    return {size: _store(tmp_path_factory.mktemp("growth"), size) for size in (SMALL, LARGE)}


def _store(root: Path, size: int) -> Memory:
    def entries() -> Iterator[Entry]:
        for n in range(size):
            rare = n < 5
            yield entry(
                FEW[n % 4].format(n),
                days=200 if rare else n % 90,
                score=5 + n % 50 / 10,
                tags=("rare",) if rare else ("t",),
                topic="home->garden" if rare else None,
            )

    written = list(entries())
    boosts = (event("boosted", one.id, 1, k) for k, one in enumerate(written) if k % 3 == 0)
    made = store(root, written, boosts)
    current.open_current(made.context.layout).close()
    made.remember(Request("the first one makes MEMORY.md", tags=("t",), score="8"))
    return made


def cost_of(memory: Memory, work: Callable[[Memory], object]) -> Cost:
    found = Cost()
    with pytest.MonkeyPatch.context() as patch:
        found.install(patch)
        work(memory)
    return found


@pytest.mark.parametrize("text", TEXTS)
def test_cost_of_remember_does_not_grow_with_the_store(memories: dict[int, Memory], text: str) -> None:
    small, large = (
        cost_of(memories[size], lambda m: m.remember(Request(text, tags=("t",), score="9"))) for size in (SMALL, LARGE)
    )
    assert large.read < 100_000
    assert large.calls["fdatasync"] + large.calls["fsync"] <= 4
    assert sum(large.calls.values()) <= sum(small.calls.values()) + 4 < 245  # with the event of a contradiction
    assert large.steps < small.steps * 1.5 + 500
    assert _scans(memories[LARGE], large.statements) == []


@pytest.mark.parametrize("name", CUES)
def test_cost_of_recall_does_not_grow_with_the_store(memories: dict[int, Memory], name: str) -> None:
    """The first recall also records earlier ones; the last one has nothing new to record."""
    for most in (120, 120, 48):
        small, large = (cost_of(memories[size], lambda m: m.recall(CUES[name])) for size in (SMALL, LARGE))
        assert large.read < 20_000
        assert sum(large.calls.values()) <= sum(small.calls.values()) + 4 < most + 4
        assert large.steps < small.steps * 3 + 500, (small.steps, large.steps)
        assert _scans(memories[LARGE], large.statements) == []


def test_only_the_best_memories_of_a_common_tag_are_read(
    memories: dict[int, Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []

    def recall(memory: Memory) -> None:
        found.append([one["id"] for one in memory.recall(Cues(tags=("t",))).data["memories"]])

    recall(memories[LARGE])
    by_importance = cost_of(memories[LARGE], recall)
    monkeypatch.setattr("promptx_mem.search.cues._RARE", LARGE)
    of_tag = cost_of(memories[LARGE], recall)
    assert found[1] == found[2]
    assert by_importance.steps * 2 < of_tag.steps, (by_importance.steps, of_tag.steps)


def _scans(memory: Memory, statements: list[str]) -> list[str]:
    """Return the statements that scan a whole table, with their plan. `lex_blocks` has one row per 512 memories."""
    found = []
    with closing(sqlite3.connect(caches.file_of(memory.context.layout))) as db:
        for statement in {s for s in statements if s.lstrip().startswith(("SELECT", "UPDATE", "DELETE", "WITH"))}:
            for *_, detail in db.execute(f"EXPLAIN QUERY PLAN {statement}"):
                if detail.startswith("SCAN") and not detail.startswith(SMALL_TABLES) and "INDEX" not in detail:
                    found.append(f"{detail}: {statement[:200]}")
    return found
