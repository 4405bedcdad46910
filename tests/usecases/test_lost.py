"""Lines and events lost because an editor saved an old copy: the next command reports them, one restores them."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.api import Cues, Plan, parse_line
from tests.cli import program
from tests.copies.clones import Clone
from tests.hooks.context import context_in
from tests.inside import Finding
from tests.world import World

pytestmark = pytest.mark.usefixtures("person")

RESTORE = "promptx-mem restore --lost"
KEPT = "the office is on the third floor"
FILES = ("declarative.md", "journal.jsonl")


def rename_over(path: Path, data: bytes) -> None:
    path.with_suffix(".new").write_bytes(data)
    path.with_suffix(".new").replace(path)


def truncate_in_place(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def with_backup(path: Path, data: bytes) -> None:
    path.rename(path.with_name(path.name + "~"))
    path.write_bytes(data)


EDITORS = [rename_over, truncate_in_place, with_backup]


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path / ".memory")
    world.remember(KEPT)
    world.memory.boost(ident(world, KEPT))
    return world


def ident(world: World, text: str) -> str:
    read = map(parse_line, world.read("declarative.md").split("\n"))
    return next(one.entry.id for one in read if one is not None and one.entry.text == text)


def run(world: World, *words: str, stdin: str = "") -> program.Ran:
    """Run the program in the folder of the store."""
    return program.run(*words, cwd=world.root.parent, stdin=stdin, session="a test")


def stale_save(world: World, save: Callable[[Path, bytes], None], names: tuple[str, ...] = FILES[:1]) -> list[str]:
    """Store six memories and forget one while an editor has the files open; then save its copies."""
    buffers = {name: world.read_bytes(name) for name in names}
    texts = [f"fact {word} came while the editor was open" for word in ("ant", "bee", "cat", "dog", "eel", "fox")]
    for text in texts:
        world.later(hours=1).remember(text)
    world.memory.forget(ident(world, texts[0]))
    world.memory.boost(ident(world, texts[1]))
    for name, data in buffers.items():
        save(world.file(name), data)
    return texts


@pytest.mark.one_in(4)
@pytest.mark.parametrize("save", EDITORS, ids=lambda save: save.__name__)
@pytest.mark.parametrize("names", [FILES[:1], FILES[1:], FILES], ids="+".join)
@pytest.mark.parametrize("cached", [True, False], ids=["cached", "without a cache"])
def test_one_command_restores_all_lost_memories_but_no_ended_ones(
    world: World, save: Callable[[Path, bytes], None], names: tuple[str, ...], cached: bool
) -> None:
    texts = stale_save(world, save, names)
    if not cached:
        shutil.rmtree(world.file(".cache"))
    (warning,) = world.memory.recall(_untouched()).warnings
    assert RESTORE in warning
    assert "\n" not in warning
    world.memory.restore_lost()
    assert sorted(world.recall()) == sorted([KEPT, *texts[1:]])
    assert world.memory.recall(_untouched()).warnings == ()
    assert [one for one in world.memory.audit_verify().data["problems"] or [] if one["check"] == "vanished"] == []
    assert world.importance(texts[1]) > world.importance(texts[2])


def _untouched() -> Cues:
    return Cues(touch=False)


COMMANDS = [
    ["recall"],
    ["remember", "an unrelated thing to know", "-t", "x", "--score", "8"],
    ["review"],
    ["decay"],
    ["export", "--format", "markdown"],
]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_reports_lost_memories(world: World, words: list[str]) -> None:
    stale_save(world, rename_over)
    shown = run(world, *words)
    assert shown.err.count(RESTORE) == 1, shown
    if "--format" not in words:
        answer = json.loads(run(world, *words, "--json").out)
        assert [RESTORE in warning for warning in answer["warnings"]].count(True) == 1
    done = run(world, "restore", "--lost")
    assert done.status == 0
    assert "6 memories" in done.out
    assert RESTORE not in run(world, "recall").err


def test_session_start_reports_lost_memories(world: World) -> None:
    stale_save(world, with_backup)
    assert context_in(world.root.parent, "start", source="startup").count(RESTORE) == 1
    run(world, "restore", "--lost")
    assert RESTORE not in context_in(world.root.parent, "start", source="startup")


def test_forget_confirms_the_deletion_of_a_line(world: World) -> None:
    one = world.later(hours=1).remember("tea is served at four")["id"]
    lines = world.read("declarative.md").splitlines(keepends=True)
    world.file("declarative.md").write_text("".join(line for line in lines if one not in line), "utf-8")
    (warning,) = world.memory.recall(_untouched()).warnings
    assert "promptx-mem forget --lost" in warning
    assert "1 stored memory or event is" in warning
    (problem,) = [one for one in world.memory.audit_verify().data["problems"] or [] if one["check"] == "vanished"]
    assert problem["command"].endswith(f"promptx-mem forget {one}")
    assert world.memory.forget(one).data["end"] == "forgotten"
    assert world.memory.recall(_untouched()).warnings == ()
    assert world.memory.restore_lost().data["ids"] == []
    assert [one for one in world.memory.audit_verify().data["problems"] or [] if one["check"] == "vanished"] == []
    shutil.rmtree(world.file(".cache"))
    assert world.memory.recall(_untouched()).warnings == ()
    assert world.memory.restore(one).data["lives"]
    assert sorted(world.recall()) == sorted([KEPT, "tea is served at four"])
    world.file("journal.jsonl").write_text("", "utf-8")
    assert run(world, "forget", "--lost").out == f"no line is missing; to restore the missing events: {RESTORE}\n"


def test_manual_edits_are_not_reported_as_losses(world: World) -> None:
    world.remember("tea is served at four o'clock in the kitchen")
    path = world.file("declarative.md")
    path.write_text(world.read("declarative.md").replace("third", "fourth") + "- a line by hand\n", "utf-8")
    assert world.memory.recall(_untouched()).warnings == ()
    world.later(hours=1).remember("noted after the edit")
    lines = [
        line.partition(" #")[0].replace("at four", "at five") for line in world.read("declarative.md").splitlines()
    ]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    assert world.memory.recall(_untouched()).warnings == ()
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert world.memory.recall(_untouched()).warnings == ()


def test_deleted_lines_by_hand_are_restored(world: World) -> None:
    path, old = world.file("declarative.md"), world.read("declarative.md")
    path.write_text(old + "- a line by hand\n- another one\n", "utf-8")
    world.memory.decay(Plan())
    path.write_text(old, "utf-8")
    assert "2 stored memories or events are" in world.memory.recall(_untouched()).warnings[0]
    world.memory.restore_lost()
    assert sorted(world.recall()) == sorted([KEPT, "a line by hand", "another one"])


def test_compacted_and_purged_lines_are_not_reported_as_losses(world: World) -> None:
    gone, purged = (world.later(hours=1).remember(text)["id"] for text in ("to be compacted", "to be purged"))
    world.memory.forget(gone)
    world.memory.forget(purged, purge=True)
    world.memory.decay(Plan(compact=True))
    for _ in range(2):
        assert world.memory.recall(_untouched()).warnings == ()
        assert world.memory.audit_verify().data["problems"] == []
        shutil.rmtree(world.file(".cache"))
        world.file(".lost").unlink(missing_ok=True)


def problems(world: World) -> dict[str, Finding]:
    """Return problems by place, without those of MEMORY.md."""
    found = world.memory.audit_verify().data["problems"] or []
    return {problem["where"]: problem for problem in found if problem["check"] != "index"}


@pytest.mark.parametrize("cached", [True, False], ids=["cached", "without a cache"])
@pytest.mark.parametrize("name", ["journal.jsonl", "declarative.md"])
def test_a_lost_ended_memory_is_restored_as_ended(world: World, name: str, cached: bool) -> None:
    """This applies to lost lines and to lost events."""
    text = "to be forgotten"
    buffer = world.read("declarative.md")
    ident = world.later(hours=1).remember(text)["id"]
    if name == "journal.jsonl":
        world.memory.boost(ident)
        buffer = world.read(name)
    world.later(hours=1).memory.forget(ident)
    whole = world.read(name)
    if cached:
        world.recall()
    world.file(name).write_text(buffer, "utf-8")
    if not cached:
        shutil.rmtree(world.file(".cache"), ignore_errors=True)
    assert sorted(world.recall()) == [KEPT, *([text] if name == "journal.jsonl" else [])]
    if cached and name == "journal.jsonl":  # the cache has saved it: `.recent` is not needed any more
        world.file(".recent").unlink()
    (problem,) = problems(world).values()
    assert problem["where"] == ident
    assert "forgotten" in problem["what"] or name != "journal.jsonl"
    result = world.memory.restore(ident)
    assert not result.data["lives"]
    assert "run restore again" in (result.data["note"] or "")
    assert world.read(name) == whole
    assert world.recall() == [KEPT]
    assert problems(world) == {}
    world.memory.restore(ident)
    assert sorted(world.recall()) == [KEPT, text]


def test_a_memory_whose_purge_was_lost_can_be_purged_again(world: World) -> None:
    ident = world.remember("a secret")["id"]
    lines, events = world.read("declarative.md"), world.read("journal.jsonl")
    world.later(hours=1).memory.forget(ident, purge=True)
    world.file("declarative.md").write_text(lines, "utf-8")
    world.file("journal.jsonl").write_text(events, "utf-8")
    shutil.rmtree(world.file(".cache"), ignore_errors=True)
    (problem,) = problems(world).values()
    assert problem["command"] == f"promptx-mem forget {ident} --purge"
    world.memory.forget(ident, purge=True)
    assert problems(world) == {}
    assert "a secret" not in world.read("declarative.md")


@pytest.fixture
def shared(quick: Path) -> Clone:
    """A clone whose branch `old` lacks two memories and an end that main has."""
    clone = Clone.first(quick, "ada")
    for text in ("the office is on the third floor", "tea is served at four"):
        clone.remember(text)
    clone.commit()
    clone.git("branch", "old")
    clone.memory.forget(clone.ident("tea is served at four"))
    clone.remember("the runner is machine 7")
    clone.remember("the build takes an hour")
    clone.commit()
    return clone


GIT = {
    "checkout -q old": 0,
    "reset -q --hard HEAD~1": 0,
    "revert --no-edit HEAD": 0,
    "checkout -qb cut; checkout -q old -- .; commit -qam cut; checkout -q main; merge -q cut": 0,
    "checkout -q old; commit -qm other --allow-empty; checkout -q main; merge -q --no-ff -s ours old": 0,
    "stash -q": 0,
    "stash -q; stash drop -q": 2,
    "reset -q --hard": 2,
    "checkout -qf old": 1,
    "checkout -- .": 2,
}
"""Commands of git, with the number of uncommitted memories and events that they lose."""


@pytest.mark.parametrize(("commands", "count"), GIT.items())
def test_lines_removed_by_commits_are_not_losses_but_uncommitted_lines_are(
    shared: Clone, commands: str, count: int
) -> None:
    if count or commands == "stash -q":
        shared.remember("not committed yet")
        shared.memory.boost(shared.ident("the runner is machine 7"))
    for command in commands.split("; "):
        assert shared.memory.recall(_untouched()).warnings == () or "cut" in commands
        shared.git(*command.split())
    assert len(shared.memory.recall(_untouched()).warnings) == bool(count)
    assert len(shared.memory.restore_lost().data["ids"]) == count
