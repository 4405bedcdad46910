"""audit --verify: its findings, their messages, and the printed commands that fix them."""

import gzip
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.api import Entry, NotFoundError, Plan, complete, format_line, make_id
from tests.cli import shells
from tests.inside import Audit, Finding, archive, store, writes
from tests.inside import cli_audit as command_line
from tests.inside import search_cache as cache
from tests.world import START, World

pytestmark = pytest.mark.usefixtures("person")


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A store with two active memories and one that has been forgotten and archived."""
    world = World(tmp_path / ".memory")
    world.remember("用户喜欢咖啡", score="9")
    ident = world.later(hours=3).remember("a passing fact")["id"]
    world.remember("the build runs on fridays")
    world.memory.forget(ident)
    world.memory.decay(Plan(compact=True))
    return world


def found(world: World) -> list[tuple[str, str]]:
    result = world.memory.audit_verify()
    assert result.exit_status == (1 if result.data["problems"] else 0)
    return [(problem["check"], problem["where"]) for problem in result.data["problems"] or []]


def problems(world: World, check: str) -> list[Finding]:
    return [problem for problem in world.memory.audit_verify().data["problems"] or [] if problem["check"] == check]


def append(world: World, name: str, text: str) -> None:
    with world.file(name).open("a", encoding="utf-8") as file:
        file.write(text)
    saved_now(world, name)


def saved_now(world: World, name: str) -> None:
    """Set the time of a file to the world's time, which is the time of hand-written lines."""
    os.utime(world.file(name), (world.time.timestamp(), world.time.timestamp()))


def line(text: str, **more: Any) -> str:
    entry = Entry(text, ("t",), 8.0, "长期", more.pop("id", make_id(text)), START.isoformat(), **more)
    return format_line(entry) + "\n"


def test_a_nearly_full_store_without_ended_memories_is_reported(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "WARN_BYTES", 1)
    assert [problem["mend"][:36] for problem in problems(world, "sizes")] == ["if no memory has ended, forget some;"]


def test_a_valid_store_has_no_problems(world: World) -> None:
    result = world.memory.audit_verify()
    assert (result.exit_status, result.data["problems"], result.data["notes"]) == (0, [], [])
    assert result.data["checked"] == {"memories": 2, "lines": 3, "events": 1, "archives": 2}
    assert command_line.as_text(complete(Audit, result.data)).startswith("✓ no problems found in 2 active memories")


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("declarative.md", "- 2025/05/05 12:00 START\nopen\n", 5),
        ("declarative.md", "- a\0b\n", 5),
        ("declarative.md", '- x #t <!-- {"id":"m_0000000000","at":"yesterday"} -->\n', 5),
        ("journal.jsonl", "=======\n", 1),
    ],
)
def test_invalid_lines_are_reported_and_kept(world: World, name: str, text: str, line: int) -> None:
    append(world, name, text)
    before = world.read_bytes(name)
    (problem,) = problems(world, "lines")
    assert problem["where"] == f"{name}:{line}"
    for shell in shells.installed():
        command = [*shells.SHELLS[shell], problem["command"]]
        environment = {"PATH": os.environ["PATH"], "EDITOR": "echo edit"}
        words = subprocess.run(command, env=environment, capture_output=True, check=True).stdout.decode().split()
        assert words[:2] == ["edit", f"+{line}"]
        assert words[-1].endswith(name)
    assert world.read_bytes(name) == before


def test_bytes_that_are_not_utf8_are_reported_with_their_line(world: World) -> None:
    with world.file("declarative.md").open("ab") as file:
        file.write("- 部署用蓝绿发布 #部署 score:9\n".encode("gbk"))
    saved_now(world, "declarative.md")
    (problem,) = problems(world, "lines")
    assert (problem["where"], problem["what"]) == ("declarative.md:5", "it is not UTF-8")
    assert problem["mend"].endswith("iconv -f gbk -t utf-8")


@pytest.mark.parametrize(("change", "count"), [("score:6", 1), ("score:8 #x", 1), ("x score:8", 1), ("score:8", 0)])
def test_different_lines_of_one_memory_are_reported(world: World, change: str, count: int) -> None:
    append(world, "declarative.md", world.read("declarative.md").splitlines()[-1].replace("score:8", change) + "\n")
    assert [problem["what"].count(" | ") for problem in problems(world, "ids")] == [1] * count


def test_events_without_a_line_are_reported_and_can_be_purged(world: World) -> None:
    event = '{"k":1,"host":"h","at":"2026-03-01T00:00:00Z","e":"forgotten","id":"m_0000000000","reason":"why"}\n'
    append(world, "journal.jsonl", event)
    (problem,) = problems(world, "events")
    assert problem["command"].endswith("# if it is lost for ever: promptx-mem forget m_0000000000 --purge")
    assert world.memory.text_of("m_0000000000")[0] == "m_0000000000"
    world.memory.forget("m_0000000000", purge=True)
    assert found(world) == []
    assert '"why"' not in world.read("journal.jsonl")
    with pytest.raises(NotFoundError):
        world.memory.forget("m_0000000000", purge=True)


