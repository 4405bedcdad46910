"""A storm: many processes at one store until its time is over, some killed at random and begun again.

What was acknowledged goes to a log that any reader may look into before it recalls.
"""

import contextlib
import datetime
import os
import random
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.api import BusyError, Cues, Memory, Request, layout
from tests.faults import faulty_os
from tests.faults.faulty_os import Call, FaultyOs
from tests.inside import digest

MARK = "❄"
"""Ends every text that a storm notes, before a checksum: so any reader can tell a whole text from half of one."""

EVERYTHING = Cues(tags=("t",), count=10_000)


def whole(body: str) -> str:
    return f"{body} {MARK}{digest(body.encode(), 4)}"


def is_whole(text: str) -> bool:
    return whole(text.rpartition(f" {MARK}")[0]) == text


def start(work: Callable[[], object]) -> int:
    """Run something in a child process; returns its number."""
    pid = os.fork()
    if pid == 0:
        status = 70
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return pid


def ended(pid: int) -> int:
    """Wait for a child; its exit status."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@contextlib.contextmanager
def meanwhile(work: Callable[[], object]) -> Iterator[None]:
    """Do something again and again in another process."""

    def again() -> None:
        while True:
            work()

    pid = start(again)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGKILL)
        assert ended(pid) == -signal.SIGKILL, "the stranger failed"


@dataclass(frozen=True)
class Log:
    """Lines that processes append, each in one write; a line cut short by a kill was never acknowledged."""

    path: Path

    def add(self, *lines: str) -> None:
        with self.path.open("ab", buffering=0) as file:
            file.write("".join(f"{line}\n" for line in lines).encode())

    def read(self) -> set[str]:
        data = self.path.read_bytes() if self.path.exists() else b""
        return set(data[: data.rfind(b"\n") + 1].decode().splitlines())

    def figures(self) -> list[tuple[str, float]]:
        data = self.path.read_text().splitlines() if self.path.exists() else []
        return [(name, float(value)) for name, value in (line.rsplit(" ", 1) for line in data)]


@dataclass
class Storm:
    """One store, its logs, and the time at which every worker stops."""

    folder: Path
    seed: int
    seconds: float
    delays: float = 0.0
    killed: int = 0
    deadline: float = field(default_factory=time.monotonic)

    @property
    def root(self) -> Path:
        return self.folder / ".memory"

    @property
    def acknowledged(self) -> Log:
        return Log(self.folder / "acknowledged")

    @property
    def ended(self) -> Log:
        """What was forgotten or superseded, acknowledged: it must not be recalled any more."""
        return Log(self.folder / "ended")

    @property
    def counts(self) -> Log:
        return Log(self.folder / "counts")

    @property
    def faults(self) -> Log:
        return Log(self.folder / "faults")

    def _told(self) -> str:
        return self.faults.path.read_text() if self.faults.path.exists() else "a worker failed without a word"

    def run(self, workers: list["Worker"], *, kills: float) -> None:
        """Let the workers loose; about `kills` of them a second are killed and begin again under another number."""
        chance = random.Random(self.seed)
        self.deadline = time.monotonic() + self.seconds
        running: dict[int, Worker] = {}
        number = 0
        for worker in workers:
            number += 1
            running[self._start(worker, number)] = worker
        try:
            while kills and time.monotonic() < self.deadline:
                time.sleep(chance.expovariate(kills))
                pid = chance.choice([pid for pid, worker in running.items() if worker.mortal])
                os.kill(pid, signal.SIGKILL)
                worker = running.pop(pid)
                assert ended(pid) in (-signal.SIGKILL, 0), self._told()
                self.killed += 1
                number += 1
                running[self._start(worker, number)] = worker
            while running:
                pid, worker = running.popitem()
                assert ended(pid) == 0, self._told()
        finally:
            for pid in running:
                os.kill(pid, signal.SIGKILL)
                ended(pid)

    def _start(self, worker: "Worker", number: int) -> int:
        def work() -> None:
            chance = random.Random(self.seed * 10_000 + number)
            if chance.random() < self.delays:
                slow_down(chance)
            hand = Hand(self, number, chance, worker.shift)
            try:
                hand.work(worker.step)
            except BaseException:
                self.faults.add(traceback.format_exc())
                raise

        return start(work)

    def figures(self) -> str:
        counted: dict[str, list[float]] = {}
        for name, value in self.counts.figures():
            counted.setdefault(name, []).append(value)
        told = [f"{name} {len(values)}, longest {max(values):.2f} s" for name, values in sorted(counted.items())]
        return f"{self.seconds:g} s: {self.killed} killed; {len(self.acknowledged.read())} acknowledged; " + "; ".join(
            told
        )


@dataclass(frozen=True)
class Worker:
    """What one process does again and again. `shift`: how wrong its clock is; `mortal`: it may be killed."""

    step: Callable[["Hand"], object]
    shift: datetime.timedelta = datetime.timedelta()
    mortal: bool = True


@dataclass
class Hand:
    """A worker in its process."""

    storm: Storm
    number: int = 0
    chance: random.Random = field(default_factory=lambda: random.Random(0))
    shift: datetime.timedelta = datetime.timedelta()
    count: int = 0

    def memory(self, shift: datetime.timedelta = datetime.timedelta()) -> Memory:
        """A new look at the store, by this worker's clock."""
        clock = self.shift + shift
        where = layout.at(str(self.storm.root))
        return Memory(where, f"worker {self.number % 7}", clock=lambda: datetime.datetime.now().astimezone() + clock)

    def text(self) -> str:
        self.count += 1
        return whole(f"{self.chance.randbytes(12).hex()} 第 {self.number} 个进程的第 {self.count} 件事")

    def pause(self, most: float) -> None:
        time.sleep(self.chance.random() * most)

    @contextlib.contextmanager
    def timed(self, what: str) -> Iterator[None]:
        """Note how long it took."""
        begin = time.monotonic()
        yield
        self.storm.counts.add(f"{what} {time.monotonic() - begin}")

    def work(self, step: Callable[["Hand"], object]) -> None:
        """Until the storm is over. Being told that the store is busy is no fault here: nothing happened then."""
        while time.monotonic() < self.storm.deadline:
            begin = time.monotonic()
            try:
                step(self)
            except BusyError:
                self.storm.counts.add(f"busy {time.monotonic() - begin}")


