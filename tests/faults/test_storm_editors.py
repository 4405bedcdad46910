"""A person saves the file from an editor, from a buffer read a moment ago, while others write.

What such a save drops is dropped by its doing; whatever the cache knew of that is saved, named and brought back.
"""

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from promptx_mem.core.ids import make_id
from promptx_mem.search import cache, vanished
from promptx_mem.store import layout
from promptx_mem.usecases.request import Request
from tests.faults.aftermath import check
from tests.faults.scenes import living
from tests.faults.weather import EVERYTHING, Hand, Log, Storm, Worker, is_whole, whole, write

Save = Callable[[Path, bytes], None]


def save_in_place(path: Path, data: bytes) -> None:
    with path.open("wb", buffering=0) as file:
        file.write(data)


def save_by_rename(path: Path, data: bytes) -> None:
    """As VS Code and many others: a new file, renamed over the old one."""
    new = path.with_name("declarative.md.swp")
    new.write_bytes(data)
    new.replace(path)


def save_with_backup(path: Path, data: bytes) -> None:
    """As vim: the old file is renamed away, the new one made in its place."""
    backup = path.with_name("declarative.md~")
    path.replace(backup)
    save_in_place(path, data)
    backup.unlink()


SAVES: dict[str, Save] = {"in place": save_in_place, "by rename": save_by_rename, "with backup": save_with_backup}


def known(storm: Storm) -> Log:
    """Texts that the cache's file held after they were acknowledged."""
    return Log(storm.folder / "known")


def write_and_look(hand: Hand) -> None:
    write(hand)
    text = whole(f"{hand.chance.randbytes(8).hex()} looked up")
    hand.memory().remember(Request(text=text, tags=("t",), score="9"))
    with contextlib.suppress(sqlite3.Error):
        found = cache.connect(layout.at(str(hand.storm.root)))
        if found is not None and found.state(make_id(text)) is not None:
            known(hand.storm).add(text)


def look(hand: Hand) -> None:
    """Make the cache anew after a save."""
    hand.memory().recall(EVERYTHING)
    hand.pause(0.2)


def edit(save: Save) -> Callable[[Hand], None]:
    def step(hand: Hand) -> None:
        path = hand.storm.root / "declarative.md"
        data = path.read_bytes()
        hand.pause(0.1)
        save(path, data + f"- {hand.text()} #t\n".encode())
        hand.pause(0.4)

    return step


@pytest.mark.usefixtures("_unlimited")
@pytest.mark.parametrize("style", SAVES)
def test_an_editor_saves_a_stale_buffer(
    style: str, tmp_path: Path, all_faults: bool, report: Callable[[str], None]
) -> None:
    storm = Storm(tmp_path, seed=13, seconds=30 if all_faults else 2)
    Hand(storm).memory().remember(Request(text=whole("the first"), tags=("t",), score="9"))
    writers = [Worker(write_and_look) for _ in range(10)]
    storm.run([*writers, Worker(look), Worker(look), Worker(edit(SAVES[style]), mortal=False)], kills=3)
    lost = bring_back(storm)
    there = living(storm.root, Hand(storm).memory().now())
    dropped = storm.acknowledged.read() - there
    assert known(storm).read() <= there
    assert [text for text in there if not is_whole(text)] == []
    storm.acknowledged.path.write_text("".join(f"{text}\n" for text in storm.acknowledged.read() & there))
    check(storm)
    report(f"{style}: {storm.figures()}; {len(lost)} lost and brought back, {len(dropped)} the cache never knew")


def bring_back(storm: Storm) -> list[str]:
    """Restore what vanished, after `audit --verify` has named it; returns the ids."""
    memory = Hand(storm).memory()
    memory.recall(EVERYTHING)
    here = {make_id(text) for text in living(storm.root, memory.now())}
    lost = [ident for ident in vanished.saved(memory.layout) if ident not in here]
    named = {problem["where"] for problem in memory.audit_verify().data["problems"] or []}
    for ident in lost:
        assert ident in named
        memory.restore(ident)
    return lost
