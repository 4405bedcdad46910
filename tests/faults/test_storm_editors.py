"""A person saves one of the two files from an editor, from a buffer read a moment ago, while others write.

`audit --verify` reports the memories that such a save drops, and its commands restore them: then all acknowledged
memories are active and forgotten ones are ended.
"""

import contextlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.api import NotFoundError, Request
from tests.faults.aftermath import check
from tests.faults.scenes import active_texts
from tests.faults.weather import EVERYTHING, Actor, Storm, Worker, has_checksum, with_checksum, write

pytestmark = pytest.mark.thorough

Save = Callable[[Path, bytes], None]


def save_in_place(path: Path, data: bytes) -> None:
    with path.open("wb", buffering=0) as file:
        file.write(data)


def save_by_rename(path: Path, data: bytes) -> None:
    """Save as VS Code and others do: write a new file and rename it over the old one."""
    new = path.with_name(f"{path.name}.swp")
    new.write_bytes(data)
    new.replace(path)


def save_with_backup(path: Path, data: bytes) -> None:
    """Save as vim does: rename the old file and create a new one."""
    backup = path.with_name(f"{path.name}~")
    path.replace(backup)
    save_in_place(path, data)
    backup.unlink()


SAVES: dict[str, Save] = {"in place": save_in_place, "by rename": save_by_rename, "with backup": save_with_backup}


def write_and_forget(actor: Actor) -> None:
    """Remember two texts and forget one of them again."""
    write(actor)
    text = with_checksum(f"{actor.chance.randbytes(8).hex()} to be forgotten")
    ident = actor.memory().remember(Request(text=text, tags=("t",), score="9")).data["id"]
    with contextlib.suppress(NotFoundError):  # an editor has already removed its line
        actor.memory().forget(ident)
        actor.storm.ended.add(text)


def rebuild_cache(actor: Actor) -> None:
    """Rebuild the cache after a save."""
    actor.memory().recall(EVERYTHING)
    actor.pause(0.2)


def edit(save: Save, name: str) -> Callable[[Actor], None]:
    def step(actor: Actor) -> None:
        path = actor.storm.root / name
        data = path.read_bytes() if path.exists() else b""
        actor.pause(0.1)
        if data:
            save(path, data + (f"- {actor.text()} #t\n".encode() if name == "declarative.md" else b""))
        actor.pause(0.4)

    return step


@pytest.mark.usefixtures("_unlimited")
@pytest.mark.parametrize("name", ["declarative.md", "journal.jsonl"])
@pytest.mark.parametrize("style", SAVES)
def test_memories_dropped_by_a_stale_editor_can_be_restored(
    style: str, name: str, tmp_path: Path, all_faults: bool, report: Callable[[str], None]
) -> None:
    storm = Storm(tmp_path, seed=13, seconds=30 if all_faults else 1)
    Actor(storm).memory().remember(Request(text=with_checksum("the first"), tags=("t",), score="9"))
    writers = [Worker(write_and_forget) for _ in range(10)]
    storm.run(
        [*writers, Worker(rebuild_cache), Worker(rebuild_cache), Worker(edit(SAVES[style], name), mortal=False)],
        kills=3,
    )
    back = restore_dropped(storm)
    there = active_texts(storm.root, Actor(storm).memory().context.now())
    assert storm.acknowledged.read() <= there
    assert not storm.ended.read() & there
    assert [text for text in there if not has_checksum(text)] == []
    check(storm)
    report(f"{style}, {name}: {storm.figures()}; {len(back)} lost and brought back")


def restore_dropped(storm: Storm) -> list[str]:
    """Run the commands of `audit --verify` until no memory is missing; return the ids."""
    memory = Actor(storm).memory()
    memory.recall(EVERYTHING)
    back = []
    while named := [one for one in memory.audit_verify().data["problems"] or [] if one["check"] == "vanished"]:
        for problem in named:
            program, command, ident, *_ = problem["command"].split()
            assert (program, command, ident) == ("promptx-mem", "restore", problem["where"]), problem
            memory.restore(ident)
            back.append(ident)
        assert len(back) == len(set(back)), "what was brought back is named again"
    return back
