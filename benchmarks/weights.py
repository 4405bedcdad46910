"""Fit weights of messages, requests, decisions (promptx_mem/hooks) or contradictions (promptx_mem/core) to tests/.

python -m benchmarks.weights messages          some minutes; --folds 5 measures rows that were not fitted
python -m benchmarks.weights decisions         four minutes
python -m benchmarks.weights requests          some minutes
python -m benchmarks.weights contradictions    ten minutes

It is a logistic regression with an L1 penalty, so that most pairs of features get no weight. Of a message's sentences
and of the readings of a pair of texts, the one with the highest sum counts. Of requests, the weights that change no result
for the better are then left out, the smallest first. For requests and decisions, run tests/hooks/test_heard.py with the
result: their rows have the exact texts.
"""

import argparse
import json
import math
from collections import Counter
from collections.abc import Iterable
from itertools import chain, combinations, pairwise
from pathlib import Path
from textwrap import fill
from typing import NamedTuple

from promptx_mem.core import closeness, contradictions, statements
from promptx_mem.hooks import decisions, following, leads

TESTS = Path(__file__).parents[1] / "tests"
NAMES = ("conflicting", "harmless", "conflicting_distant", "harmless_distant")
CONFLICTING = {
    "conflicting": 1, "conflicting_distant": 1, "conflicting_varied": 1, "conflicting_dates": 3, "conflicting_plain": 8,
}  # fmt: skip
HARMLESS = {
    "harmless": 2, "harmless_distant": 3, "harmless_varied": 2, "harmless_plain": 6, "events": 3, "other_subjects": 3,
}  # fmt: skip
"""Files of pairs, and how often each pair counts."""

ROUNDS, STEPS = 3, 300
BIAS = "bias"
Sample = tuple[str, ...]
Case = list[Sample]


