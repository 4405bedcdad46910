"""Comparison with other programs: the same work in the same rounds, and 20 concurrent writers."""

import shutil
import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.speed import corpus
from benchmarks.speed.peers.basic_memory import BasicMemory
from benchmarks.speed.peers.floor import Floor
from benchmarks.speed.peers.jrnl import Jrnl
from benchmarks.speed.peers.mcp_memory import McpMemory
from benchmarks.speed.peers.mem0 import Mem0
from benchmarks.speed.peers.peer import Peer, Unavailable
from benchmarks.speed.peers.promptx import PromptX
from benchmarks.speed.peers.qmd import Qmd
from benchmarks.speed.process import Launcher, at_once
from benchmarks.speed.rows import FACTS
from benchmarks.speed.sampling import Failed, Job, summary, warm

PEERS: dict[str, type[Peer]] = {
    "promptx": PromptX,
    "jrnl": Jrnl,
    "qmd": Qmd,
    "mcp-memory": McpMemory,
    "basic-memory": BasicMemory,
    "mem0": Mem0,
    "floor": Floor,
}
WRITERS = 20
STORMS = 3
SLOW, SLOW_EVERY = (BasicMemory, Mem0), 8
"""Programs that take seconds to start. They run only at the smallest size, in every eighth round, with one storm."""


class Side:
    """One compared program: its jobs at every size, how many of 20 facts it keeps, or why it is not measured.

    An error of a `strict` one ends the measurement.
    """

    def __init__(self, peer: Peer, *, strict: bool = False) -> None:
        self.peer = peer
        self.strict = strict
        self.is_slow = isinstance(peer, SLOW)
        self.why = ""
        self._jobs: dict[tuple[int, str], Job] = {}
        self._kept: list[tuple[int, int]] = []

    def prepare(self, scratch: Path, home: Path, sizes: Sequence[int], launcher: Launcher) -> list[Job]:
        """Install, load and try the program, and run its writers. On an error, record the reason."""
        print(f"preparing {self.peer.name}", file=sys.stderr)
        try:
            self.peer.set_up(home)
            for size in sizes[:1] if self.is_slow else sizes:
                self._load(scratch / type(self.peer).__name__ / str(size), size, launcher)
            self._kept = [self._storm(scratch / "storm", min(sizes), n) for n in range(1 if self.is_slow else STORMS)]
        except (Unavailable, Failed, OSError) as error:
            if self.strict:
                raise
            self.why = str(error)
            self._jobs = {}
        return list(self._jobs.values())

    def _load(self, folder: Path, size: int, launcher: Launcher) -> None:
        self.peer.load(folder, list(corpus.texts(size)))
        word = corpus.USUAL[0]
        write = Job((self.peer.name, size, "write"), lambda run: self.peer.write(folder, FACTS[run]))
        search = Job((self.peer.name, size, "search"), lambda _: self.peer.search(folder, word), word)
        for name, job in (("write", write), ("search", search)):
            job.strict, job.every = self.strict, SLOW_EVERY if self.is_slow else 1
            warm(launcher, job)
            self._jobs[size, name] = job
        if FACTS[0] not in self.peer.kept(folder):
            raise Failed(f"what {self.peer.name} has written is not in its store")

    def _storm(self, folder: Path, size: int, number: int) -> tuple[int, int]:
        """Return how many facts are kept of 20 concurrent writers, and how many of these exited with 0."""
        self.peer.load(folder, list(corpus.texts(size)))
        facts = list(islice(FACTS, number * WRITERS, (number + 1) * WRITERS))
        statuses = at_once([self.peer.write(folder, fact) for fact in facts])
        there = self.peer.kept(folder)
        shutil.rmtree(folder)
        return sum(fact in there for fact in facts), statuses.count(0)

    def result(self, bare: float) -> dict[str, Any]:
        """Return all results of the program."""
        sizes: dict[str, dict[str, Any]] = {}
        for (size, name), job in self._jobs.items():
            if failed := sum(ran.status != 0 for ran in job.runs):
                self.why = f"at {size:,} memories {failed} of {len(job.runs)} runs of {name} failed"
                continue
            sizes.setdefault(str(size), {})[name] = summary(job.runs, bare)
        found = {"name": self.peer.name, "sizes": sizes, "of": WRITERS}
        found["kept"], found["exit_0"] = sorted(kept for kept, _ in self._kept), sorted(good for _, good in self._kept)
        found["floor"] = isinstance(self.peer, Floor)
        return found | ({"why": self.why} if self.why else {})
