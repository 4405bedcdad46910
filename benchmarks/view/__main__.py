"""Cost of the page of a full store: to write, open, filter and scroll it, on the disk and in memory.

    python -m benchmarks.view [--memories 40000] [--rounds 5] [--json FILE]

Needs Chromium and Playwright. Prints a table. Exits with 1 if opening takes over 1 s or filtering over 100 ms.
--json saves the results, for `python -m benchmarks.view.figures`.
"""

import argparse
import datetime
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import machine
from benchmarks.speed import corpus
from benchmarks.view import browser
from benchmarks.view.results import FILTER_MS, OPEN_MS, Result
from promptx_mem import __version__
from promptx_mem.memory import Memory
from promptx_mem.store import layout
from promptx_mem.usecases.view import PageOptions

_BARE = 20


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=40_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    program = next(filter(None, map(shutil.which, browser.NAMES)), None)
    if program is None:
        print("there is no Chromium: on Debian `apt-get install chromium`", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        result = measure(Path(folder), program, options.memories, options.rounds)
    if options.json:
        options.json.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return report(result)


def measure(folder: Path, program: str, memories: int, rounds: int) -> Result:
    """Write a page of `memories` memories, and open it `rounds` times."""
    store = folder / "project" / ".memory"
    store.mkdir(parents=True)
    corpus.fill(store, memories, datetime.datetime.now().astimezone())
    start = time.perf_counter()
    data = Memory(layout.at(str(store)), "bench").view(PageOptions()).data
    written = time.perf_counter() - start
    return {
        "v": 1,
        "version": __version__,
        "made": datetime.datetime.now().astimezone().date().isoformat(),
        "machine": {**machine.describe(), "bare_ms": round(statistics.median(_bare() for _ in range(_BARE)), 1)},
        "memories": memories,
        "rounds": rounds,
        "bytes": data["bytes"],
        "written_s": round(written, 1),
        **browser.measure(store / ".view.html", program, rounds),
    }


def _bare() -> float:
    """Return milliseconds of a start of Python, with which other times of this machine are compared."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return 1000 * (time.perf_counter() - start)


def report(result: Result) -> int:
    """Print the results. Return 1 if a limit is exceeded."""
    print(f"{result['memories']:,} memories, {result['bytes'] / 1e6:.1f} MB, written in {result['written_s']:.1f} s")
    opened = result["opened"]
    print(f"opened in {opened['ms']:.0f} ms ({opened['least']:.0f}-{opened['most']:.0f}), bound {OPEN_MS:.0f} ms")
    for one in result["filters"]:
        print(f"filtered by {one['name']}: {one['ms']:.0f} ms ({one['least']:.0f}-{one['most']:.0f}), {one['left']}")
    print(f"a frame while scrolling: {result['frame_ms']:.0f} ms; JavaScript heap: {result['heap_mb']:.0f} MB")
    return int(opened["ms"] > OPEN_MS or max(one["ms"] for one in result["filters"]) > FILTER_MS)


if __name__ == "__main__":
    sys.exit(main())
