"""Readers see everything acknowledged before their recall began, during all kinds of writes."""

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
from tests.faults.weather import EVERYTHING, Actor, Storm, Worker, check_recall, read, write

pytestmark = pytest.mark.thorough

HOURS = datetime.timedelta(hours=3)


def run_recall(actor: Actor) -> None:
    """Recall in a separate process that is sometimes killed, also while it builds the cache."""
    known, ended = actor.storm.acknowledged.read(), actor.storm.ended.read()
    command = [sys.executable, "-m", "promptx_mem", "--memory-dir", str(actor.storm.root)]
    command += ["recall", "#t", "-n", str(EVERYTHING.count), "--json"]
    with actor.timed("recall in a process"), subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        if actor.chance.random() < 0.3:
            actor.pause(0.4)
            process.kill()
            return
        assert process.stdout is not None
        said = json.load(process.stdout)
    assert process.returncode == 0, said
    check_recall(known, ended, {item["text"] for item in said["memories"]})
    actor.pause(1)


def run_remember(actor: Actor) -> None:
    text = actor.text()
    command = [sys.executable, "-c", "from promptx_mem.store import audit; audit.MAX_SCORINGS = 10 ** 9\n"]
    command[-1] += "from promptx_mem.__main__ import main; main()"
    command += ["--memory-dir", str(actor.storm.root), "remember", text, "-t", "t", "--score", "9"]
    with actor.timed("remember in a process"), subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        if actor.chance.random() < 0.3:
            actor.pause(0.4)
            process.kill()
    assert process.returncode in (0, 5, -9)
    if process.returncode == 0:
        actor.storm.acknowledged.add(text)


def edit(actor: Actor) -> None:
    """Record a memory and change it; each step has its own clock."""
    text = actor.text()
    with actor.timed("change"):
        noted = actor.memory().remember(Request(text=text, tags=("t",), score="9", duration="长期")).data["id"]
        actor.chance.choice((_boost, _forget, _restore, _update, _verify))(actor, noted, text)


def _boost(actor: Actor, noted: str, text: str) -> None:
    """Boost a memory hours apart and answer the review that this opens."""
    for step in range(1, 5):
        actor.memory(step * HOURS).boost(noted)
    with contextlib.suppress(Refused):  # no review: a worker whose clock is ahead has boosted before
        actor.memory(5 * HOURS).review(noted, actor.chance.choice(("keep", "promote")))
    actor.storm.acknowledged.add(text)


def _forget(actor: Actor, noted: str, text: str) -> None:
    actor.memory().forget(noted, purge=actor.chance.random() < 0.2)
    actor.storm.ended.add(text)


def _restore(actor: Actor, noted: str, text: str) -> None:
    actor.memory(HOURS).forget(noted)
    actor.pause(0.05)  # long enough for a decay to archive it
    actor.memory(-HOURS).restore(noted)
    actor.storm.acknowledged.add(text)


def _update(actor: Actor, noted: str, text: str) -> None:
    later = actor.text()
    actor.memory().remember(Request(text=later, tags=("t",), score="9", duration="长期", update=noted))
    actor.storm.ended.add(text)
    actor.storm.acknowledged.add(later)


def _verify(actor: Actor, noted: str, text: str) -> None:
    actor.memory().verify(noted)
    actor.storm.acknowledged.add(text)


def converse(actor: Actor) -> None:
    with actor.timed("converse"):
        actor.memory().converse([Message("user", actor.text()) for _ in range(8)])
    actor.pause(0.1)


def decay(actor: Actor) -> None:
    with actor.timed("decay"):
        actor.memory().decay(Plan(compact=actor.chance.random() < 0.7))
    actor.pause(0.1)


def check_store(actor: Actor) -> None:
    """Build the index, read the audit log and check the store; none of this fails."""
    memory = actor.memory()
    with actor.timed("index"):
        memory.index()
    memory.audit(Filters())
    memory.reviews()
    if actor.chance.random() < 0.2:
        memory.audit_verify()
    actor.pause(0.1)


def workers(*kinds: tuple[int, Callable[[Actor], object]]) -> list[Worker]:
    """Return a number of workers of each kind; steps with processes kill these themselves."""
    own = (run_recall, run_remember)
    return [Worker(step, mortal=step not in own) for count, step in kinds for _ in range(count)]


@pytest.mark.usefixtures("_unlimited")
def test_readers_see_every_acknowledged_text(tmp_path: Path, all_faults: bool, report: Callable[[str], None]) -> None:
    storm = Storm(tmp_path, seed=7, seconds=60 if all_faults else 4, delays=0.3)
    at_work = workers((16, write), (4, read), (2, edit), (1, run_recall), (1, run_remember), (1, converse), (1, decay))
    # Workers whose clocks differ by a day treat each other's audit records as old, so rotation drops them.
    at_work += [Worker(check_store), *(Worker(write, -datetime.timedelta(days=1)) for _ in range(4))]
    storm.run(at_work, kills=10)
    check(storm)
    report(storm.figures())
    assert len(storm.acknowledged.read()) > 1
