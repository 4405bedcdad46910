"""A process that searches repeatedly keeps the cache open and sees the writes of other processes."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from promptx_mem.search import cache as cache_module
from promptx_mem.search.cache import connect
from promptx_mem.store.layout import at
from tests.cli import program
from tests.world import World


@pytest.fixture
def openings(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The databases opened by a process that keeps them open."""
    monkeypatch.setattr(cache_module, "_keeps", True)
    monkeypatch.setattr(cache_module, "_idle", {})
    paths: list[str] = []
    connect = sqlite3.connect

    def watched(path: str, *rest: Any, **more: Any) -> sqlite3.Connection:
        paths.append(path)
        db: sqlite3.Connection = connect(path, *rest, **more)
        return db

    monkeypatch.setattr(sqlite3, "connect", watched)
    yield paths
    for _, db in cache_module._idle.values():
        db.close()


def test_cache_is_opened_once(tmp_path: Path, openings: list[str]) -> None:
    world = World(tmp_path / ".memory")
    world.remember("the user likes tea")
    world.recall("tea")
    openings.clear()
    for number in range(3):
        world.remember(f"the user likes number {number}")
        assert f"the user likes number {number}" in world.recall("likes")
    assert openings == []


def test_writes_of_another_process_are_seen(tmp_path: Path, openings: list[str]) -> None:
    world = World(tmp_path / ".memory")
    world.remember("the user likes tea")
    world.recall("tea")
    assert program.run("remember", "the user likes coffee", "#drink", "score:9", cwd=tmp_path).status == 0
    openings.clear()
    assert set(world.recall("likes")) == {"the user likes tea", "the user likes coffee"}
    assert openings == []


def test_deleted_cache_is_opened_again(tmp_path: Path, openings: list[str]) -> None:
    world = World(tmp_path / ".memory")
    world.remember("the user likes tea")
    world.recall("tea")
    with world.file("declarative.md").open("a", encoding="utf-8") as file:
        file.write("- a line by hand #hand\n")
    assert "a line by hand" in world.recall("hand")
    for path in world.file(".cache").iterdir():
        path.unlink()
    openings.clear()
    assert "a line by hand" in world.recall("hand")
    assert openings


def test_idle_cache_has_no_transaction_and_is_reused_by_one_caller(tmp_path: Path, openings: list[str]) -> None:
    world = World(tmp_path / ".memory")
    world.remember("the user likes tea")
    world.recall("tea")
    [(_, db)] = cache_module._idle.values()
    assert not db.in_transaction
    first, second = connect(at(str(world.root))), connect(at(str(world.root)))
    assert first is not None
    assert second is not None
    assert first.db is not second.db
    first.close()
    second.close()
    assert len(cache_module._idle) == 1
    assert openings
