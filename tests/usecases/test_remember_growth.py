"""What a remember costs does not grow with the store: bytes read, rows scanned, files opened, syncs."""

import os
from pathlib import Path

import pytest

from promptx_mem.memory import Memory
from promptx_mem.search import current
from promptx_mem.usecases.request import Request
from tests.usecases.recall_store import entry, store

SIZES = (1_000, 20_000)


class Counter:
    """Bytes and calls that go through `os`, as the store makes them; SQLite reads its own file."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.read = 0
        self.calls: dict[str, int] = {}
        for name in ("open", "read", "pread", "write", "fsync", "fdatasync", "stat", "lstat", "ftruncate", "scandir"):
            self._count(monkeypatch, name)

    def _count(self, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        real = getattr(os, name)

        def counted(*args: object, **more: object) -> object:
            self.calls[name] = self.calls.get(name, 0) + 1
            result = real(*args, **more)
            if name in ("read", "pread"):
                self.read += len(result)
            return result

        monkeypatch.setattr(os, name, counted)


@pytest.fixture(scope="module", params=SIZES)
def memory(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Memory:
    few = ("用户喜欢第 {} 号颜色", "user number {} prefers dark mode", "deploy {} runs at night", "第 {} 次会议的结论")
    entries = (entry(few[n % 4].format(n), days=n % 90, score=5 + n % 50 / 10) for n in range(request.param))
    made = store(tmp_path_factory.mktemp("growth"), entries)
    current.open_current(made.layout).close()
    return made


def counted(memory: Memory, request: Request, monkeypatch: pytest.MonkeyPatch) -> Counter:
    memory.remember(Request("the first one makes MEMORY.md", tags=("t",), score="8"))
    with monkeypatch.context() as patch:
        counter = Counter(patch)
        memory.remember(request)
    return counter


@pytest.mark.parametrize(
    "text", ["something quite new 全新的事实", "user number 7 prefers dark mode", "用户喜欢第 12345678 号颜色"]
)
def test_bytes_read_and_calls_are_bounded(memory: Memory, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counter = counted(memory, Request(text, tags=("t",), score="9"), monkeypatch)
    assert counter.read < 100_000
    assert counter.calls["fdatasync"] <= 4
    assert sum(counter.calls.values()) < 150


def test_a_stale_cache_is_not_rebuilt_by_a_writer(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Path(memory.layout.cache)
    aside = cache.rename(tmp_path / "cache.db")
    try:
        result = memory.remember(Request("user number 5 prefers dark mode", tags=("t",), score="9"))
        assert result.data["verdict"] == "repeated"
        assert any("similar memories were not looked for" in warning for warning in result.warnings)
        assert not cache.exists()
    finally:
        aside.rename(cache)
