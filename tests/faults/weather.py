"""A storm: many processes use one store for a time; some are killed at random and started again.

Acknowledged texts go to a log that readers read before they recall.
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
from tests.inside import short_hash

MARK = "❄"
"""Ends every text of a storm, before a checksum, so that readers recognise a partial text."""

EVERYTHING = Cues(tags=("t",), count=10_000)


def with_checksum(body: str) -> str:
    return f"{body} {MARK}{short_hash(body.encode(), 4)}"


def has_checksum(text: str) -> bool:
    return with_checksum(text.rpartition(f" {MARK}")[0]) == text


def start(work: Callable[[], object]) -> int:
    """Run a function in a child process and return its process id."""
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
    """Wait for a child and return its exit status."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@contextlib.contextmanager
def meanwhile(work: Callable[[], object]) -> Iterator[None]:
    """Repeat a function in another process."""

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
        """Texts whose end was acknowledged: recall must not show them."""
        return Log(self.folder / "ended")

    @property
    def counts(self) -> Log:
        return Log(self.folder / "counts")

    @property
    def faults(self) -> Log:
        return Log(self.folder / "faults")

    def _failures(self) -> str:
        return self.faults.path.read_text() if self.faults.path.exists() else "a worker failed without a message"

    def run(self, workers: list["Worker"], *, kills: float) -> None:
        """Run the workers; about `kills` of them per second are killed and started again under another number."""
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
                assert ended(pid) in (-signal.SIGKILL, 0), self._failures()
                self.killed += 1
                number += 1
                running[self._start(worker, number)] = worker
            while running:
                pid, worker = running.popitem()
                assert ended(pid) == 0, self._failures()
        finally:
            for pid in running:
                os.kill(pid, signal.SIGKILL)
                ended(pid)

    def _start(self, worker: "Worker", number: int) -> int:
        def work() -> None:
            chance = random.Random(self.seed * 10_000 + number)
            if chance.random() < self.delays:
                slow_down(chance)
            actor = Actor(self, number, chance, worker.shift)
            try:
                actor.work(worker.step)
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
    """The repeated step of one process. `shift`: the error of its clock; `mortal`: it may be killed."""

    step: Callable[["Actor"], object]
    shift: datetime.timedelta = datetime.timedelta()
    mortal: bool = True


@dataclass
class Actor:
    """A running worker."""

    storm: Storm
    number: int = 0
    chance: random.Random = field(default_factory=lambda: random.Random(0))
    shift: datetime.timedelta = datetime.timedelta()
    count: int = 0

    def memory(self, shift: datetime.timedelta = datetime.timedelta()) -> Memory:
        """Open the store with this worker's clock."""
        clock = self.shift + shift
        where = layout.at(str(self.storm.root))
        return Memory(where, f"worker {self.number % 7}", clock=lambda: datetime.datetime.now().astimezone() + clock)

    def text(self) -> str:
        self.count += 1
        return with_checksum(f"{self.chance.randbytes(12).hex()} 第 {self.number} 个进程的第 {self.count} 件事")

    def pause(self, most: float) -> None:
        time.sleep(self.chance.random() * most)

    @contextlib.contextmanager
    def timed(self, what: str) -> Iterator[None]:
        """Record how long the block took."""
        begin = time.monotonic()
        yield
        self.storm.counts.add(f"{what} {time.monotonic() - begin}")

    def work(self, step: Callable[["Actor"], object]) -> None:
        """Repeat a step until the storm is over. A busy store is not an error here: nothing happened."""
        while time.monotonic() < self.storm.deadline:
            begin = time.monotonic()
            try:
                step(self)
            except BusyError:
                self.storm.counts.add(f"busy {time.monotonic() - begin}")


def slow_down(chance: random.Random) -> None:
    """Sleep sometimes before a system call of the store."""

    def fault(_number: int, _name: str, real: Call, args: tuple[object, ...], kwargs: dict[str, object]) -> object:
        if chance.random() < 0.02:
            time.sleep(chance.expovariate(500))
        return real(*args, **kwargs)

    shim = FaultyOs(fault)
    for module in faulty_os.modules():
        module.os = shim  # type: ignore[attr-defined]


def write(actor: Actor) -> None:
    text = actor.text()
    with actor.timed("remember"):
        actor.memory().remember(Request(text=text, tags=("t",), score="9", duration="长期"))
        actor.storm.acknowledged.add(text)


def read(actor: Actor) -> None:
    """Check that a recall shows every text acknowledged before it, no ended text, and no partial text."""
    known, ended = actor.storm.acknowledged.read(), actor.storm.ended.read()
    with actor.timed("recall"):
        found = {item["text"] for item in actor.memory().recall(EVERYTHING).data["memories"]}
    check_recall(known, ended, found)
    actor.pause(1)


def check_recall(known: set[str], ended: set[str], found: set[str]) -> None:
    missing = known - found
    assert not missing, f"{len(missing)} of {len(known)} are missing, {len(found)} were found: {sorted(missing)[:3]}"
    assert not ended & found
    assert [text for text in found if not has_checksum(text)] == []