class Task(NamedTuple):
    """A fit: cases that should exceed the threshold, and cases that should not."""

    yes: list[Case]
    no: list[Case]
    penalty: float
    seen: int
    """Minimum number of cases with a feature."""
    threshold: float
    """The sum above which the program reports a case."""
    least: float = 0.05
    """Minimum absolute value of a weight that is kept."""
    words: int = 60
    """Minimum number of cases with a word or a pair of words. Rarer words are subjects, such as "sqlite"."""
    caution: float = 1.0
    """Weight of a case that should not exceed the threshold; 1 is that of the others."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.weights", description=__doc__)
    parser.add_argument("what", choices=("messages", "requests", "decisions", "contradictions"))
    parser.add_argument("--folds", type=int, default=0, help="number of parts, each measured with a fit to the others")
    options = parser.parse_args()
    exact = _exact()  # several times, since tests compare each of them
    if options.what == "decisions":
        yes = _messages([*_lines("decisions.txt"), *6 * [said for said, heard in exact if heard == "decision"]])
        no = _messages([*_lines("neither.txt"), *6 * [said for said, heard in exact if not heard]])
        task = Task(yes, no, 1.0, 8, decisions.THRESHOLD, 0.25)
    elif options.what == "messages":
        asking = [said for said, heard in exact if heard]
        yes = [_whole(said) for said in (*_lines("decisions.txt"), *4 * asking)]
        no = [_whole(said) for said in (*_lines("neither.txt"), *4 * [said for said, heard in exact if not heard])]
        task = Task(yes, no, 5.0, 24, decisions.LIKELY, 0.15, words=24)
    elif options.what == "requests":
        task = Task(*_requests(), 0.6, 3, leads.THRESHOLD, 0.15)  # smaller weights change nothing
    else:
        # Wrong reports annoy more than missed ones, and a few plain rows count several times.
        yes, no = _weighted(CONFLICTING), _weighted(HARMLESS)
        yes += 3 * _pairs([(old, new.partition("|")[0]) for old, new in _rows("corrections")])
        no += 6 * _pairs([(new, old) for old, new in _rows("harmless_plain")])
        others = [_pairs(_neighbours(_rows(name))) for name in NAMES]
        task = Task(yes, sum(others, no), 4.0, 20, contradictions.THRESHOLD, caution=1.3)
    folds = options.folds
    for fold in range(folds):
        kept = [[one for at, one in enumerate(some) if at * folds // len(some) != fold] for some in task[:2]]
        weights = fit(task._replace(yes=kept[0], no=kept[1]))
        left = [[one for at, one in enumerate(some) if at * folds // len(some) == fold] for some in task[:2]]
        print(f"fold {fold}:", *(_above(some, weights) for some in left))
    weights = fit(task)
    # the bias of contradictions and messages is in their files; the others are compared with a threshold without it
    least = task.threshold + (0.0 if options.what in ("contradictions", "messages") else weights[BIAS])
    print("all:", *(_above(some, weights) for some in task[:2]))
    if options.what == "requests":  # in other tasks, a word that changes no result here can matter in another text
        weights = pruned(task, weights, least)
        print("pruned:", *(_above(some, weights) for some in task[:2]))
    for weight in sorted(set(weights.values()), reverse=True):
        named = " ".join(sorted(name for name, its in weights.items() if its == weight))
        begin = f"{weight:g} "
        print(
            fill(
                named,
                118,
                initial_indent=begin,
                subsequent_indent=begin,
                break_long_words=False,
                break_on_hyphens=False,
            )
        )


def fit(task: Task) -> dict[str, float]:
    """Return the weights, rounded to a tenth, without zeros."""
    counts = Counter(name for case in (*task.yes, *task.no) for sample in case for name in sample)
    weights = {name: 0.0 for name, count in counts.items() if count >= (task.words if name[0] == "=" else task.seen)}
    chosen = [case[0] for case in task.yes]
    others = [(one, 0.0) for case in task.no for one in case]
    for _ in range(ROUNDS if any(len(case) > 1 for case in task.yes) else 1):
        _descend(weights, [*((one, 1.0) for one in chosen), *others], task.penalty, task.caution)
        chosen = [max(case, key=lambda one: _sum(one, weights)) for case in task.yes]
    return {name: round(weight, 1) for name, weight in weights.items() if abs(weight) >= task.least or name == BIAS}


def pruned(task: Task, weights: dict[str, float], threshold: float) -> dict[str, float]:
    """Leave out weights, the smallest first, without which no case of `no` is found and none of `yes` is lost."""
    cases = [*task.yes, *task.no]
    sums = [[_sum(sample, weights) for sample in case] for case in cases]
    holders: dict[str, list[tuple[int, int]]] = {name: [] for name in weights}
    for number, case in enumerate(cases):
        for place, sample in enumerate(case):
            for name in holders.keys() & set(sample):
                holders[name].append((number, place))
    kept = dict(weights)
    for name in sorted(weights.keys() - {BIAS, decisions.ASKS}, key=lambda one: (abs(weights[one]), one)):
        changed: dict[int, list[float]] = {}
        for number, place in holders[name]:
            changed.setdefault(number, list(sums[number]))[place] -= weights[name]
        gains = [0, 0]
        for number, new in changed.items():
            before, after = (round(max(some), 2) > threshold for some in (sums[number], new))
            gains[number >= len(task.yes)] += after - before
        if gains[0] >= 0 >= gains[1]:
            del kept[name]
            for number, new in changed.items():
                sums[number] = new
    return kept


def _descend(
    weights: dict[str, float], samples: list[tuple[Sample, float]], penalty: float, caution: float = 1.0
) -> None:
    """Take steps of the accelerated proximal gradient method; the bias has no penalty."""
    before, ahead, pace = dict(weights), dict(weights), 1.0
    size = 4.0 / _norm(samples, weights) / caution
    for _ in range(STEPS):
        errors = [
            (1 / (1 + math.exp(-_sum(sample, ahead))) - wanted) * (1.0 if wanted else caution)
            for sample, wanted in samples
        ]
        for name, slope in _slopes(samples, errors, weights).items():
            moved, less = ahead[name] - size * slope, size * penalty * (name != BIAS)
            weights[name] = math.copysign(max(abs(moved) - less, 0.0), moved)
        following = (1 + math.sqrt(1 + 4 * pace * pace)) / 2
        ahead = {name: weight + (pace - 1) / following * (weight - before[name]) for name, weight in weights.items()}
        before, pace = dict(weights), following


def _norm(samples: list[tuple[Sample, float]], names: Iterable[str]) -> float:
    """Return the greatest eigenvalue of the samples' matrix, by power iteration. It limits the size of a step."""
    vector, length = dict.fromkeys(names, 1.0), 1.0
    for _ in range(20):
        vector = _slopes(samples, [_sum(sample, vector) for sample, _ in samples], vector)
        length = math.sqrt(sum(value * value for value in vector.values()))
        vector = {name: value / length for name, value in vector.items()}
    return length


def _slopes(samples: list[tuple[Sample, float]], errors: list[float], names: Iterable[str]) -> dict[str, float]:
    slopes = dict.fromkeys(names, 0.0)
    for (sample, _), error in zip(samples, errors, strict=True):
        for name in sample:
            if name in slopes:
                slopes[name] += error
    return slopes


def _lines(name: str) -> list[str]:
    return (TESTS / "hooks/rows" / name).read_text("utf-8").splitlines()


def _exact() -> list[tuple[str, str]]:
    """Return the messages of requests.jsonl, each with the kind of the message: "request", "decision" or ""."""
    kinds = []
    for said, *facts in map(json.loads, _lines("requests.jsonl")):
        fields = facts[-1] if facts and isinstance(facts[-1], dict) else {}
        kind = "request" if facts not in ([], [fields]) else "decision" if fields.get("decisions") else ""
        kinds.append((said, kind))
    return kinds


