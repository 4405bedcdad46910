"""Leave out one signal or word list of the ranking after the other: `python -m benchmarks.recall.ablation --data DIR`.

Each set's stores are made once. A row has the change of recall@5 / nDCG@10 of each set without the signal, the mean
change of nDCG@10. `contradictions` are pairs of which the newer memory must come first.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.recall.data import DataSet, Question, contradictions, load, score, small
from benchmarks.recall.rankers import Search, program
from promptx_mem.search import ranking, tokens

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

LISTS: dict[str, tuple[ModuleType, str]] = {
    "list: English function words": (tokens, "STOP_WORDS"),
    "list: Chinese function words": (tokens, "FUNCTION_PHRASES"),
    "list: how something is asked": (tokens, "ASKING"),
    "list: common words": (ranking, "COMMON_WORDS"),
    "list: common characters": (ranking, "_COMMON_CHARACTERS"),
}


class Made(NamedTuple):
    """A data set whose stores have been created."""

    data: DataSet
    searches: dict[str, Search]

    def figures(self) -> tuple[float, float]:
        """Return recall@5 and nDCG@10 in percent."""
        rows = [self._score(question) for question in self.data.questions]
        return (100 * sum(row[1] for row in rows) / len(rows), 100 * sum(row[3] for row in rows) / len(rows))

    def _score(self, question: Question) -> list[float]:
        known = self.data.stores[question.store]
        found = self.searches[question.store](question.text, 10)
        return score([known[place].id for place in found], question.evidence)


@contextlib.contextmanager
def without(name: str) -> Iterator[None]:
    """Leave out a signal, or a word list, by its name."""
    if name in LISTS:
        module, attribute = LISTS[name]
        words: Any = getattr(module, attribute)
        holders = [one for key, one in sys.modules.items() if key.startswith("promptx_mem.search")]
        changed = [(one, key) for one in holders for key, value in vars(one).items() if value is words]
        try:
            for one, key in changed:
                setattr(one, key, type(words)())
            yield
        finally:
            for one, key in changed:
                setattr(one, key, words)
        return
    signal = next(one for one in ranking.SIGNALS if one.name == name)
    weight = signal.weight
    try:
        signal.weight = signal.neutral
        yield
    finally:
        signal.weight = weight


def made(data: DataSet, most: int) -> Made:
    """Create the stores of a data set, with at most so many of its questions, evenly chosen."""
    questions = data.questions[:: max(1, len(data.questions) // most)] if most else data.questions
    stores = {name: data.stores[name] for name in dict.fromkeys(one.store for one in questions)}
    searches = {name: program(memories) for name, memories in stores.items()}
    return Made(DataSet(data.name, data.stores, questions), searches)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall.ablation", description=__doc__)
    parser.add_argument("--data", type=Path, help="the directory of benchmarks.recall; without it our own sets")
    parser.add_argument("--questions", type=int, default=0, help="at most so many of a set; 0: all")
    parser.add_argument("--only", default="", help="names of signals and lists, comma-separated")
    options = parser.parse_args()
    sets = [*(load(options.data) if options.data else []), small(), contradictions()]
    every = [made(data, options.questions) for data in sets]
    names = [one.name for one in ranking.SIGNALS] + list(LISTS)
    chosen = [name for name in names if not options.only or name in options.only.split(",")]
    print("| without |", *(f"{one.data.name} |" for one in every), "mean nDCG@10 |")
    print("|---" * (len(every) + 2) + "|")
    base = [one.figures() for one in every]
    print("| (all signals) |", *(f"{five:.1f} / {gain:.1f} |" for five, gain in base), _mean(base), "|", flush=True)
    for name in chosen:
        with without(name):
            rows = [one.figures() for one in every]
        changes = [(five - of[0], gain - of[1]) for (five, gain), of in zip(rows, base, strict=True)]
        cells = ("0 |" if five == gain == 0 else f"{five:+.1f} / {gain:+.1f} |" for five, gain in changes)
        print(f"| {name} |", *cells, f"{_mean(changes)} |", flush=True)


def _mean(rows: list[tuple[float, float]]) -> str:
    return f"{sum(gain for _, gain in rows) / len(rows):+.2f}"


if __name__ == "__main__":
    main()
