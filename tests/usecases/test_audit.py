"""The audit log is shown newest first; allow, rotation, forget --last and undo."""

import datetime
import json
from pathlib import Path
from typing import Any

import pytest

from tests.api import Filters, Memory, NotFoundError, Options, Refused, Request, layout
from tests.inside import as_line, objects, rewrite, violations
from tests.inside import audit as log
from tests.world import START, World

pytestmark = pytest.mark.usefixtures("agent_stores")


def violate(world: World, times: int = 1) -> None:
    for number in range(times):
        with pytest.raises(Refused):
            world.remember(f"poor {number}", score="2")


def test_attempts_are_listed_newest_first_with_the_text_if_stored(world: World) -> None:
    ident = world.remember("the secret garden")["id"]
    violate(world.later(hours=1))
    data = world.memory.audit(Filters()).data
    refused, stored = data["records"]
    assert (refused["verdict"], refused["why"], refused["violation"]) == ("refused", "score_too_low", True)
    assert (stored["verdict"], stored["length"], stored["basis"]) == ("stored", 17, "none")
    assert (stored["at"], stored.keys()) == (START.isoformat(), refused.keys())
    assert (refused["words"], stored["words"]) == (None, "the secret garden")
    assert "garden" not in (world.root / "audit.jsonl").read_text("utf-8")
    assert "poor" not in json.dumps(data)
    world.memory.forget(ident, purge=True)
    assert "garden" not in json.dumps(world.memory.audit(Filters()).data)
    assert log.tally([{"verdict": "stored"}, {"command": "review"}]) == {"stored": 1}


def test_allow_lifts_the_block_of_one_session(world: World) -> None:
    violate(world, 3)
    with pytest.raises(Refused, match="blocked"):
        world.remember("a good fact")
    assert world.memory.audit(Filters()).data["blocked"] == ["test"]
    world.session = "a person"
    allowed = world.later(seconds=1).memory.allow("test").data["allowed"]
    assert allowed == {"session": "test", "violations": 3, "was_blocked": True}
    with pytest.raises(NotFoundError, match="session 'a person' has no violations"):
        world.memory.allow("a person")
    world.session = "test"
    assert world.later(seconds=1).remember("a good fact")["verdict"] == "stored"
    violate(world, 3)
    with pytest.raises(Refused, match="blocked"):
        world.remember("another good fact")


