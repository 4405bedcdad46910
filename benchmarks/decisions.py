"""Fit the weights in promptx_mem/hooks/decisions.txt to the sentences in tests/hooks/rows, and print them.

python -m benchmarks.decisions          some seconds; --folds 5 measures sentences that had no part in the fit

It is a logistic regression with an L1 penalty, so that most pairs of classes get no weight. Of a decision's sentences
the one with the highest sum counts, since others may be tasks.
"""

import argparse
import math
from collections import Counter
from pathlib import Path

from promptx_mem.hooks import decisions

ROWS = Path(__file__).parents[1] / "tests/hooks/rows"
ROUNDS, STEPS, PENALTY, SEEN = 4, 300, 1.0, 3
BIAS = "bias"
Sentence = tuple[str, ...]
Message = list[Sentence]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.decisions", description=__doc__)
    parser.add_argument("--folds", type=int, default=0, help="number of parts, each measured with a fit to the others")
    folds = parser.parse_args().folds
    yes, no = (_messages(name) for name in ("decisions.txt", "neither.txt"))
    for fold in range(folds):
        kept = [[one for at, one in enumerate(some) if at % folds != fold] for some in (yes, no)]
        weights = fit(*kept)
        print(f"fold {fold}:", *(_above(some[fold::folds], weights) for some in (yes, no)))
    weights = fit(yes, no)
    print("all:", *(_above(some, weights) for some in (yes, no)))
    print(" ".join(f"{name}={weight:g}" for name, weight in sorted(weights.items(), key=lambda one: -one[1])))


def fit(yes: list[Message], no: list[Message]) -> dict[str, float]:
    """Return the weights, rounded to a tenth; those below 0.2 are left out."""
    counts = Counter(name for message in (*yes, *no) for sentence in message for name in sentence)
    weights = {name: 0.0 for name, count in counts.items() if count >= SEEN}
    chosen = [message[0] for message in yes]
    for _ in range(ROUNDS):
        _descend(weights, [*((one, 1.0) for one in chosen), *((one, 0.0) for message in no for one in message)])
        chosen = [max(message, key=lambda one: _sum(one, weights)) for message in yes]
    return {name: round(weight, 1) for name, weight in weights.items() if abs(weight) >= 0.2 or name == BIAS}


def _descend(weights: dict[str, float], samples: list[tuple[Sentence, float]]) -> None:
    """Take steps of the accelerated proximal gradient method; the bias has no penalty."""
    before, ahead, pace = dict(weights), dict(weights), 1.0
    size = 4.0 / max(len(sentence) for sentence, _ in samples) / len(samples)
    for _ in range(STEPS):
        slopes = dict.fromkeys(weights, 0.0)
        for sentence, wanted in samples:
            error = 1 / (1 + math.exp(-_sum(sentence, ahead))) - wanted
            for name in sentence:
                if name in slopes:
                    slopes[name] += error
        for name, slope in slopes.items():
            moved, less = ahead[name] - size * slope, size * PENALTY * (name != BIAS)
            weights[name] = math.copysign(max(abs(moved) - less, 0.0), moved)
        following = (1 + math.sqrt(1 + 4 * pace * pace)) / 2
        ahead = {name: weight + (pace - 1) / following * (weight - before[name]) for name, weight in weights.items()}
        before, pace = dict(weights), following


def _messages(name: str) -> list[Message]:
    found = [
        [(BIAS, *sorted(decisions.features(*decisions.spoken(*one[:2])))) for one in decisions.sentences(row)]
        for row in (ROWS / name).read_text("utf-8").splitlines()
    ]
    return [message for message in found if message]


def _sum(sentence: Sentence, weights: dict[str, float]) -> float:
    return sum(weights.get(name, 0.0) for name in sentence)


def _above(messages: list[Message], weights: dict[str, float]) -> str:
    """Return how many messages are above each of some thresholds."""
    sums = [max(_sum(one, weights) for one in message) for message in messages]
    return f"of {len(sums)}: " + ", ".join(
        f"{least:g}: {sum(one > least for one in sums)}" for least in (0, 0.3, 0.6, 1)
    )


if __name__ == "__main__":
    main()
