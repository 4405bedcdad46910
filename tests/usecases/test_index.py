"""MEMORY.md: current after every remember, the same bytes for the same moment, never in the way of a command."""

import contextlib
import datetime
import os
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.api import ConfigError, Cues, Entry, Options, Request, State, StoreError, format_line, make_id
from tests.inside import INDEX_BYTES as MAX_BYTES
from tests.inside import INDEX_LINES as MAX_LINES
from tests.inside import current, search_history, trust
from tests.inside import usecases_index as index
from tests.world import START, World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / ".memory")


def fill(world: World, count: int, score: float = 8.0, text: str = "fact") -> None:
    """Write lines as another process would have, and let the cache know them."""
    at = (START - datetime.timedelta(hours=1)).isoformat(timespec="seconds")
    lines = [
        format_line(Entry(f"{text} {n}", ("t",), score, "长期", make_id(f"{text} {n}"), at)) + "\n"
        for n in range(count)
    ]
    world.root.mkdir(mode=0o700, exist_ok=True)
    with world.file("declarative.md").open("a", encoding="utf-8") as file:
        file.writelines(lines)
    trust.note(world.memory.context.layout, trust.PRIVATE)
    current.open_current(world.memory.context.layout).close()


def remember(world: World, text: str, score: str = "9") -> tuple[str, ...]:
    return world.memory.remember(Request(text, tags=("t",), score=score)).warnings


def is_current(world: World) -> bool:
    return world.memory.check_index().exit_status == 0


def test_remember_makes_it(world: World) -> None:
    world.remember("用户喜欢咖啡", topic="用户->偏好")
    ident = world.later(hours=1).remember("the build runs on fridays")["id"]
    text = world.read("MEMORY.md")
    assert "\n## 用户->偏好\n- 用户喜欢咖啡 #t (m_" in text
    assert f"\n- the build runs on fridays #t ({ident})\n" in text
    assert f"<!-- as of {world.time.isoformat()} -->" in text
    assert is_current(world.later(days=400))


def test_the_same_bytes_from_a_new_cache(world: World) -> None:
    fill(world, 300)
    remember(world, "newest")
    before = world.read_bytes("MEMORY.md")
    shutil.rmtree(world.file(".cache"))
    world.file("MEMORY.md").unlink()
    assert world.memory.index().data["written"]
    assert world.read_bytes("MEMORY.md") == before


def test_nothing_is_written_where_nothing_has_changed(world: World) -> None:
    world.remember("a fact")
    before = os.stat(world.file("MEMORY.md"))
    result = world.later(hours=5).memory.index()
    assert (result.data["written"], result.data["shown"], result.data["total"]) == (False, 1, 1)
    assert os.stat(world.file("MEMORY.md")).st_ino == before.st_ino
    assert world.later(days=3).memory.index().data["written"]
    assert "_(last updated 3 days ago)_" in world.read("MEMORY.md")


def test_a_file_that_is_wrong_for_its_own_moment_is_written_again(world: World) -> None:
    """Today shows the same again, but what its header names would not: then the check must not fail."""
    world.remember("lasting", score="9", duration="永久")
    ident = world.remember("passing", score="8.5", duration="短期")["id"]
    old = world.read("MEMORY.md")
    world.later(days=1).memory.boost(ident)
    assert world.read("MEMORY.md").index("passing") < world.read("MEMORY.md").index("lasting")
    world.file("MEMORY.md").write_text(old, "utf-8")
    world.file("config.yaml").write_text("freshness: {threshold: null}\n", "utf-8")
    assert not is_current(world.later(days=12))
    assert world.memory.index().data["written"]
    assert world.read("MEMORY.md").partition("-->")[2] == old.partition("-->")[2]
    assert is_current(world)


def test_check_names_a_difference(world: World) -> None:
    ident = world.remember("a fact")["id"]
    text = world.read("MEMORY.md")
    world.memory.forget(ident)
    assert "a fact" not in world.read("MEMORY.md")
    world.file("MEMORY.md").write_text(text, "utf-8")
    result = world.memory.check_index()
    assert (result.exit_status, result.data["current"]) == (1, False)
    assert result.data["difference"] == "1 line is missing, 1 line is out of date"
    world.file("MEMORY.md").unlink()
    assert world.memory.check_index().data["difference"] == "there is no MEMORY.md yet"


def test_a_changed_setting_makes_it_out_of_date(world: World) -> None:
    world.remember("a fact")
    world.file("config.yaml").write_text("freshness: {threshold: 0}\n", "utf-8")
    assert not is_current(world)
    world.memory.index()
    assert "last updated" in world.read("MEMORY.md")


def test_the_limits_hold_and_the_warning_counts(world: World) -> None:
    fill(world, 500)
    remember(world, "newest")
    text = world.read("MEMORY.md")
    assert len(text.splitlines()) <= MAX_LINES
    assert len(text.encode()) <= MAX_BYTES
    shown = text.count("\n- ")
    assert f"(exceeded 200 lines). {501 - shown} memories are not shown." in text


def test_remember_says_when_its_memory_is_not_shown(world: World) -> None:
    fill(world, 300)
    (warning,) = remember(world, "of little worth", "7")
    assert "does not show this memory" in warning
    assert "of little worth" not in world.read("MEMORY.md")


