"""Compare the program's ranking with others: quality on recall data, and speed at 10,000 and 40,000 memories."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path

from benchmarks.recall import speed
from benchmarks.recall.data import DataSet, load, score, small
from benchmarks.recall.rankers import RANKERS, Ranker


def quality(ranker: Ranker, data: DataSet) -> list[float]:
    """Return the mean scores over the questions, in percent."""
    searches = {name: ranker(memories) for name, memories in data.stores.items()}
    rows = [
        score([data.stores[q.store][n].id for n in searches[q.store](q.text, 10)], q.evidence) for q in data.questions
    ]
    return [100 * sum(column) / len(rows) for column in zip(*rows, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall", description=__doc__)
    parser.add_argument(
        "--data", type=Path, help="directory of NAME.memories.jsonl and NAME.queries.jsonl; without it our small set"
    )
    parser.add_argument("--only", default="", help="names of rankers to run, by their beginning, comma-separated")
    parser.add_argument("--no-speed", action="store_true", help="quality only")
    options = parser.parse_args()
    sets = load(options.data) if options.data else [small()]
    wanted = tuple(name.strip() for name in options.only.split(","))
    chosen = {
        name: ranker for name, (ranker, needs) in RANKERS.items() if name.startswith(wanted) and _have(name, needs)
    }
    print("recall@1 / recall@5 / recall@10 / nDCG@10, in %")
    print("| ranking |", *(f"{data.name} |" for data in sets))
    for name, ranker in chosen.items():
        print(
            f"| {name} |", *(" / ".join(f"{n:.1f}" for n in quality(ranker, data)) + " |" for data in sets), flush=True
        )
    if options.no_speed:
        return
    print("\nbuild in s; one query, warm: median / 95th of 100, in ms")
    for size in (10_000, 40_000):
        for kind, (texts, queries) in {
            "few templates": speed.templates(size),
            "distinct texts": speed.distinct(size, sets),
        }.items():
            for name, ranker in chosen.items():
                build, middle, high = speed.measure(ranker, texts, queries)
                print(f"| {size} {kind} | {name} | {build:.2f} | {middle:.2f} / {high:.2f} |", flush=True)


def _have(name: str, needs: tuple[str, ...]) -> bool:
    missing = [module for module in needs if find_spec(module) is None]
    if missing:
        print(f"{name}: left out, needs {', '.join(missing)} (benchmarks/requirements.txt)")
    return not missing


if __name__ == "__main__":
    main()
