"""audit --verify: what it finds, what it says of it, and that the command it names mends it."""

import datetime
import gzip
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests import caches
from tests.api import Cues, Entry, NotFoundError, Plan, StoreError, complete, format_line, make_id, parse_line
from tests.cli import shells
from tests.inside import Audit, Finding, archive, store
from tests.inside import cli_audit as command_line
from tests.inside import search_cache as cache
from tests.world import START, World

pytestmark = pytest.mark.usefixtures("person")


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A store with two living memories and one that has been forgotten and archived."""
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


def line(text: str, **more: Any) -> str:
    entry = Entry(text, ("t",), 8.0, "长期", more.pop("id", make_id(text)), START.isoformat(), **more)
    return format_line(entry) + "\n"


def test_nothing_is_wrong(world: World) -> None:
    result = world.memory.audit_verify()
    assert (result.exit_status, result.data["problems"], result.data["notes"]) == (0, [], [])
    assert result.data["checked"] == {"memories": 2, "lines": 3, "events": 1, "archives": 2}
    assert command_line.as_text(complete(Audit, result.data)).startswith("✓ nothing is wrong: 2 living memories")


def test_a_new_store_and_an_empty_one(tmp_path: Path) -> None:
    world = World(tmp_path / ".memory")
    with pytest.raises(StoreError, match="there is no store"):
        world.memory.audit_verify()
    world.memory.init()
    assert found(world) == []


@pytest.mark.parametrize(
    ("name", "text", "where"),
    [
        ("declarative.md", "- 2025/05/05 12:00 START\nopen\n", "declarative.md:5"),
        ("declarative.md", "- a\0b\n", "declarative.md:5"),
        ("declarative.md", '- x #t score:8 duration:长期 <!-- {"id":7} -->\n', "declarative.md:5"),
        (
            "declarative.md",
            '- x #t <!-- {"id":"m_0000000000","at":"2026-03-01T00:00:00Z","v":9} -->\n',
            "declarative.md:5",
        ),
        ("journal.jsonl", "{}\n", "journal.jsonl:1"),
        ("journal.jsonl", "=======\n", "journal.jsonl:1"),
    ],
)
def test_what_is_not_understood_is_named_and_stays(world: World, name: str, text: str, where: str) -> None:
    append(world, name, text)
    before = world.read_bytes(name)
    (problem,) = problems(world, "lines")
    file, line = where.split(":")
    assert problem["where"] == where
    for shell in shells.installed():
        command = [*shells.SHELLS[shell], problem["command"]]
        environment = {"PATH": os.environ["PATH"], "EDITOR": "echo edit"}
        words = subprocess.run(command, env=environment, capture_output=True, check=True).stdout.decode().split()
        assert words[:2] == ["edit", f"+{line}"]
        assert words[-1].endswith(file)
    assert world.read_bytes(name) == before


def test_a_broken_config_is_named(world: World) -> None:
    world.file("config.yaml").write_text("polici: strict\n", "utf-8")
    (problem,) = problems(world, "config")
    assert "polici" in problem["what"]


def test_events_that_no_line_will_ever_have_can_be_let_go(world: World) -> None:
    event = '{"k":1,"host":"h","at":"2026-03-01T00:00:00Z","e":"forgotten","id":"m_0000000000","reason":"why"}\n'
    append(world, "journal.jsonl", event)
    (problem,) = problems(world, "events")
    assert problem["command"].endswith("# gone for good? promptx-mem forget m_0000000000 --purge")
    assert world.memory.text_of("m_0000000000")[0] == "m_0000000000"
    world.memory.forget("m_0000000000", purge=True)
    assert found(world) == []
    assert '"why"' not in world.read("journal.jsonl")
    with pytest.raises(NotFoundError):
        world.memory.forget("m_0000000000", purge=True)


def test_lines_of_one_id(world: World) -> None:
    first = "one fact"
    append(world, "declarative.md", line(first) + line(first) + line(first, type="user"))
    append(world, "declarative.md", line("one fact, edited", id=make_id(first)))
    assert problems(world, "ids") == []
    append(world, "declarative.md", line("one fact, edited elsewhere", id=make_id(first)))
    (problem,) = problems(world, "ids")
    assert problem["where"] == make_id(first)
    assert "one fact, edited elsewhere" in problem["what"]


def test_an_event_must_refer_to_something(world: World) -> None:
    event = '{"k":1,"host":"h","at":"2026-03-01T00:00:00Z","e":"boosted","id":"m_0000000000"}\n'
    append(world, "journal.jsonl", event + event.replace('"k":1', '"k":2'))
    (problem,) = problems(world, "events")
    assert problem["where"] == "journal.jsonl:1"
    assert problem["what"] == "2 events act on m_0000000000, which no line has"
    append(world, "journal.jsonl", event.replace("boosted", "purged").replace('"k":1', '"k":3'))
    assert problems(world, "events") == []


def test_an_event_of_a_newer_version(world: World) -> None:
    ident = make_id("用户喜欢咖啡")
    append(world, "journal.jsonl", f'{{"k":1,"host":"h","at":"2026-03-01T00:00:00Z","e":"dreamt","id":"{ident}"}}\n')
    (problem,) = problems(world, "lines")
    assert "dreamt" in problem["what"]
    assert problem["mend"] == "upgrade promptx-mem"


def test_an_archive_that_is_damaged(world: World) -> None:
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
        "UPDATE memories SET end = 'forgotten', ends_at = 0 WHERE rowid = 1",
        "DELETE FROM memories WHERE rowid = 1",
        "UPDATE lines SET start = start + 1",
        "UPDATE meta SET value = 7 WHERE key = 'living'",
    ],
)
def test_a_cache_that_says_something_else(world: World, change: str) -> None:
    found(world)
    present = cache.connect(world.memory.context.layout)
    assert present is not None
    with present, present.writing():  # a fault of ours: what anybody else does to the file is not read at all
        present.db.execute(change)
    (problem,) = problems(world, "cache")
    assert problem["command"].startswith("rm -r ")
    for path in world.file(".cache").iterdir():
        path.unlink()
    assert found(world) == []


def test_a_stale_or_broken_cache_is_a_note(world: World) -> None:
    append(world, "declarative.md", "- by hand\n")
    world.memory.index()
    append(world, "declarative.md", "- by hand too\n")
    assert "behind" in world.memory.audit_verify().data["notes"][0]
    assert world.memory.audit_verify().data["notes"] == []
    caches.file_of(world.memory.context.layout).write_bytes(b"garbage" * 1000)
    assert "not as it was left" in world.memory.audit_verify().data["notes"][0]


def test_a_line_by_hand_that_nobody_has_adopted_yet_is_no_fault(world: World) -> None:
    append(world, "declarative.md", "- by hand\n")
    world.memory.index()
    assert found(world) == []
    world.later(hours=1).remember("something else")
    assert found(world) == []


def test_a_blank_line_that_was_appended_is_no_fault(world: World) -> None:
    world.recall()
    with world.file("declarative.md").open("a") as file:
        file.write("\n")
    world.recall()
    assert found(world) == []


def test_memory_md(world: World) -> None:
    text = world.read("MEMORY.md")
    world.file("MEMORY.md").write_text(text.replace("咖啡", "茶"), "utf-8")
    (problem,) = problems(world, "index")
    assert problem["command"] == "promptx-mem index"
    world.memory.index()
    assert found(world) == []
    world.file("MEMORY.md").write_text("mine", "utf-8")
    assert problems(world, "index")[0]["command"].startswith("mv ")
    world.file("MEMORY.md").unlink()
    world.file("MEMORY.md").mkdir()
    assert problems(world, "index")[0]["command"].startswith("mv ")


def test_a_missing_memory_md_is_a_note(world: World) -> None:
    """A fresh clone of a shared store has none."""
    text = world.read("MEMORY.md")
    world.file("MEMORY.md").unlink()
    result = world.memory.audit_verify()
    assert (result.exit_status, result.data["problems"]) == (0, [])
    assert result.data["notes"] == ["there is no MEMORY.md yet; promptx-mem index makes it"]
    assert "✓ nothing is wrong" in command_line.as_text(complete(Audit, result.data))
    world.file("MEMORY.md").write_text(text.replace("咖啡", "茶"), "utf-8")
    assert found(world) == [("index", "MEMORY.md")]
    world.memory.index()
    assert world.memory.audit_verify().data["notes"] == []


def test_sizes(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "WARN_BYTES", 100)
    world.file("audit.jsonl").write_bytes(b'{"at":"2026-03-01T00:00:00Z"}\n' * 40_000 + b"junk\n")
    result = world.memory.audit_verify()
    assert [problem["where"] for problem in result.data["problems"] or []] == [
        world.memory.context.layout.display(),
        "audit.jsonl",
    ]
    assert result.data["notes"] == ["1 line of audit.jsonl not understood; they go in time"]


def test_links_and_git_files(world: World, tmp_path: Path) -> None:
    world.file("journal.jsonl").rename(tmp_path / "journal.jsonl")
    world.file("journal.jsonl").symlink_to(tmp_path / "journal.jsonl")
    world.file(".gitattributes").unlink()
    assert found(world)[:2] == [("files", "journal.jsonl"), ("files", ".gitattributes")]


def stale_save(world: World) -> tuple[str, str]:
    """An editor saves a buffer that two memories were appended to meanwhile."""
    buffer = world.read("declarative.md")
    ids = [world.later(hours=1).remember(text, topic="a->b")["id"] for text in ("lost 一", "lost two")]
    world.file("declarative.md").write_text(buffer, "utf-8")
    return ids[0], ids[1]


def test_lines_that_vanished_are_saved_named_and_restored(world: World) -> None:
    first, second = stale_save(world)
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
    for name in archive.lost_names(world.memory.context.layout):
        assert b"lost" not in archive.read(world.memory.context.layout, name)
    with pytest.raises(NotFoundError):
        world.memory.restore(first)


def edited_by_hand(world: World) -> tuple[str, str]:
    """A line by hand is adopted, and then a person changes some words of it."""
    append(world, "declarative.md", "- the coffee comes from a small farm\n")
    world.memory.index()
    world.later(hours=1).remember("something else")
    return make_id("the coffee comes from a small farm"), make_id("the coffee comes from a small farm in Kenya")


def edit_it(world: World) -> None:
    text = world.read("declarative.md").replace("a small farm", "a small farm in Kenya")
    world.file("declarative.md").write_text(text, "utf-8")
    world.later(hours=1).memory.index()


def test_a_line_by_hand_may_be_edited_by_hand(world: World) -> None:
    """It was adopted and recalled; nobody had done anything to it."""
    old, new = edited_by_hand(world)
    world.memory.recall(Cues(text="coffee"))
    world.later(days=1).memory.decay(Plan())
    assert '"e":"recalled"' in world.read("journal.jsonl")
    edit_it(world)
    assert found(world) == []
    assert old not in archive_text(world)
    assert world.memory.text_of(new)[0] == new


def archive_text(world: World) -> str:
    where = world.memory.context.layout
    return b"".join(archive.read(where, name) for name in archive.lost_names(where)).decode()


def test_an_edited_line_by_hand_that_was_boosted_is_saved_and_named(world: World) -> None:
    old, new = edited_by_hand(world)
    world.memory.boost(old)
    edit_it(world)
    (problem,) = problems(world, "vanished")
    assert (problem["where"], f"a new memory, {new}" in problem["what"]) == (old, True)
    assert found(world) == [("vanished", old)]
    world.memory.restore(old)
    assert found(world) == []
    assert world.importance("the coffee comes from a small farm") > 1.85
    assert world.importance("the coffee comes from a small farm in Kenya") == 1.6


def test_an_edited_line_by_hand_that_was_boosted_can_be_let_go(world: World) -> None:
    old, _ = edited_by_hand(world)
    world.memory.boost(old)
    edit_it(world)
    world.memory.forget(old, purge=True)
    assert found(world) == []
    assert world.recall("coffee") == ["the coffee comes from a small farm in Kenya"]


def test_what_another_host_purged_is_to_be_purged_here(world: World) -> None:
    first, _ = stale_save(world)
    world.recall()
    event = f'{{"k":{10**16},"host":"b","at":"{world.time.isoformat()}","e":"purged","id":"{first}"}}\n'
    append(world, "journal.jsonl", event)
    named = {problem["where"]: problem["command"] for problem in problems(world, "purged")}
    assert named[first] == f"promptx-mem forget {first} --purge"


def test_what_was_purged_and_stored_again_is_saved_when_it_vanishes(world: World) -> None:
    world.memory.forget(world.remember("it comes and goes")["id"], purge=True)
    buffer = world.read("declarative.md")
    ident = world.remember("it comes and goes")["id"]
    world.file("declarative.md").write_text(buffer, "utf-8")
    assert ("vanished", ident) in found(world)
    world.memory.restore(ident)
    assert world.recall("it comes") == ["it comes and goes"]


def test_what_is_saved_is_the_memory(world: World) -> None:
    buffer = world.read("declarative.md")
    world.later(hours=1).remember(
        "two\nlines <!-- x -->", "tag", score="9.5", duration="30d", topic="a->b", type="user"
    )
    raw = world.read("declarative.md").splitlines()[-1]
    world.file("declarative.md").write_text(buffer, "utf-8")
    world.recall()
    (name,) = archive.lost_names(world.memory.context.layout)
    saved = archive.read(world.memory.context.layout, name).decode().rstrip("\n")
    was, now = parse_line(raw), parse_line(saved)
    assert was is not None
    assert now is not None
    assert now.entry == was.entry


def test_a_local_time_gets_its_offset_when_saved(world: World) -> None:
    """A line by hand with a local time is saved with one that a line may carry."""
    append(world, "declarative.md", "- 2026/02/05 18:47 用户住在上海 #其他 #评分:8 #有效期:长期\n")
    world.recall()
    text = world.read("declarative.md")
    world.file("declarative.md").write_text(text[: text.index("- 2026/02/05")], "utf-8")
    (problem,) = problems(world, "vanished")
    world.memory.restore(problem["where"])
    assert world.recall("上海") == ["用户住在上海"]
    saved = parse_line(world.read("declarative.md").splitlines()[-1])
    assert saved is not None
    assert saved.entry.at is not None
    assert datetime.datetime.fromisoformat(saved.entry.at).tzinfo


def test_what_a_purged_memory_had_superseded_is_not_destroyed_when_its_line_vanishes(world: World) -> None:
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
    assert not world.memory.restore(old).data["lives"], "its line is back, and no fact is turned round by that"
    assert world.memory.restore(old).data["lives"]
    assert world.recall("Berlin") == ["the user lives in Berlin"]
