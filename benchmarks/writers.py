"""Concurrent writers of a store: acknowledged memories per second, and the longest wait for one.

python -m benchmarks.writers [--memories 1000] [--seconds 5] [--json]

Each writer is a process that remembers one text after the other. `queue`: commands that all wait for a held lock; the
time from its release until the last of them has exited.
"""

import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.speed import corpus
from promptx_mem.core.request import Request
from promptx_mem.errors import BusyError
from promptx_mem.memory import Memory
from promptx_mem.store import audit, layout
from promptx_mem.store.append import Lock
from promptx_mem.usecases.recall import Cues

WRITERS = (1, 4, 20)
STARTED_SECONDS = 5.0
"""Seconds for the processes of the queue to start, on systems that do not show that they wait."""

COMMAND = [sys.executable, "-m", "promptx_mem", "--memory-dir"]
QUIET = subprocess.DEVNULL


def measure(memories: int = 1_000, seconds: float = 5.0, writers: tuple[int, ...] = WRITERS) -> dict[str, Any]:
    """Return by number of writers: memories per second, longest wait in ms, and number that gave up (exit 5)."""
    found: dict[str, Any] = {"memories": memories, "seconds": seconds, "writers": {}}
    for count in writers:
        with tempfile.TemporaryDirectory() as folder:
            found["writers"][str(count)] = _at_once(_store(Path(folder), memories), count, seconds)
    with tempfile.TemporaryDirectory() as folder:
        found["queue"] = _queue(_store(Path(folder), memories), writers[-1])
    return found


def _store(folder: Path, memories: int) -> Path:
    root = folder / ".memory"
    root.mkdir()
    corpus.fill(root, memories, datetime.datetime.now().astimezone())
    Memory(layout.at(str(root)), "writers").recall(Cues(touch=False))
    return root


def _at_once(root: Path, count: int, seconds: float) -> dict[str, float]:
    notes = root.parent / "notes"
    begin = time.monotonic()
    pids = [_start(root, notes, writer, begin + seconds) for writer in range(count)]
    if any(os.waitpid(pid, 0)[1] for pid in pids):
        raise RuntimeError("a writer failed")
    taken = time.monotonic() - begin
    waits = [line.split() for line in notes.read_text().splitlines()]
    done = sorted(float(wait) for verdict, wait in waits if verdict == "stored")
    return {
        "per_second": round(len(done) / taken, 1),
        "median_ms": round(1_000 * done[len(done) // 2], 1),
        "longest_ms": round(1_000 * done[-1], 1),
        "busy": len(waits) - len(done),
    }


def _start(root: Path, notes: Path, writer: int, until: float) -> int:
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            _write(root, notes, writer, until)
            status = 0
        finally:
            os._exit(status)
    return pid


def _write(root: Path, notes: Path, writer: int, until: float) -> None:
    audit.MAX_SCORINGS = 1_000_000  # the daily limit is not measured
    number = 0
    with notes.open("a", buffering=1) as file:
        while time.monotonic() < until:
            number += 1
            begin = time.monotonic()
            try:
                memory = Memory(layout.at(str(root)), f"writer {writer}")
                memory.remember(Request(f"writer {writer} 的第 {number} 件事", tags=("t",), score="8"))
                verdict = "stored"
            except BusyError:
                verdict = "busy"
            file.write(f"{verdict} {time.monotonic() - begin}\n")


def _queue(root: Path, count: int) -> dict[str, float]:
    """Return the time of a queue of commands, including the end of their processes."""
    lock = layout.at(str(root)).lock
    with Lock(lock, 0o600).hold():
        running = [
            subprocess.Popen(
                [*COMMAND, str(root), "remember", f"第 {n} 个排队的", "-t", "t", "--score", "8"],
                stdout=QUIET,
                stderr=QUIET,
            )
            for n in range(count)
        ]
        _wait_for(running, lock)
    begin = time.monotonic()
    failed = sum(process.wait() != 0 for process in running)
    return {"writers": count, "last_ms": round(1_000 * (time.monotonic() - begin), 1), "failed": failed}


def _wait_for(running: list[subprocess.Popen[bytes]], lock: str) -> None:
    """Wait until every process has opened the lock file, on systems that show this."""
    until = time.monotonic() + STARTED_SECONDS
    while time.monotonic() < until and not all(_has_open(process.pid, lock) for process in running):
        time.sleep(0.05)
    time.sleep(0.1)


def _has_open(pid: int, path: str) -> bool:
    try:
        return any(os.path.samefile(f"/proc/{pid}/fd/{fd}", path) for fd in os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return False


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.writers", description=__doc__)
    parser.add_argument("--memories", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measure(options.memories, options.seconds)
    if options.json:
        print(json.dumps(found))
        return
    print("| writers | acknowledged a second | median ms | longest ms | gave up |")
    for count, one in found["writers"].items():
        print(f"| {count} | {one['per_second']} | {one['median_ms']} | {one['longest_ms']} | {one['busy']} |")
    queue = found["queue"]
    failed = f", {queue['failed']} failed" if queue["failed"] else ""
    print(f"{queue['writers']} command lines that waited: done {queue['last_ms']} ms after the lock's release{failed}")


if __name__ == "__main__":
    main()
