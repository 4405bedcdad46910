"""Readers who look all the while see everything that was acknowledged before they began, whatever else happens."""

import contextlib
import datetime
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.api import Filters, Message, Plan, Refused, Request
from tests.faults.aftermath import check
from tests.faults.weather import EVERYTHING, Hand, Storm, Worker, check_recall, read, write

pytestmark = pytest.mark.thorough

HOURS = datetime.timedelta(hours=3)


def run_recall(hand: Hand) -> None:
    """A reader in a process of its own; now and then it is killed, also while it builds the cache."""
    known, ended = hand.storm.acknowledged.read(), hand.storm.ended.read()
    command = [sys.executable, "-m", "promptx_mem", "--memory-dir", str(hand.storm.root)]
    command += ["recall", "#t", "-n", str(EVERYTHING.count), "--json"]
    with hand.timed("recall in a process"), subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        if hand.chance.random() < 0.3:
            hand.pause(0.4)
            process.kill()
            return
        assert process.stdout is not None
        said = json.load(process.stdout)
    assert process.returncode == 0, said
    check_recall(known, ended, {item["text"] for item in said["memories"]})
    hand.pause(1)


def run_remember(hand: Hand) -> None:
    text = hand.text()
    command = [sys.executable, "-c", "from promptx_mem.store import audit; audit.MAX_SCORINGS = 10 ** 9\n"]
    command[-1] += "from promptx_mem.__main__ import main; main()"
    command += ["--memory-dir", str(hand.storm.root), "remember", text, "-t", "t", "--score", "9"]
    with hand.timed("remember in a process"), subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        if hand.chance.random() < 0.3:
            hand.pause(0.4)
            process.kill()
    assert process.returncode in (0, 5, -9)
    if process.returncode == 0:
        hand.storm.acknowledged.add(text)


def keep(hand: Hand) -> None:
    """One memory of this worker's own, and something that happens to it; each step has its own idea of the time."""
    text = hand.text()
    with hand.timed("change"):
        noted = hand.memory().remember(Request(text=text, tags=("t",), score="9", duration="长期")).data["id"]
        hand.chance.choice((_boost, _forget, _restore, _update, _verify))(hand, noted, text)


def _boost(hand: Hand, noted: str, text: str) -> None:
    """Boosts hours apart open a review, which is answered."""
    for step in range(1, 5):
        hand.memory(step * HOURS).boost(noted)
    with contextlib.suppress(Refused):  # no review: a worker whose clock is ahead of this one's has boosted before
        hand.memory(5 * HOURS).review(noted, hand.chance.choice(("keep", "promote")))
    hand.storm.acknowledged.add(text)


def _forget(hand: Hand, noted: str, text: str) -> None:
    hand.memory().forget(noted, purge=hand.chance.random() < 0.2)
    hand.storm.ended.add(text)


def _restore(hand: Hand, noted: str, text: str) -> None:
    hand.memory(HOURS).forget(noted)
    hand.pause(0.05)  # long enough for a decay to archive it
    hand.memory(-HOURS).restore(noted)
    hand.storm.acknowledged.add(text)


def _update(hand: Hand, noted: str, text: str) -> None:
    later = hand.text()
    hand.memory().remember(Request(text=later, tags=("t",), score="9", duration="长期", update=noted))
    hand.storm.ended.add(text)
    hand.storm.acknowledged.add(later)


def _verify(hand: Hand, noted: str, text: str) -> None:
    hand.memory().verify(noted)
    hand.storm.acknowledged.add(text)


def converse(hand: Hand) -> None:
    with hand.timed("converse"):
        hand.memory().converse([Message("user", hand.text()) for _ in range(8)])
    hand.pause(0.1)


def decay(hand: Hand) -> None:
    with hand.timed("decay"):
        hand.memory().decay(Plan(compact=hand.chance.random() < 0.7))
    hand.pause(0.1)


def look(hand: Hand) -> None:
    """The index is made, the audit log read, the store checked: whatever they say, none of them fails."""
    memory = hand.memory()
    with hand.timed("index"):
        memory.index()
    memory.audit(Filters())
    memory.reviews()
    if hand.chance.random() < 0.2:
        memory.audit_verify()
    hand.pause(0.1)


def workers(*kinds: tuple[int, Callable[[Hand], object]]) -> list[Worker]:
    """So many of each kind; real processes kill their own."""
    own = (run_recall, run_remember)
    return [Worker(step, mortal=step not in own) for count, step in kinds for _ in range(count)]


@pytest.mark.usefixtures("_unlimited")
def test_everything_at_once(tmp_path: Path, all_faults: bool, report: Callable[[str], None]) -> None:
    storm = Storm(tmp_path, seed=7, seconds=60 if all_faults else 4, delays=0.3)
    at_work = workers((16, write), (4, read), (2, keep), (1, run_recall), (1, run_remember), (1, converse), (1, decay))
    # Those who are a day behind and the others take each other's audit records for old ones, which rotation drops.
    at_work += [Worker(look), *(Worker(write, -datetime.timedelta(days=1)) for _ in range(4))]
    storm.run(at_work, kills=10)
    check(storm)
    report(storm.figures())
    assert len(storm.acknowledged.read()) > 1
