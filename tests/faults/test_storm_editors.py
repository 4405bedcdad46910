"""A person saves one of the two files from an editor, from a buffer read a moment ago, while others write.

What such a save drops is named by `audit --verify`, and comes back by the commands that it prints: all that was
acknowledged lives, and what was forgotten has ended.
"""

import contextlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.api import NotFoundError, Request
from tests.faults.aftermath import check
from tests.faults.scenes import living
from tests.faults.weather import EVERYTHING, Hand, Storm, Worker, is_whole, whole, write

pytestmark = pytest.mark.thorough

Save = Callable[[Path, bytes], None]


def save_in_place(path: Path, data: bytes) -> None:
    with path.open("wb", buffering=0) as file:
        file.write(data)


def save_by_rename(path: Path, data: bytes) -> None:
    """As VS Code and many others: a new file, renamed over the old one."""
    new = path.with_name(f"{path.name}.swp")
    new.write_bytes(data)
    new.replace(path)


def save_with_backup(path: Path, data: bytes) -> None:
    """As vim: the old file is renamed away, the new one made in its place."""
    backup = path.with_name(f"{path.name}~")
    path.replace(backup)
    save_in_place(path, data)
    backup.unlink()


SAVES: dict[str, Save] = {"in place": save_in_place, "by rename": save_by_rename, "with backup": save_with_backup}


def write_and_forget(hand: Hand) -> None:
    """Remember two texts and forget one of them again."""
    write(hand)
    text = whole(f"{hand.chance.randbytes(8).hex()} to be forgotten")
    ident = hand.memory().remember(Request(text=text, tags=("t",), score="9")).data["id"]
    with contextlib.suppress(NotFoundError):  # an editor was quicker, and its line is not here to be forgotten
        hand.memory().forget(ident)
        hand.storm.ended.add(text)


def look(hand: Hand) -> None:
    """Make the cache anew after a save."""
    hand.memory().recall(EVERYTHING)
    hand.pause(0.2)


def edit(save: Save, name: str) -> Callable[[Hand], None]:
    def step(hand: Hand) -> None:
        path = hand.storm.root / name
        data = path.read_bytes() if path.exists() else b""
        hand.pause(0.1)
        if data:
            save(path, data + (f"- {hand.text()} #t\n".encode() if name == "declarative.md" else b""))
        hand.pause(0.4)

    return step


@pytest.mark.usefixtures("_unlimited")
@pytest.mark.parametrize("name", ["declarative.md", "journal.jsonl"])
@pytest.mark.parametrize("style", SAVES)
def test_an_editor_saves_a_stale_buffer(
    style: str, name: str, tmp_path: Path, all_faults: bool, report: Callable[[str], None]
) -> None:
    storm = Storm(tmp_path, seed=13, seconds=30 if all_faults else 2)
    Hand(storm).memory().remember(Request(text=whole("the first"), tags=("t",), score="9"))
    writers = [Worker(write_and_forget) for _ in range(10)]
    storm.run([*writers, Worker(look), Worker(look), Worker(edit(SAVES[style], name), mortal=False)], kills=3)
    back = bring_back(storm)
    there = living(storm.root, Hand(storm).memory().context.now())
    assert storm.acknowledged.read() <= there
    assert not storm.ended.read() & there
    assert [text for text in there if not is_whole(text)] == []
    check(storm)
    report(f"{style}, {name}: {storm.figures()}; {len(back)} lost and brought back")


def bring_back(storm: Storm) -> list[str]:
    """Do what `audit --verify` prints for all that vanished, until nothing is named; returns the ids."""
    memory = Hand(storm).memory()
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
