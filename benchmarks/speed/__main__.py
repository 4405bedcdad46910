"""Measure whole processes: every command at every size of store, and the same work by other programs.

python -m benchmarks.speed --json RESULTS.json                 promptx-mem, some minutes
python -m benchmarks.speed --peers --json RESULTS.json         also other programs, which are downloaded

pip installs the program into a new environment in a scratch folder.
"""

import argparse
import datetime
import json
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks import machine, writers
from benchmarks.speed import beside, mcp_calls, ours, setup, table
from benchmarks.speed.peers.ours import Ours
from benchmarks.speed.process import Command, Launcher, environment
from benchmarks.speed.sampling import interleave, summary, warm
from promptx_mem import __version__

SIZES = [0, 1_000, 10_000, 40_000]
PEER_SIZES = [1_000, 10_000]
MCP_MEMORIES = 10_000


def main(arguments: list[str] | None = None) -> None:
    options = _options().parse_args(arguments)
    options.memories.sort()
    options.peer_memories.sort()
    if options.scratch:
        options.scratch.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="speed-", dir=options.scratch) as folder:
        result = measure(options, Path(folder).resolve())
    if options.json:
        options.json.write_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n", "utf-8")
    print(table.tables(result))


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--rounds", type=int, default=40, choices=range(1, 901), metavar="N", help="how often every command is run"
    )
    parser.add_argument("--memories", type=int, nargs="+", default=SIZES, help="sizes of the stores")
    parser.add_argument("--peers", nargs="*", choices=beside.PEERS, help="all of them, or those named")
    parser.add_argument("--peer-memories", type=int, nargs="+", default=PEER_SIZES)
    parser.add_argument("--writers", type=int, nargs="*", default=[1, 4, 20], help="numbers of writers at once")
    parser.add_argument("--seconds", type=float, default=5.0, help="how long the writers write")
    parser.add_argument("--calls", type=int, default=30, help="calls of each MCP tool")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the results")
    parser.add_argument("--scratch", type=Path, metavar="DIR", help="where to work; installed peers stay there")
    parser.add_argument("--python", type=Path, metavar="FILE", help="measure the program beside this Python instead")
    return parser


def measure(options: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    """Return all measurements: interleaved ones first, those that use both processors last."""
    python = options.python or setup.environment_of(scratch, "environment")
    now = datetime.datetime.now().astimezone()
    bare = Command((str(python), "-c", "pass"), scratch, environment(scratch))
    with Launcher(scratch) as launcher:
        ours.stores(python, scratch, options.memories, now, launcher)
        jobs = [job for size in options.memories for job in ours.jobs(python, scratch, size, now, launcher)]
        for job in jobs:
            warm(launcher, job)
        sides = _sides(options, python)
        home = (options.scratch or scratch).resolve() / "peers"
        beside_jobs = [
            job for side in sides for job in side.prepare(scratch / "beside", home, options.peer_memories, launcher)
        ]
        plain = summary(interleave(launcher, bare, [*jobs, *beside_jobs], options.rounds))
        rebuilds = [ours.rebuilds(python, scratch, size, launcher) for size in options.memories if size]
    return {
        "v": 1,
        "version": __version__,
        "made": now.date().isoformat(),
        "machine": _machine(scratch),
        "rounds": options.rounds,
        "sizes": options.memories,
        "peer_sizes": options.peer_memories,
        "bare": plain,
        "rows": [{"name": job.key[0], "memories": job.key[1], **summary(job.runs, plain["ms"])} for job in jobs],
        "rebuild": rebuilds,
        "writers": writers.measure(seconds=options.seconds, writers=tuple(options.writers))
        if options.writers
        else None,
        "mcp": _mcp(options, scratch, now) if options.calls else None,
        "peers": [side.result(plain["ms"]) for side in sides],
    }


def _sides(options: argparse.Namespace, python: Path) -> list[beside.Side]:
    """Return our program, then the selected peers."""
    if options.peers is None:
        return []
    wanted = options.peers or beside.PEERS
    program = Ours(python.with_name("promptx-mem"), __version__)
    return [beside.Side(program, strict=True), *(beside.Side(beside.PEERS[name]()) for name in wanted)]


def _mcp(options: argparse.Namespace, scratch: Path, now: datetime.datetime) -> dict[str, Any]:
    """Measure the server in its own environment, since it needs an extra."""
    python = options.python or setup.environment_of(scratch, "environment-mcp", "[mcp]")
    folder = scratch / "mcp"
    with Launcher(scratch) as launcher:
        size = min(MCP_MEMORIES, max(options.memories))
        ours.stores(python, folder, [size], now, launcher)
    return {"memories": size, **mcp_calls.measure(python, folder / str(size), options.calls)}


def _machine(scratch: Path) -> dict[str, Any]:
    return {**machine.describe(), "sync_ms": round(statistics.median(_sync(scratch) for _ in range(30)), 3)}


def _sync(scratch: Path) -> float:
    """Return milliseconds of appending and syncing as many bytes as a memory has."""
    fd = os.open(scratch / "sync", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        begin = time.perf_counter()
        os.write(fd, b"x" * 200)
        os.fsync(fd)
        return 1000 * (time.perf_counter() - begin)
    finally:
        os.close(fd)


if __name__ == "__main__":
    main()