def _whole(message: str) -> Case:
    masks = [one.mask for one in decisions.sentences(message)]
    return [(BIAS, *sorted(decisions.message_features(masks)))]


def _messages(rows: Iterable[str]) -> list[Case]:
    return [message for row in rows if (message := _message(decisions.sentences(row)))]


def _message(sentences: list[decisions.Sentence]) -> Case:
    asking = [one for one in sentences if following.asks(one.mask)]
    out = []
    for one in sentences:
        asks = [decisions.ASKS] * any(other is not one for other in asking)
        out.append((BIAS, *asks, *sorted(decisions.features(*decisions.without_filler(one.text, one.mask)))))
    return out


def _requests() -> tuple[list[Case], list[Case]]:
    """Return the part that asks in each message with one fact, and the parts of sentences that ask for nothing."""
    yes: list[Case] = []
    no: list[Case] = []
    others = [_lines("decisions.txt"), _lines("neither.txt")]
    for line in _lines("requests.jsonl"):
        said, *facts = json.loads(line)
        if not facts:
            others.append([said])
        elif isinstance(facts[0], str) and facts[1:] == []:
            yes += filter(None, _asking(said, facts[0]))
    for said in chain(*others):
        no += [[(BIAS, *sorted(names)) for *_, names in _parts(one)] for one in decisions.sentences(said)]
    return yes, list(filter(None, no))


def _asking(said: str, fact: str) -> list[Case]:
    """Return the part of a message that asks to remember a fact, and the part without its colon as a whole sentence."""
    sentences = decisions.sentences(said)
    parts = list(chain(*map(_parts, sentences)))
    asking = [
        (is_end, names)
        for text, is_end, names in parts
        if text and (text.endswith if is_end else text.startswith)(fact)
    ]
    if asking:
        cases = [[(BIAS, *sorted(asking[0][1]))]]
        head = said[: said.find(fact)].rstrip()
        if not asking[0][0] and head.endswith((":", "：")):
            cases.append(_wholes(decisions.sentences(head[:-1])[-1:]))
        return cases
    at = next((at for at, one in enumerate(sentences) if fact.startswith(one.text.strip(decisions.TRIMMED))), None)
    return [] if at is None else [_wholes(sentences[max(at - 1, 0) : at] + sentences[at + 1 : at + 2])]


def _wholes(sentences: list[decisions.Sentence]) -> Case:
    return [(BIAS, *sorted(names)) for one in sentences for text, _, names in _parts(one) if not text]


def _parts(sentence: decisions.Sentence) -> list[tuple[str, bool, set[str]]]:
    """Return each text to remember, whether the part that asks is at the sentence's end, and the features of the part."""
    found = leads.candidates(sentence.mask)
    return [(sentence.text[span].strip(decisions.TRIMMED), span.start is None, names) for span, names in found]


Row = tuple[str, str]
"""An older and a newer text."""


def _rows(name: str) -> list[Row]:
    lines = (TESTS / f"core/rows/{name}.txt").read_text("utf-8").splitlines()
    return [(old, new) for old, _, new in (line.partition("|") for line in lines)]


def _neighbours(rows: list[Row]) -> list[Row]:
    """Return pairs of one text from a row and one from the next row, which have different subjects."""
    both = [pair for one, two in pairwise(rows) for pair in ((two[0], one[1]), (one[0], two[1]))]
    return [(old, new) for old, new in both if closeness.may_share_subject(new, old)]


def _weighted(files: dict[str, int]) -> list[Case]:
    return [pair for name, times in files.items() for pair in times * _pairs(_rows(name))]


def _pairs(rows: list[Row]) -> list[Case]:
    found = ([_pair(*texts) for texts in contradictions.readings(new, old)] for old, new in rows)
    return [list(filter(None, samples)) for samples in found if samples[0]]


def _pair(new: statements.Statement, old: statements.Statement) -> Sample:
    if not (new.tokens and old.tokens):
        return ()
    own = sorted(contradictions.features(new, old))
    return (BIAS, *own, *(f"{one}&{two}" for one, two in combinations(own, 2)))


def _sum(sample: Sample, weights: dict[str, float]) -> float:
    return sum(weights.get(name, 0.0) for name in sample)


def _above(cases: list[Case], weights: dict[str, float]) -> str:
    """Return how many cases are above each of some thresholds."""
    sums = [max(_sum(one, weights) for one in case) for case in cases]
    return f"of {len(sums)}: " + ", ".join(
        f"{least:g}: {sum(one > least for one in sums)}" for least in (0, 0.5, 1, 1.2, 1.4, 1.6)
    )


if __name__ == "__main__":
    main()
