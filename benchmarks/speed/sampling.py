"""Round robin over all commands, so that other load on the machine affects all of them equally."""

import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from benchmarks.speed.process import Command, Launcher, Ran


@dataclass(slots=True)
class Job:
    """One command on one store; `command` returns its n-th run, and may first prepare the store.

    If a `strict` one fails, the measurement ends; any other one loses its row. It runs in `every` n-th round.
    """

    key: tuple[str | int, ...]
    command: Callable[[int], Command]
    expects: str = ""
    strict: bool = True
    every: int = 1
    runs: list[Ran] = field(default_factory=list)


class Failed(Exception):  # noqa: N818 - a command that fails has no time
    """A command did not do its work."""


def warm(launcher: Launcher, job: Job) -> None:
    """Run a job once without measuring it, and check its output."""
    ran = launcher.run(job.command(0), keep=True)
    if ran.status or job.expects.lower() not in ran.out.lower():
        raise Failed(f"{job.key}: status {ran.status}: {ran.out[-500:]}")


def interleave(launcher: Launcher, bare: Command, jobs: list[Job], rounds: int) -> list[Ran]:
    """Run every job once in each of its rounds, and `bare` before each 20 jobs; return the runs of `bare`."""
    plain = []
    for number in range(1, rounds + 1):
        for place, job in enumerate(jobs):
            if place % 20 == 0:
                plain.append(launcher.run(bare))
            if (number - 1) % job.every:
                continue
            job.runs.append(ran := launcher.run(job.command(number)))
            if ran.status and job.strict:
                raise Failed(f"{job.key}: status {ran.status} in round {number}")
        print(f"\rround {number} of {rounds}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return plain


def summary(runs: list[Ran], bare: float | None = None) -> dict[str, Any]:
    """Return median, quartiles, ratio to the bare interpreter's median, and the median of the peak memory."""
    times = [ran.ms for ran in runs]
    low, middle, high = statistics.quantiles(times, n=4, method="inclusive") if len(times) > 1 else times * 3
    return {
        "ms": round(middle, 2),
        "q1": round(low, 2),
        "q3": round(high, 2),
        "ratio": round(middle / (bare or middle), 2),
        "mb": round(statistics.median(ran.mb for ran in runs), 1),
    }
