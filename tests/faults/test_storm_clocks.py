"""Hosts whose clocks differ by days, or run backwards, write to one store and read it."""

import datetime
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.api import Plan, Request
from tests.faults.aftermath import check
from tests.faults.scenes import states
from tests.faults.weather import EVERYTHING, Actor, Storm, Worker, check_recall, read, with_checksum, write

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


def write_backwards(actor: Actor) -> None:
    """Record each memory an hour before the last one."""
    text = actor.text()
    actor.memory(-actor.count * HOUR).remember(Request(text=text, tags=("t",), score="9", duration="长期"))
    actor.storm.acknowledged.add(text)


def forget_and_restore(actor: Actor) -> None:
    """Forget and restore in turn with different clocks: the last command counts."""
    text = actor.text()
    noted = actor.memory(actor.chance.choice(SHIFTS)).remember(Request(text=text, tags=("t",), score="9")).data["id"]
    lives = True
    for _ in range(actor.chance.randrange(1, 5)):
        memory = actor.memory(actor.chance.choice(SHIFTS))
        memory.forget(noted) if lives else memory.restore(noted)
        lives = not lives
    (actor.storm.acknowledged if lives else actor.storm.ended).add(text)


def decay(actor: Actor) -> None:
    actor.memory(actor.chance.choice(SHIFTS)).decay(Plan(compact=actor.chance.random() < 0.5))
    actor.pause(0.1)


@pytest.mark.usefixtures("_unlimited")
def test_hosts_with_other_clocks_lose_no_text(tmp_path: Path, all_faults: bool, report: Callable[[str], None]) -> None:
    storm = Storm(tmp_path, seed=11, seconds=60 if all_faults else 2)
    at_work = [Worker(step, shift) for shift in SHIFTS for step in (write, write, forget_and_restore, read)]
    storm.run([*at_work, Worker(write_backwards), Worker(decay), Worker(decay)], kills=5)
    check(storm)
    report(storm.figures())
    assert len(storm.acknowledged.read()) > 1


def test_each_process_finds_memories_recorded_with_any_clock(tmp_path: Path) -> None:
    """The clocks are up to three days ahead or behind; each process finds every memory at once."""
    storm = Storm(tmp_path, seed=12, seconds=0)
    for number, writer in enumerate((DAYS, -DAYS, -HOUR, DAYS)):
        text = with_checksum(f"第 {number} 件事")
        run(storm, writer, "remember", text, "-t", "t", "--score", "9")
        storm.acknowledged.add(text)
        assert text in run(storm, -writer, "recall", text)
        for reader in SHIFTS:
            check_recall(storm.acknowledged.read(), set(), recalled(Actor(storm, shift=reader)))
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


def recalled(actor: Actor) -> set[str]:
    return {item["text"] for item in actor.memory().recall(EVERYTHING).data["memories"]}
