"""Damaged caches: every command gives the same result as without a cache."""

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import caches
from tests.api import Event, parse_event
from tests.hostile.test_planted_cache import answers, expected, filled
from tests.inside import memories, writes
from tests.inside import search_cache as cache
from tests.world import World

__all__ = ["expected"]

PAGE = 4096
Damage = Callable[[Path], object]


def rewritten(path: Path, change: Callable[[bytes], bytes]) -> None:
    """Change the bytes of a file in place, and restore its time of modification."""
    status = path.stat()
    path.write_bytes(change(path.read_bytes()))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def page(number: int, byte: bytes) -> Damage:
    def damage(path: Path) -> None:
        rewritten(path, lambda data: data[: number * PAGE] + byte * PAGE + data[(number + 1) * PAGE :])

    return damage


def statements(*every: str) -> Damage:
    def damage(path: Path) -> None:
        with sqlite3.connect(path) as db:
            for statement in every:
                db.execute(statement)
        db.close()

    return damage


def no_indexes(path: Path) -> None:
    with sqlite3.connect(path) as db:
        for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL").fetchall():
            db.execute(f"DROP INDEX {name}")
    db.close()


def of_another_store(path: Path) -> None:
    other = path.parents[3] / "other"
    world = World(other / ".memory")
    world.remember("what another store knows")
    path.write_bytes(caches.file_of(world.memory.context.layout).read_bytes())


DAMAGES: dict[str, Damage] = {
    **{f"page {number} overwritten": page(number, b"\x5a") for number in range(25)},
    **{f"page {number} zeroed": page(number, b"\0") for number in (0, 1, 5, 9)},
    "cut to 5000": lambda path: os.truncate(path, 5000),
    "empty file": lambda path: os.truncate(path, 0),
    "one byte changed": lambda path: rewritten(path, lambda data: data.replace(b"coffee", b"toffee")),
    "rows deleted": statements("DELETE FROM memories", "DELETE FROM lex_postings", "DELETE FROM lex_blocks"),
    "postings overwritten": statements("UPDATE lex_postings SET docs = x'00'"),
    "postings renamed": statements("UPDATE lex_postings SET term = 'x' || term"),
    "all memories ended": statements("UPDATE memories SET ends_at = 0"),
    "tables dropped": statements("DROP TABLE lines", "DROP TABLE acts"),
    "indexes dropped": no_indexes,
    "cache of another store": of_another_store,
    "no stamp": lambda path: path.with_suffix(".stamp").unlink(),
    "invalid stamp": lambda path: path.with_suffix(".stamp").write_bytes(b"\xff" * 300),
}


@pytest.mark.one_in(20)
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_cache_changes_no_result(damage: str, tmp_path: Path, expected: dict[str, Any]) -> None:
    world = filled(tmp_path / "store")
    ours = caches.file_of(world.memory.context.layout)
    assert ours.stat().st_size >= 25 * PAGE

    def before() -> None:
        if ours.exists() and ours.stat().st_size:
            DAMAGES[damage](ours)

    assert answers(world, before) == expected


def test_write_detects_a_cache_that_was_damaged_after_opening(tmp_path: Path) -> None:
    """The damage happens between opening the cache and writing."""
    world = filled(tmp_path)
    where = world.memory.context.layout
    opened = cache.connect(where)
    assert opened is not None
    delete_postings = statements("DELETE FROM lex_postings")
    opened.db.execute("ROLLBACK")
    delete_postings(caches.file_of(where))
    with opened, pytest.raises(sqlite3.DatabaseError):
        writes.write(opened, lambda: True)
    assert cache.connect(where) is None
    assert world.recall("coffee") == ["the coffee machine is on the third floor"]


def test_cache_of_a_writer_killed_before_its_stamp_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = filled(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(writes, "write_stamp", lambda *_: None)
        world.remember("one more")
    assert cache.connect(world.memory.context.layout) is None
    assert len(world.recall()) == 4


def test_hand_written_lines_are_adopted_in_events_of_bounded_size(tmp_path: Path) -> None:
    world = filled(tmp_path)
    with world.file("declarative.md").open("a", encoding="utf-8") as file:
        file.writelines(f"- a fact typed by hand, number {number}\n" for number in range(1_000))
    world.recall()
    world.remember("and one more")
    events = [event for raw in world.read("journal.jsonl").splitlines() if (event := parse_event(raw))]
    adopted = [event for event in events if event.kind == "adopted"]
    assert sum(len(event.ids) for event in adopted) == 1_000
    assert max(len(event.ids) for event in adopted) == 256
    opened = cache.connect(world.memory.context.layout)
    assert opened is not None
    with opened:
        assert memories.unseen(opened) == []
        assert _rows(opened, "events") == len(events)
        assert _rows(opened, "acts") == sum(len(_ids(event)) for event in events)
    assert world.memory.audit_verify().data["problems"] == []


def _ids(event: Event) -> set[str]:
    return {*event.ids, *event.supersedes}


def _rows(opened: cache.Cache, table: str) -> int:
    return int(opened.db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