def test_the_log_is_not_read_again_for_sessions_with_few_violations(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for world.session in ("one", "two"):
        violate(world)
    monkeypatch.setattr(violations, "count", lambda *_: pytest.fail("the log is read again"))
    assert world.memory.audit(Filters()).data["blocked"] == []


def record(at: datetime.datetime, **more: Any) -> bytes:
    return as_line({"at": at.isoformat(timespec="seconds"), "s": "test", "pad": "x" * 200, **more})


@pytest.mark.parametrize(("others", "under"), [(1_500, True), (4_500, False)])
def test_rotation_keeps_the_violations_of_today(world: World, others: int, under: bool) -> None:
    """Also if the records of today exceed the limit."""
    world.remember("one")
    yesterday = b"".join(record(world.time - datetime.timedelta(days=1, minutes=m)) for m in range(3_000, 0, -1))
    today = b"".join(record(world.time - datetime.timedelta(minutes=m), x=1) for m in (9, 6, 3))
    world.file("audit.jsonl").write_bytes(yesterday + today + b"".join(record(world.time) for _ in range(others)))
    with pytest.raises(Refused, match="blocked"):
        world.remember("two")
    data = world.read_bytes("audit.jsonl")
    assert (len(data) < log.MAX_BYTES) == under
    assert violations.count(data, ["test"], world.time) == 3
    assert len(objects(data)) >= others + 4


def test_rotation_deletes_records_older_than_30_days(world: World) -> None:
    world.remember("one")
    old = (record(world.time - datetime.timedelta(days=days)) for days in (40, 31, 29, 1))
    world.file("audit.jsonl").write_bytes(b"".join(old))
    rewrite.rotate_audit(world.memory.context.layout, world.time)
    assert len(objects(world.read_bytes("audit.jsonl"))) == 2


def undo_commands(world: World, session: str | None = None) -> list[str]:
    return [step["command"] for step in world.memory.undo(session).data["undo"] or []]


def test_forget_last_ends_the_newest_memory_of_the_session(world: World) -> None:
    first = world.remember("first")["id"]
    second = world.later(seconds=1).remember("second")["id"]
    other = Memory(layout.at(str(world.root)), "other", clock=lambda: world.time)
    other.remember(Request("of another session", tags=("t",), score="8"))
    assert world.memory.forget_last().data["id"] == second
    assert world.memory.forget_last().data["id"] == first
    with pytest.raises(NotFoundError, match="stored no memory"):
        world.memory.forget_last()
    assert world.recall() == ["of another session"]


def test_forget_last_undoes_no_write_before_another_one(world: World) -> None:
    world.session = "before"
    known = world.remember("known before")["id"]
    world.session = "test"
    world.later(seconds=1).remember("important")
    memory = world.memory
    for change in (lambda _: world.remember("known before"), memory.boost, memory.forget, memory.restore):
        change(known)
        with pytest.raises(NotFoundError, match=f"--last cannot undo .* {known}"):
            world.memory.forget_last()


def test_forget_last_restores_the_memory_that_was_updated(world: World) -> None:
    old = world.remember("the port is 1")["id"]
    world.remember("the port is 2", update=old)
    data = world.memory.forget_last().data
    assert (data["text"], data["lives"], old in str(data["note"])) == ("the port is 2", False, True)
    assert world.recall() == ["the port is 1"]


def test_undo_of_an_import_ends_the_memories_of_every_file_also_with_long_paths(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = Path("notes/" * 12)
    folder.mkdir(parents=True)
    for name in ("one", "two"):
        (folder / f"{name}.md").write_text(f"- {name} a\n- {name} b\n", "utf-8")
    world.memory.import_files(Options(tuple(str(folder / f"{name}.md") for name in ("one", "two", "one"))))
    assert len(set(undo_commands(world))) == len(undo_commands(world)) == len(world.recall()) == 4


def test_the_commands_of_undo_revert_a_session(world: World) -> None:
    world.session = "before"
    kept, gone = world.remember("kept")["id"], world.remember("gone")["id"]
    world.session = "test"
    a = world.later(seconds=1).remember("a")["id"]
    world.later(seconds=1).remember("c", update=world.remember("b", update=a)["id"])
    world.later(seconds=1).memory.forget(gone)
    world.later(seconds=1).memory.forget(world.remember("d")["id"])
    steps = [command.split()[1:] for command in undo_commands(world)]
    assert [action for action, _ in steps] == ["restore", "forget"]
    for action, ident in steps:
        getattr(world.later(seconds=1).memory, action)(ident)
    assert sorted(world.recall()) == ["gone", "kept"]
    assert undo_commands(world) == undo_commands(world, "nobody") == []
    world.memory.import_files(Options(("-",), stdin=b"- imported\n"))
    assert [step["text"] for step in world.memory.undo(None).data["undo"] or []] == ["imported"]
    with pytest.raises(NotFoundError, match="an import"):
        world.memory.forget_last()
    world.memory.forget(undo_commands(world)[0].split()[-1])
    assert undo_commands(world, "before")[-1].split()[-1] == kept
    c = world.remember("c", update=world.remember("b", update=kept)["id"])["id"]
    assert undo_commands(world) == [f"promptx-mem restore {kept}"]
    world.session = "after"
    world.remember("d", update=c)
    assert undo_commands(world, "test") == []
    world.remember("gone")
    assert undo_commands(world)[0].split()[1:3] == ["restore", c]
    assert world.memory.undo(None).warnings == ("these changes cannot be undone: 1 repeated",)
