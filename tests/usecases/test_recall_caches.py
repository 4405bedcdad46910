"""A recall shows the content of the files, in any state of the cache."""

import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import caches
from tests.api import Cues, format_line, layout
from tests.inside import search_cache as cache
from tests.usecases.recall_store import NOW, ago, entry, found, reopened, store

ENTRIES = [entry(f"coffee 咖啡 number {number}", 5 - number / 10, topic="a->b") for number in range(40)]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    memory = store(tmp_path, ENTRIES)
    assert len(found(memory, "coffee", count=100)) == len(ENTRIES)
    return tmp_path


def declarative(root: Path) -> Path:
    return root / ".memory/declarative.md"


def same_size(root: Path) -> set[str]:
    """Change a line; the size stays the same, only the time differs."""
    data = declarative(root).read_bytes()
    declarative(root).write_bytes(data.replace(b"number 7 ", b"number x "))
    return {"coffee 咖啡 number x"}


def store_replaced(root: Path) -> set[str]:
    new = root / ".memory/new"
    new.write_text(format_line(entry("coffee alone")) + "\n", "utf-8")
    os.replace(new, declarative(root))
    return {"coffee alone"}


@pytest.mark.parametrize(
    ("change", "gone"),
    [(same_size, {ENTRIES[7].text}), (store_replaced, {one.text for one in ENTRIES})],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_change_by_another_program_is_noticed(root: Path, change: Callable[[Path], set[str]], gone: set[str]) -> None:
    new = change(root)
    expected = ({one.text for one in ENTRIES} - gone) | new
    for _ in range(2):
        assert set(found(reopened(root), "coffee", count=100)) == expected


def test_recall_works_if_the_cache_is_locked(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_BUSY_SECONDS", 0.01)
    expected = found(reopened(root), "coffee")
    holder = sqlite3.connect(caches.file_of(layout.at(str(root / ".memory"))), isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    assert found(reopened(root), "coffee") == expected
    holder.close()


def test_a_recall_is_recorded_once_a_day_unless_disabled(root: Path) -> None:
    recalled = root / ".memory/.recalled"
    recalled.unlink()
    memory = reopened(root)
    for cues in (
        Cues("coffee", touch=False),
        Cues("coffee", explain=True),
        Cues("coffee", as_of=ago(1)),
        Cues("nothing here"),
    ):
        memory.recall(cues)
    assert not recalled.exists()
    memory.recall(Cues("coffee", count=2))
    memory.recall(Cues("coffee", count=2))
    (line,) = recalled.read_text().splitlines()
    event = json.loads(line)
    assert (event["at"], len(event["ids"])) == (NOW.isoformat(), 2)
