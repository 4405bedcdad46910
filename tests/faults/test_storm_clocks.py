"""Hosts whose clocks differ by days, and one whose clock runs backwards, write to one store and read each other."""

import datetime
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.api import Plan, Request
from tests.faults.aftermath import check
from tests.faults.scenes import states
from tests.faults.weather import EVERYTHING, Hand, Storm, Worker, check_recall, read, whole, write

pytestmark = pytest.mark.thorough

DAYS = datetime.timedelta(days=3)
HOUR = datetime.timedelta(hours=1)
SHIFTS = (-DAYS, -HOUR, datetime.timedelta(), HOUR, DAYS)

SHIFTED = """
import datetime, sys
from promptx_mem.memory import Memory
shift = datetime.timedelta(seconds=float(sys.argv.pop(1)))
Memory.__init__.__defaults__ = None, lambda: datetime.datetime.now().astimezone() + shift, None
from promptx_mem.__main__ import main
main()
"""


def write_backwards(hand: Hand) -> None:
    """Each memory is noted an hour before the last one."""
    text = hand.text()
    hand.memory(-hand.count * HOUR).remember(Request(text=text, tags=("t",), score="9", duration="长期"))
    hand.storm.acknowledged.add(text)


def argue(hand: Hand) -> None:
    """Forgotten and restored in turn by hosts of any clock: what was said last holds."""
    text = hand.text()
    noted = hand.memory(hand.chance.choice(SHIFTS)).remember(Request(text=text, tags=("t",), score="9")).data["id"]
    lives = True
    for _ in range(hand.chance.randrange(1, 5)):
        memory = hand.memory(hand.chance.choice(SHIFTS))
        memory.forget(noted) if lives else memory.restore(noted)
        lives = not lives
    (hand.storm.acknowledged if lives else hand.storm.ended).add(text)


def decay(hand: Hand) -> None:
    hand.memory(hand.chance.choice(SHIFTS)).decay(Plan(compact=hand.chance.random() < 0.5))
    hand.pause(0.1)


@pytest.mark.usefixtures("_unlimited")
def test_clocks_that_differ_by_days(tmp_path: Path, all_faults: bool, report: Callable[[str], None]) -> None:
    storm = Storm(tmp_path, seed=11, seconds=60 if all_faults else 3)
    at_work = [Worker(step, shift) for shift in SHIFTS for step in (write, write, argue, read)]
    storm.run([*at_work, Worker(write_backwards), Worker(decay), Worker(decay)], kills=5)
    check(storm)
    report(storm.figures())
    assert len(storm.acknowledged.read()) > 1


def test_processes_with_other_clocks(tmp_path: Path) -> None:
    """Three days ahead, behind, at the same time: each of them finds at once what any of them has noted."""
    storm = Storm(tmp_path, seed=12, seconds=0)
    for number, writer in enumerate((DAYS, -DAYS, -HOUR, DAYS)):
        text = whole(f"第 {number} 件事")
        run(storm, writer, "remember", text, "-t", "t", "--score", "9")
        storm.acknowledged.add(text)
        assert text in run(storm, -writer, "recall", text)
        for reader in SHIFTS:
            check_recall(storm.acknowledged.read(), set(), recalled(Hand(storm, shift=reader)))
    check(storm)
    noted = [state.entry.at for _, state in sorted(states(storm.root).items()) if "件事" in state.entry.text]
    assert sorted(noted, key=lambda at: datetime.datetime.fromisoformat(str(at))) == [
        noted[1],
        noted[2],
        noted[0],
        noted[3],
    ]


def run(storm: Storm, shift: datetime.timedelta, *arguments: str) -> str:
    command = [sys.executable, "-c", SHIFTED, str(shift.total_seconds()), "--memory-dir", str(storm.root)]
    return subprocess.run([*command, *arguments], capture_output=True, check=True).stdout.decode()


def recalled(hand: Hand) -> set[str]:
    return {item["text"] for item in hand.memory().recall(EVERYTHING).data["memories"]}
