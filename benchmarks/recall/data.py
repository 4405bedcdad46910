"""Read recall data (NAME.memories.jsonl, NAME.queries.jsonl) and score rankings against it."""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass
from math import log2
from pathlib import Path
from typing import Any

SMALL = Path(__file__).resolve().parents[2] / "tests" / "search" / "recall_set.jsonl"
CONTRADICTIONS = Path(__file__).with_name("contradictions.jsonl")
CODING = Path(__file__).with_name("coding.jsonl")
CUTS = (1, 5, 10)
SHOWN = 5
"""Number of results in which precision counts the correct ones."""
LONG = 2_500
"""Length in characters of a long memory, which is searched for by one of its sentences."""


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory for a ranker. `day` is an ISO date, `at` the time if it is known."""

    id: str
    text: str
    day: str | None
    at: str | None = None
    session: str | None = None
    score: float = 8.0
    aka: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """Return text and aliases, for rankers that have no field for aliases."""
        return " ".join([self.text, *self.aka])


@dataclass(frozen=True, slots=True)
class Question:
    """A query of one store. Each unit of evidence is a set of ids; one of them is enough."""

    store: str
    text: str
    evidence: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True)
class DataSet:
    """Stores and questions. `silent` are questions that no memory answers."""

    name: str
    stores: dict[str, list[Memory]]
    questions: list[Question]
    silent: tuple[Question, ...] = ()


def load(directory: Path) -> list[DataSet]:
    """Read every data set of a directory."""
    out = []
    for path in sorted(directory.glob("*.memories.jsonl")):
        name = path.name.removesuffix(".memories.jsonl")
        stores: dict[str, list[Memory]] = {}
        for line in _lines(path):
            stores.setdefault(line["store"], []).append(_memory(line))
        questions = [
            Question(line["store"], line["query"], tuple(map(frozenset, line["evidence"])))
            for line in _lines(directory / f"{name}.queries.jsonl")
        ]
        silent = tuple(one for one in questions if not one.evidence)
        out.append(DataSet(name, stores, [one for one in questions if one.evidence], silent))
    return [*out, *long_ones(out)]


def coding(*, aliases: bool) -> list[DataSet]:
    """Read the memories of a coding project, as two sets: queries in other words, and in the other language."""
    lines = _lines(CODING)
    memories = [
        Memory(str(n), line["text"], "2026-11-01", aka=tuple(line["aka"]) if aliases else ())
        for n, line in enumerate(lines)
    ]
    sets: dict[str, list[Question]] = {"coding": [], "coding, other language": []}
    for number, line in enumerate(lines):
        for words in line["questions"]:
            name = "coding" if words.isascii() else "coding, other language"
            sets[name].append(Question("project", words, (frozenset([str(number)]),)))
    return [DataSet(name, {"project": memories}, questions) for name, questions in sets.items()]


def _memory(line: dict[str, Any]) -> Memory:
    more = {key: line[key] for key in ("at", "session", "score") if line.get(key) is not None}
    return Memory(line["id"], line["text"], line["date"], aka=tuple(line.get("aka", ())), **more)


def long_ones(sets: list[DataSet]) -> list[DataSet]:
    """Return sets that search for long memories by five words of one of their sentences."""
    pick = random.Random(11)
    every = [(data, store, one) for data in sets for store, known in data.stores.items() for one in known]
    every = [found for found in every if len(found[2].text) > LONG]
    pick.shuffle(every)
    questions: dict[str, list[Question]] = {}
    stores: dict[str, list[Memory]] = {}
    for data, store, one in every:
        sentences = [_words(sentence) for sentence in re.split(r"[.!?\n]+", one.text)]
        if (long := [words for words in sentences if len(words) >= 5]) and sum(map(len, questions.values())) < 100:
            words = " ".join(pick.sample(pick.choice(long), 5))
            name = f"{data.name}/{store}"
            stores[name] = data.stores[store]
            questions.setdefault(name, []).append(Question(name, words, (frozenset([one.id]),)))
    return [DataSet("long", stores, [one for some in questions.values() for one in some])] if stores else []


def _words(sentence: str) -> list[str]:
    return list(dict.fromkeys(word for word in re.findall(r"[A-Za-z]{4,}", sentence)))


def small() -> DataSet:
    """Return our own set from the repository. Each memory that a query expects is correct."""
    lines = _lines(SMALL)
    memories = [Memory(line["id"], line["text"], line["day"]) for line in lines if "text" in line]
    questions = [Question("", line["query"], (frozenset(line["expected"]),)) for line in lines if "query" in line]
    return DataSet("our small set", {"": memories}, questions)


def contradictions() -> DataSet:
    """Return our pairs of contradictory memories, recorded two months apart: the newer one is correct."""
    lines = _lines(CONTRADICTIONS)
    older = [Memory(f"old {number}", line["old"], "2026-03-10") for number, line in enumerate(lines)]
    newer = [Memory(f"new {number}", line["new"], "2026-05-12") for number, line in enumerate(lines)]
    questions = [Question("", line["query"], (frozenset([f"new {number}"]),)) for number, line in enumerate(lines)]
    return DataSet("contradictions", {"": [*older, *newer]}, questions)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def score(found: list[str], evidence: tuple[frozenset[str], ...]) -> list[float]:
    """Return recall at each cut (units found / all units), nDCG@10 (gain 1 for each new unit) and precision, 0-1."""
    recalls = [sum(bool(unit.intersection(found[:cut])) for unit in evidence) / len(evidence) for cut in CUTS]
    left = list(evidence)
    gained = 0.0
    for place, ident in enumerate(found[:10]):
        new = next((unit for unit in left if ident in unit), None)
        if new is not None:
            left.remove(new)
            gained += 1 / log2(place + 2)
    ideal = sum(1 / log2(place + 2) for place in range(min(10, len(evidence))))
    shown = found[:SHOWN]
    right = sum(any(ident in unit for unit in evidence) for ident in shown)
    return [*recalls, gained / ideal, right / len(shown) if shown else 0.0]