def slow_down(chance: random.Random) -> None:
    """Sleep now and then before a call of the store's to the system."""

    def fault(_number: int, _name: str, real: Call, args: tuple[object, ...], kwargs: dict[str, object]) -> object:
        if chance.random() < 0.02:
            time.sleep(chance.expovariate(500))
        return real(*args, **kwargs)

    shim = FaultyOs(fault)
    for module in faulty_os.modules():
        module.os = shim  # type: ignore[attr-defined]


def write(hand: Hand) -> None:
    text = hand.text()
    with hand.timed("remember"):
        hand.memory().remember(Request(text=text, tags=("t",), score="9", duration="长期"))
        hand.storm.acknowledged.add(text)


def read(hand: Hand) -> None:
    """Everything acknowledged before the recall began is there, nothing that had ended, and no half of a text."""
    known, ended = hand.storm.acknowledged.read(), hand.storm.ended.read()
    with hand.timed("recall"):
        found = {item["text"] for item in hand.memory().recall(EVERYTHING).data["memories"]}
    check_recall(known, ended, found)
    hand.pause(1)


def check_recall(known: set[str], ended: set[str], found: set[str]) -> None:
    missing = known - found
    assert not missing, f"{len(missing)} of {len(known)} are missing, {len(found)} were found: {sorted(missing)[:3]}"
    assert not ended & found
    assert [text for text in found if not is_whole(text)] == []