def test_remember_says_whom_it_displaced(world: World) -> None:
    fill(world, 196)
    assert remember(world, "fits in") == ()
    world.memory.index()
    before = set(re.findall(index._SHOWN, world.read("MEMORY.md")))
    (warning,) = remember(world.later(seconds=1), "one too many")
    gone = before - set(re.findall(index._SHOWN, world.read("MEMORY.md")))
    assert gone
    assert all(ident in warning for ident in sorted(gone)[:3])
    assert "does not show" in warning


def test_recall_never_writes_it(world: World) -> None:
    world.remember("a fact")
    world.file("MEMORY.md").unlink()
    world.later(days=9).memory.recall(Cues())
    assert not world.file("MEMORY.md").exists()


def test_remember_leaves_it_where_the_cache_is_stale(world: World) -> None:
    fill(world, 1000)
    remember(world, "first")
    before = world.read_bytes("MEMORY.md")
    with world.file("declarative.md").open("a", encoding="utf-8") as file:
        file.write("- by hand\n")
    remember(world.later(hours=1), "second")
    assert world.read_bytes("MEMORY.md") == before
    world.memory.index()
    assert "- by hand (m_" in world.read("MEMORY.md")


def test_import_makes_it_too(world: World, tmp_path: Path) -> None:
    file = tmp_path / "old.md"
    file.write_text("- 2026/02/05 18:47 用户喜欢茶 #其他 #评分:8 #有效期:长期\n", "utf-8")
    world.memory.import_files(Options((str(file),)))
    assert "用户喜欢茶" in world.read("MEMORY.md")
    assert is_current(world)


@pytest.mark.parametrize("what", ["directory", "fifo", "link", "loop"])
def test_a_thing_in_its_place_is_not_written_through(world: World, tmp_path: Path, what: str) -> None:
    world.remember("a fact")
    path = world.file("MEMORY.md")
    path.unlink()
    target = tmp_path / "mine.txt"
    target.write_text("mine", "utf-8")
    if what == "directory":
        path.mkdir()
    elif what == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to(target if what == "link" else path)
    stored = what in ("directory", "fifo")
    with contextlib.nullcontext() if stored else pytest.raises(StoreError, match=r"MEMORY\.md is a symbolic link"):
        assert world.later(hours=1).remember("another fact")["verdict"] == "stored"
    assert target.read_text("utf-8") == "mine"
    assert world.recall("another") == ["another fact"] * stored


def test_a_file_of_somebody_else_stays(world: World) -> None:
    world.remember("a fact")
    world.file("MEMORY.md").write_text("# My notes\n", "utf-8")
    world.later(hours=1).remember("another fact")
    assert world.read("MEMORY.md") == "# My notes\n"
    with pytest.raises(StoreError, match="not written by promptx-mem") as caught:
        world.memory.index()
    assert caught.value.hint.startswith("move it away: mv ")
    assert world.memory.check_index().exit_status == 1


@pytest.mark.parametrize("left", [b"", b"\0" * 100, b"\0" * 9 + b"- as of 2026", b"# Memory index\n<!-- as of 20"])
def test_what_a_power_cut_left_is_replaced(world: World, left: bytes) -> None:
    world.remember("a fact")
    world.file("MEMORY.md").write_bytes(left)
    world.memory.index()
    assert "- a fact #t" in world.read("MEMORY.md")


def test_a_wrong_config_stops_making_not_checking(world: World) -> None:
    world.remember("a fact")
    world.file("config.yaml").write_text("polici: strict\n", "utf-8")
    with pytest.raises(ConfigError):
        world.memory.index()
    assert world.memory.check_index().warnings


def test_topics(world: World) -> None:
    world.remember("one", topic="a->b")
    world.remember("two", topic=" a -> b ")
    ended = world.remember("three", topic="a->c")["id"]
    world.remember("four")
    world.memory.forget(ended)
    data = world.memory.tags().data
    assert (data["topics"], data["tags"]) == ([{"path": "a->b", "count": 2}], [{"tag": "t", "count": 3}])


def test_what_is_recalled_in_the_same_second_counts_later(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what stands low even with that recall is not folded without it."""
    fill(world, 300)
    fill(world, 5, score=5.0, text="low")
    world.later(days=40)
    high, low = [make_id(f"fact {n}") for n in range(0, 300, 10)], [make_id(f"low {n}") for n in range(5)]
    for ident in (*high, *low):
        world.memory.recall(Cues(ident))
    folded: list[str] = []
    real = search_history.Before.states

    def states(before: search_history.Before, ids: Iterable[str]) -> dict[str, State]:
        some = real(before, ids)
        folded.extend(some)
        return some

    monkeypatch.setattr(search_history.Before, "states", states)
    remember(world, "newest")
    assert sorted(folded) == sorted(high)
    with_recalls = world.read("MEMORY.md")
    world.file(".recalled").unlink()
    shutil.rmtree(world.file(".cache"))
    world.file("MEMORY.md").unlink()
    world.memory.index()
    assert world.read("MEMORY.md") == with_recalls
