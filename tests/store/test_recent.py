"""`.recent`: the last acknowledged lines, at most 256 KB, and no errors."""

import os
import stat
from pathlib import Path

import pytest

from tests.api import Plan, layout, make_id
from tests.faults.scenes import memory_at, remember
from tests.inside import archive, files, intent, rewrite
from tests.world import World

pytestmark = pytest.mark.usefixtures("person")


def test_recent_contains_lines_and_events_as_appended(tmp_path: Path) -> None:
    world = World(tmp_path / ".memory")
    ident = world.remember("one fact\nof two lines")["id"]
    world.memory.boost(ident)
    noted = intent.read_recent(world.memory.context.layout)
    assert noted.lines == [line for line in world.read("declarative.md").splitlines() if line.startswith("- ")]
    assert noted.events == world.read("journal.jsonl").splitlines()
    assert stat.S_IMODE(os.stat(world.memory.context.layout.recent).st_mode) == 0o600


def test_recent_is_written_before_the_intent_is_cleared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the writer dies in between, its unacknowledged lines are still recorded."""
    seen: list[bytes] = []
    note = intent.note_recent

    def look(where: layout.Layout, name: str, data: bytes) -> None:
        note(where, name, data)
        seen.append(Path(where.intent).read_bytes())

    monkeypatch.setattr(intent, "note_recent", look)
    remember(memory_at(tmp_path / ".memory"), "a fact")
    assert b'"declarative.md"' in seen[0]


def test_full_disk_for_recent_does_not_fail_a_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path / ".memory")
    world.remember("the first")
    opened = files.opened

    def full(path: str, *args: int) -> object:
        if path.endswith(".recent"):
            raise OSError(28, "no space left")
        return opened(path, *args)

    monkeypatch.setattr(files, "opened", full)
    assert world.remember("the second")["verdict"] == "stored"


def test_purge_removes_the_text_from_recent(tmp_path: Path) -> None:
    world = World(tmp_path / ".memory")
    ident = world.remember("a secret of 四位数")["id"]
    world.remember("another")
    world.memory.forget(ident, "since the secret of 四位数 is out")
    with open(world.memory.context.layout.recent, "ab") as file:
        file.write("d - a secret of 四位".encode())
    assert ".recent" in world.memory.forget(ident, purge=True).data["files"]
    held = Path(world.memory.context.layout.recent).read_text("utf-8")
    assert "四位" not in held
    assert "another" in held
    assert world.memory.audit_verify().data["problems"] == []


def test_merged_purge_removes_the_text_from_recent_at_the_next_decay(tmp_path: Path) -> None:
    """Another copy purged the memory: the merge removed its line here, but `.recent` still contains it."""
    world = World(tmp_path / ".memory")
    world.remember("another")
    before = world.read("declarative.md")
    ident = world.remember("a secret of 四位数")["id"]
    held = world.file(".recent").read_bytes()
    world.later(hours=1).memory.forget(ident, purge=True)
    world.file("declarative.md").write_text(before, "utf-8")
    world.file(".recent").write_bytes(held)
    (problem,) = world.memory.audit_verify().data["problems"] or []
    assert (problem["check"], problem["where"]) == ("purged", ident)
    world.memory.decay(Plan())
    assert "四位数" not in world.read(".recent")
    assert world.memory.audit_verify().data["problems"] == []


def test_archived_memory_in_recent_is_not_reported_as_a_problem(tmp_path: Path) -> None:
    world = World(tmp_path / ".memory")
    ident = world.remember("one fact")["id"]
    world.memory.forget(ident)
    world.memory.context.store.write(lambda writer: rewrite.compact(writer.layout, writer.take_out, world.time))
    assert archive.names(world.memory.context.layout)
    assert make_id("one fact") in world.read(".recent")
    assert world.memory.audit_verify().data["problems"] == []


def test_last_lines_of_a_long_append_are_kept(where: layout.Layout) -> None:
    intent.note_recent(where, "declarative.md", b"".join(b"- %06d\n" % number for number in range(100_000)))
    lines = intent.read_recent(where).lines
    assert lines[-1] == "- 099999"
    assert all(len(line) == 8 for line in lines)
    assert intent.RECENT_BYTES - 20 < os.stat(where.recent).st_size <= intent.RECENT_BYTES


def test_torn_line_does_not_hide_its_neighbours(where: layout.Layout) -> None:
    intent.note_recent(where, "declarative.md", b"- one\n")
    with open(where.recent, "ab") as file:
        file.write(b'j {"k":')
    intent.note_recent(where, "journal.jsonl", b'{"k":2}\n')
    assert intent.read_recent(where).lines == ["- one"]
    assert intent.read_recent(where).events == ['{"k":', '{"k":2}']
