"""`git clean -fdx` in a repository that shares its store: the lock, the intent and the cache go while they are used."""

import contextlib
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.api import Plan, Request, StoreError
from tests.faults.aftermath import check
from tests.faults.weather import Hand, Storm, Worker, read, whole, write

pytestmark = pytest.mark.thorough

TRACKED = frozenset({".gitignore", ".gitattributes", "declarative.md", "journal.jsonl", "archive"})


def clean(hand: Hand) -> None:
    """What git would remove, faster than git does."""
    for path in hand.storm.root.iterdir():
        if path.name not in TRACKED:
            with contextlib.suppress(OSError):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
    hand.pause(0.1)


def clean_with_git(hand: Hand) -> None:
    # Below .memory only: what the storm notes about itself lies beside it.
    subprocess.run(["git", "clean", "-fdxq"], cwd=hand.storm.root, check=False, stderr=subprocess.DEVNULL)
    hand.pause(0.1)


def repository(storm: Storm) -> None:
    """A store whose files git tracks."""
    memory = Hand(storm).memory()
    memory.init(shared=True)
    noted = memory.remember(Request(text=whole("the first"), tags=("t",), score="9")).data["id"]
    memory.boost(noted)
    for arguments in (["init", "-q"], ["add", ".memory"]):
        subprocess.run(["git", *arguments], cwd=storm.folder, check=True, stdout=subprocess.DEVNULL)


def forget(hand: Hand) -> None:
    text = hand.text()
    noted = hand.memory().remember(Request(text=text, tags=("t",), score="9")).data["id"]
    hand.memory().forget(noted)
    hand.storm.ended.add(text)


def decay(hand: Hand) -> None:
    with contextlib.suppress(StoreError):  # the archive's new file was taken away before it had its name
        hand.memory().decay(Plan(compact=True))
    hand.pause(0.2)


@pytest.mark.usefixtures("_unlimited")
def test_a_clean_repository(tmp_path: Path, all_faults: bool, report: Callable[[str], None]) -> None:
    (tmp_path / "repository").mkdir()
    storm = Storm(tmp_path / "repository", seed=17, seconds=60 if all_faults else 4, delays=0.3)
    Hand(storm).memory().init(shared=True)
    if all_faults:
        repository(storm)
    at_work = [Worker(step) for step in [write] * 20 + [read] * 2 + [forget, decay]]
    storm.run([*at_work, Worker(clean_with_git if all_faults else clean, mortal=False)], kills=5)
    check(storm)
    report(storm.figures())