def test_a_damaged_archive_is_reported(world: World) -> None:
    name = next(name for name in archive.names(world.memory.context.layout) if name.endswith(archive.LINES))
    path = world.file("archive") / name
    path.write_bytes(path.read_bytes()[:-9])
    (problem,) = problems(world, "archive")
    assert problem["where"] == f"archive/{name}"
    path.write_bytes(gzip.compress(b"- a\0b\n"))
    (problem,) = problems(world, "archive")
    assert problem["where"] == f"archive/{name}:1"


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE memories SET score = 1 WHERE rowid = 1",
        "DELETE FROM memories WHERE rowid = 1",
        "UPDATE meta SET value = 7 WHERE key = 'living'",
    ],
)
def test_a_wrong_cache_is_reported_and_rebuilt(world: World, change: str) -> None:
    found(world)
    present = cache.connect(world.memory.context.layout)
    assert present is not None
    with present:  # as a bug of ours would; changes by others are not read at all
        assert writes.write(present, lambda: bool(present.db.execute(change)))
    (problem,) = problems(world, "cache")
    assert problem["command"].startswith("rm -r ")
    for path in world.file(".cache").iterdir():
        path.unlink()
    assert found(world) == []


def stale_save(world: World) -> tuple[str, str]:
    """Save the old buffer of an editor over two new memories. Return their ids."""
    buffer = world.read("declarative.md")
    ids = [world.later(hours=1).remember(text, topic="a->b")["id"] for text in ("lost 一", "lost two")]
    world.file("declarative.md").write_text(buffer, "utf-8")
    return ids[0], ids[1]


@pytest.mark.parametrize("cached", [True, False], ids=["cached", "without a cache"])
def test_lost_lines_are_reported_and_can_be_restored(world: World, cached: bool) -> None:
    first, second = stale_save(world)
    if not cached:
        shutil.rmtree(world.file(".cache"))
    named = {problem["where"]: problem for problem in problems(world, "vanished")}
    assert named.keys() == {first, second}
    assert named[first]["command"].startswith(f"promptx-mem restore {first}")
    assert world.recall("lost") == []
    with pytest.raises(NotFoundError) as caught:
        world.memory.boost(first)
    assert caught.value.hint.endswith(f": promptx-mem restore {first}")
    world.later(hours=1).memory.restore(first)
    assert world.recall("lost") == ["lost 一"]
    assert found(world) == [("vanished", second)]
    world.memory.restore(second)
    assert sorted(world.recall("lost")) == ["lost two", "lost 一"]
    assert found(world) == []
    assert "## a->b" in world.read("MEMORY.md")


def test_a_line_deleted_on_purpose_can_be_purged(world: World) -> None:
    first, second = stale_save(world)
    world.memory.forget(first, purge=True)
    assert found(world) == [("vanished", second)]
    world.memory.forget(second, purge=True)
    assert found(world) == []
    for name in archive.names(world.memory.context.layout, lost=True):
        assert b"lost" not in archive.read(world.memory.context.layout, name)
    with pytest.raises(NotFoundError):
        world.memory.restore(first)


def adopted_line(world: World) -> tuple[str, str]:
    """Adopt a hand-written line. Return its id, and the id that it gets by `edit_line`."""
    append(world, "declarative.md", "- the coffee comes from a small farm\n")
    world.memory.index()
    world.later(hours=1).remember("something else")
    return make_id("the coffee comes from a small farm"), make_id("the coffee comes from a small farm in Kenya")


def edit_line(world: World) -> None:
    text = world.read("declarative.md").replace("a small farm", "a small farm in Kenya")
    world.file("declarative.md").write_text(text, "utf-8")
    saved_now(world, "declarative.md")
    world.later(hours=1).memory.index()


def test_the_old_text_of_an_edited_boosted_line_can_be_restored(world: World) -> None:
    old, new = adopted_line(world)
    world.memory.boost(old)
    world.remember("the coffee comes from one small farm in Kenya")
    lines = [line.partition(" <!--")[0] for line in world.read("declarative.md").splitlines(keepends=True)[::-1]]
    world.file("declarative.md").write_text("\n".join(lines) + "\n", "utf-8")
    edit_line(world)
    (problem,) = problems(world, "vanished")
    assert (problem["where"], f"it is now {new}" in problem["what"]) == (old, True)
    assert found(world) == [("vanished", old)]
    world.memory.restore(old)
    assert found(world) == []
    assert world.importance("the coffee comes from a small farm") > 1.85
    assert world.importance("the coffee comes from a small farm in Kenya") == 1.6


def test_a_lost_memory_purged_on_another_host_is_reported(world: World) -> None:
    first, _ = stale_save(world)
    world.recall()
    event = f'{{"k":{10**16},"host":"b","at":"{world.time.isoformat()}","e":"purged","id":"{first}"}}\n'
    append(world, "journal.jsonl", event)
    named = {problem["where"]: problem["command"] for problem in problems(world, "purged")}
    assert named[first] == f"promptx-mem forget {first} --purge"


def test_a_lost_memory_with_a_purged_successor_can_be_restored(world: World) -> None:
    old = world.remember("the user lives in Berlin")["id"]
    new = world.remember("用户住在慕尼黑", update=old)["id"]
    world.memory.forget(new, purge=True)
    world.recall()
    kept = [line for line in world.read("declarative.md").splitlines(keepends=True) if old not in line]
    (world.root / "declarative.md").write_text("".join(kept), encoding="utf-8")
    world.recall()
    for compact in (False, True):
        world.memory.decay(Plan(compact=compact))
        assert [one["check"] for one in world.memory.audit_verify().data["problems"] or []] == ["vanished"]
    assert not world.memory.restore(old).data["lives"], "its line is restored and stays ended"
    assert world.memory.restore(old).data["lives"]
    assert world.recall("Berlin") == ["the user lives in Berlin"]
