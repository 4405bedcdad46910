"""Compare the program's ranking with others: quality on recall data, and speed at 10,000 and 40,000 memories."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.recall import fetch, speed
from benchmarks.recall.data import DataSet, load, score, small
from benchmarks.recall.rankers import RANKERS, Ranker, Search
from benchmarks.recall.silence import prompts

if TYPE_CHECKING:
    from collections.abc import Mapping

HEAD = "recall@1 / recall@5 / recall@10 / nDCG@10 | precision / silence"


def searches(ranker: Ranker, data: DataSet) -> dict[str, Search]:
    """Make the ranker's index of each store."""
    return {name: ranker(memories) for name, memories in data.stores.items()}


def quality(made: Mapping[str, Search], data: DataSet) -> list[float]:
    """Return recalls, nDCG and precision in percent: means over the questions."""
    rows = [score([data.stores[q.store][n].id for n in made[q.store](q.text, 10)], q.evidence) for q in data.questions]
    return [100 * sum(column) / len(rows) for column in zip(*rows, strict=True)]


def silence(made: Mapping[str, Search], data: DataSet) -> float:
    """Return how many percent of the questions without an answer get nothing.

    A set without such questions asks the unrelated prompts of its first store.
    """
    first = next(iter(data.stores))
    asked = [(q.store, q.text) for q in data.silent] or [(first, text) for text in prompts()["unrelated"]]
    return 100 * sum(not made[store](text, 10) for store, text in asked) / len(asked)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall", description=__doc__)
    parser.add_argument(
        "--data", type=Path, help="directory of NAME.memories.jsonl and NAME.queries.jsonl; without it our small set"
    )
    parser.add_argument(
        "--fetch", nargs="+", choices=fetch.PUBLISHED, default=[], help="published data to put into --data before"
    )
    parser.add_argument("--only", default="", help="names of rankers to run, by their beginning, comma-separated")
    parser.add_argument("--no-speed", action="store_true", help="quality only")
    options = parser.parse_args()
    if options.fetch and not options.data:
        parser.error("--fetch needs --data DIR, a directory outside this repository")
    for name in options.fetch:
        fetch.fetch(name, options.data)
    sets = load(options.data) if options.data else [small()]
    wanted = tuple(name.strip() for name in options.only.split(","))
    chosen = {
        name: ranker for name, (ranker, needs) in RANKERS.items() if name.startswith(wanted) and _have(name, needs)
    }
    for data in sets:
        print(f"\n| {data.name}, in % | {HEAD} |\n|---|---|---|")
        for name, ranker in chosen.items():
            made = searches(ranker, data)
            figures = [f"{number:.1f}" for number in (*quality(made, data), silence(made, data))]
            print(f"| {name} | {' / '.join(figures[:-2])} | {' / '.join(figures[-2:])} |", flush=True)
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
